package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// batched has parts wait for a batch, whatever small model there is.
func batched(c *memory.Config) {
	c.Settings.ExtractionModel = "some-model"
	c.Small = scripted.Background(nil, []string{"extract"})
}

// waiting are the parts that wait in the world's store.
func (w *world) waiting(t *testing.T) (out []sessions.WaitingPart) {
	t.Helper()
	err := sessions.EachWaiting(t.Context(), w.store, "", func(p sessions.WaitingPart) error {
		out = append(out, p)
		return nil
	})
	must(t, err)
	return out
}

// told is a user who said some things in a session that is over.
func told(t *testing.T, w *world, m *memory.Memory, session string, texts ...string) sessions.WaitingPart {
	t.Helper()
	before := len(w.waiting(t))
	for _, text := range texts {
		w.turn(t, m, in(session), nil, text)
	}
	w.pass(time.Minute)
	edit(t, m, in(session), sessions.Change{End: true})
	all := w.waiting(t)
	if len(all) != before+1 {
		t.Fatalf("%d parts wait, want %d", len(all), before+1)
	}
	for _, p := range all {
		if strings.Contains(p.ID, "."+session+".") {
			return p
		}
	}
	t.Fatalf("none of %v is of session %s", all, session)
	return sessions.WaitingPart{}
}

// answers is a model's answer with facts.
func answers(summary string, facts ...string) string {
	var list []map[string]any
	for _, f := range facts {
		list = append(list, map[string]any{"category": "CORE", "text": f, "subject": "user", "importance": 8})
	}
	raw, err := json.Marshal(map[string]any{"facts": list, "summary": summary})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func ask(t *testing.T, m *memory.Memory, p sessions.WaitingPart) sessions.Question {
	t.Helper()
	q, ok, err := m.Sessions().Waiting().Ask(t.Context(), p)
	if err != nil || !ok {
		t.Fatalf("ask about %s: %v, %v", p.ID, ok, err)
	}
	return q
}

func answer(t *testing.T, m *memory.Memory, p sessions.WaitingPart, words, text string, want sessions.Taken) {
	t.Helper()
	if got, err := m.Sessions().Waiting().Answer(t.Context(), p, words, text); err != nil || got != want {
		t.Errorf("answer about %s: %q, %v; want %q", p.ID, got, err, want)
	}
}

const cello = "I play the cello in a quartet in Olomouc."

// With a model for batches a part waits, though there is a small model, and has a digest by rules. An answer is taken once.
func TestPartsWaitForABatch(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, batched)
	p := told(t, w, m, "s1", cello)
	if got := summaries(t, m, in("s1")); len(got) != 1 || got[0].Span.Digest == "" || len(got[0].Span.Digest) > 2000 {
		t.Fatalf("the part: %+v", got)
	}
	told(t, w, m, "s2", "It rains again.") // the end of another one asks nobody either
	q := ask(t, m, p)
	if !strings.Contains(q.Prompt, cello) || !strings.HasPrefix(q.Prompt, "Task: extract") {
		t.Errorf("the prompt: %s", q.Prompt)
	}
	before := len(lines(t, m))
	good := answers("The user told of his quartet.", "plays the cello in a quartet")
	answer(t, m, p, q.Words, good, sessions.TakenLearnt)
	answer(t, m, p, q.Words, good, sessions.TakenBefore)
	answer(t, w.memory(t, batched), p, q.Words, answers("Other.", "plays the cello in an orchestra"), sessions.TakenBefore)
	got := lines(t, m)
	if !holds(got, "plays the cello in a quartet") || holds(got, "orchestra") || len(got) > before+1 {
		t.Errorf("the brain: %q", got)
	}
	if left := w.waiting(t); len(left) != 1 || left[0].ID == p.ID {
		t.Errorf("waiting: %v", left)
	}
	if r := summaries(t, m, in("s1"))[0]; r.Span.Waits || r.Span.Digest != "The user told of his quartet." {
		t.Errorf("the part: %+v", r.Span)
	}
	changes, err := m.History().Audit(t.Context(), in("s1"), history.Query{Path: "batch"})
	if err != nil || len(changes) == 0 || changes[0].By.Who != state.ByPipeline {
		t.Errorf("the feed: %+v, %v", changes, err)
	}
}

// What was asked about and forgotten meanwhile is not learnt, nor named in a digest: the part is asked about anew.
func TestForgottenBetweenAskAndAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, batched)
	p := told(t, w, m, "s1", "I am allergic to walnuts.", cello)
	q := ask(t, m, p)
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "walnuts"}); err != nil {
		t.Fatal(err)
	}
	said := answers("The user is allergic to walnuts. He plays the cello.", "is allergic to walnuts", "plays the cello in a quartet")
	answer(t, m, p, q.Words, said, sessions.TakenBack)
	if len(w.waiting(t)) != 1 || holds(lines(t, m), "walnuts") {
		t.Fatalf("waiting %v, the brain %q", w.waiting(t), lines(t, m))
	}
	again := ask(t, m, p)
	if strings.Contains(again.Prompt, "walnuts") || again.Words == q.Words {
		t.Errorf("asked anew: %s", again.Prompt)
	}
	answer(t, m, p, again.Words, said, sessions.TakenLearnt)
	if got := lines(t, m); holds(got, "walnuts") || !holds(got, "cello") {
		t.Errorf("the brain: %q", got)
	}
	if d := summaries(t, m, in("s1"))[0].Span.Digest; strings.Contains(d, "walnuts") || !strings.Contains(d, "cello") {
		t.Errorf("the digest: %q", d)
	}
}

// A part that is asked about in vain waits on; after the third time the rules read it. The same failure counts once.
func TestAfterThreeFailuresTheRulesRead(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, batched)
	p := told(t, w, m, "s1", "I prefer short answers without lists.")
	q := ask(t, m, p)
	for try := 1; try <= 3; try++ {
		p.Tries = try
		want := sessions.TakenBack
		if try == 3 {
			want = sessions.TakenByRules
		}
		if try == 2 {
			answer(t, m, p, q.Words, "I cannot help with that.", want) // no answer that can be read
			continue
		}
		for range 2 {
			got, err := m.Sessions().Waiting().Fail(t.Context(), p)
			if err != nil || got != want {
				t.Errorf("failure %d: %q, %v; want %q", try, got, err, want)
			}
			if try == 3 {
				want = sessions.TakenBefore
			}
		}
	}
	if got := lines(t, m); len(w.waiting(t)) != 0 || !holds(got, "short answers") {
		t.Errorf("waiting %v, the brain %q", w.waiting(t), got)
	}
}

// A part of which nothing is left to read, and one that is gone, wait no more.
func TestNothingLeftToAsk(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, batched)
	p := told(t, w, m, "s1", cello)
	edit(t, m, in("s1"), sessions.Change{Clear: true})
	for range 2 {
		if _, ok, err := m.Sessions().Waiting().Ask(t.Context(), p); ok || err != nil {
			t.Errorf("asked about what was cleared: %v, %v", ok, err)
		}
	}
	p.ID = "summary.never.1"
	if got, err := m.Sessions().Waiting().Fail(t.Context(), p); got != sessions.TakenBefore || err != nil {
		t.Errorf("a part that is gone: %q, %v", got, err)
	}
	if left := w.waiting(t); len(left) != 0 {
		t.Errorf("waiting: %v", left)
	}
}

// Without the model for batches nothing waits for one; what waited is read when another part ends.
func TestWithoutTheSettingNothingWaits(t *testing.T) {
	t.Parallel()
	w := newWorld()
	told(t, w, w.memory(t, batched), "s1", "I prefer short answers without lists.")
	for i, change := range []func(*memory.Config){
		func(c *memory.Config) { c.Settings.ExtractionModel, c.Settings.ExtractionEnabled = "some-model", false },
		nil,
	} {
		m := w.memory(t, change)
		session := fmt.Sprintf("s%d", i+2)
		w.turn(t, m, in(session), nil, "It rains.")
		edit(t, m, in(session), sessions.Change{End: true})
	}
	if got := lines(t, w.memory(t, nil)); len(w.waiting(t)) != 0 {
		t.Errorf("waiting %v, the brain %q", w.waiting(t), got)
	}
}

// Of a part that was erased between question and answer nothing is learnt, and nothing of it comes back.
func TestErasedBetweenAskAndAnswer(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]forget.What{"session": {Session: "s1"}, "topic": {Topic: "walnuts"}, "user": {User: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, batched)
			p := told(t, w, m, "s1", "I am allergic to walnuts.", cello)
			q := ask(t, m, p)
			if _, err := m.Forget().Erase(t.Context(), in("s1"), what); err != nil {
				t.Fatal(err)
			}
			want := sessions.TakenBefore
			if what.Topic != "" { // the rest of the part waits on
				want = sessions.TakenBack
			}
			answer(t, m, p, q.Words, answers("The user is allergic to walnuts.", "is allergic to walnuts"), want)
			if got := lines(t, m); holds(got, "walnuts") {
				t.Errorf("the brain: %q", got)
			}
			for _, r := range summaries(t, m, in("s1")) {
				if strings.Contains(r.Content+r.Span.Digest, "walnuts") {
					t.Errorf("the part: %+v", r)
				}
			}
		})
	}
}

// An L1 and an L2 that were made of what the rules saw in parts are made again when a batch has read them.
func TestALateAnswerReachesL1(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open()
			m := w.memory(t, func(c *memory.Config) { batched(c); twos(c) })
			first := told(t, w, m, "s1", "I keep the box in the cellar behind the door")
			for i := range 3 {
				told(t, w, m, fmt.Sprintf("s%d", i+2), fmt.Sprintf("I saw film number %d in the cinema yesterday", i))
			}
			l1 := func(level int) (out string) {
				for _, r := range summaries(t, m, in("s1")) {
					if r.Span.Level == level {
						out += r.Content + "\n"
					}
				}
				return out
			}
			if l1(1) == "" || l1(2) == "" || strings.Contains(l1(1), "kx77canary") {
				t.Fatalf("L1 %q, L2 %q", l1(1), l1(2))
			}
			q := ask(t, m, first)
			answer(t, m, first, q.Words, answers("The box is called kx77canary."), sessions.TakenLearnt)
			if !strings.Contains(l1(1), "kx77canary") || !strings.Contains(l1(2), "kx77canary") {
				t.Errorf("L1 %q, L2 %q", l1(1), l1(2))
			}
			again, n := l1(1), len(docsWith(t, w, "kx77canary"))
			answer(t, m, first, q.Words, answers("The box is called kx77canary."), sessions.TakenBefore)
			if l1(1) != again || len(docsWith(t, w, "kx77canary")) != n {
				t.Error("the same answer again changes something")
			}
		})
	}
}
