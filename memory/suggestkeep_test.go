package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// An answered suggestion goes when it is old, and so does one that was over: the audit knows of them without their text, and what was approved
// of can be taken back all the same.
func TestOldSuggestionsGo(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open()
			m, scope := w.level(t, 1), in("s1")
			origin := memory.Origin{Scope: scope}
			approved := suggestTo(t, m, origin, memory.Change{Subject: "cat", Content: "is called kx11canary"})
			rejected := suggestTo(t, m, origin, memory.Change{Subject: "dog", Content: "is called kx22canary"})
			over := suggestTo(t, m, origin, memory.Change{Subject: "fish", Content: "is called kx33canary"})
			before := remembered(t, w, false)
			if _, err := m.Suggestions().Answer(t.Context(), scope, approved.ID, state.Answer{Choice: state.Approve}); err != nil {
				t.Fatal(err)
			}
			approval := head(t, m)
			if _, err := m.Suggestions().Answer(t.Context(), scope, rejected.ID, state.Answer{Choice: state.Reject, Reason: "not true"}); err != nil {
				t.Fatal(err)
			}
			w.pass(89 * 24 * time.Hour)
			if all := suggestions(t, m, true); len(all) != 3 {
				t.Fatalf("after 89 days there are %d", len(all))
			}
			w.pass(40 * 24 * time.Hour)
			young := suggestTo(t, m, origin, memory.Change{Subject: "horse", Content: "is called kx44canary"})
			if all := suggestions(t, m, true); len(all) != 1+1 || all[1].ID != young.ID { // the one that was over was marked so only 40 days ago
				t.Errorf("after 129 days: %+v", all)
			}
			w.pass(60 * 24 * time.Hour)
			suggestions(t, m, true)
			for _, word := range []string{"kx22canary", "kx33canary"} {
				if at := docsWith(t, w, word); len(at) > 0 {
					t.Errorf("%s is left in %q", word, at)
				}
			}
			for _, s := range []state.Suggestion{approved, rejected, over} {
				changes, err := m.History().Audit(t.Context(), scope, history.Query{ID: s.ID})
				if err != nil || len(changes) != 3 || changes[0].What != "gone" || changes[2].What != "made" || changes[0].By.Why == "" {
					t.Errorf("the audit of %s: %+v, %v", s.Text, changes, err)
				}
			}
			if err := w.level(t, 2).History().UndoChange(t.Context(), scope, approval); err != nil {
				t.Errorf("undo of what was approved: %v", err)
			}
			if diff := cmp.Diff(before, remembered(t, w, false)); diff != "" {
				t.Errorf("undone (-before +after):\n%s", diff)
			}
		})
	}
}

// What waits already is not suggested again: by the next turn, by a file that is read twice, or twice in one call. Another agent's is another.
func TestTheSameIsSuggestedOnce(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open()
			m, scope := w.level(t, 1), in("s1")
			change := memory.Change{Subject: "cat", Content: "is called Minka"}
			first := suggestTo(t, m, memory.Origin{Scope: scope, Turn: "t1", Seq: 1}, change)
			again := suggestTo(t, m, memory.Origin{Scope: scope, Turn: "t2", Seq: 3}, change)
			var twice *suggest.WaitsError
			if _, err := m.Write(t.Context(), scope, change, change); !errors.As(err, &twice) || len(twice.Suggestions) != 2 || twice.Suggestions[1].ID != first.ID {
				t.Errorf("twice in one call: %+v", twice)
			}
			other := scope
			other.Agent = "jaskier"
			suggestTo(t, m, memory.Origin{Scope: other}, change)
			if all := suggestions(t, m, true); again.ID != first.ID || len(all) != 2 || all[1].Agent != "jaskier" {
				t.Errorf("suggested as %s, again as %s; %d wait: %+v", first.ID, again.ID, len(all), all)
			}

			// Once it was answered, it may be asked for again.
			if _, err := m.Suggestions().Answer(t.Context(), scope, first.ID, state.Answer{Choice: state.Reject}); err != nil {
				t.Fatal(err)
			}
			suggestTo(t, m, memory.Origin{Scope: scope}, change)
			if all := suggestions(t, m, false); len(all) != 2 {
				t.Errorf("after a rejection %d wait, want the other agent's and the new one: %+v", len(all), all)
			}
		})
	}
}

// Where as many suggestions wait as may, no more is suggested, and it is said: to who asks, and in the trace of a turn, which goes on.
func TestSuggestionsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, scope := w.memory(t, func(c *memory.Config) { c.Settings.Autonomy, c.Settings.MaxSuggestionsPerUser = 1, 2 }), in("s1")
	write := func(content string) *suggest.WaitsError {
		t.Helper()
		_, err := m.Write(t.Context(), scope, memory.Change{Content: content})
		var waits *suggest.WaitsError
		if !errors.As(err, &waits) || !errors.Is(err, state.ErrDenied) {
			t.Fatal(err)
		}
		return waits
	}
	for i := range 2 {
		if waits := write(fmt.Sprintf("The seat is %dC", i)); len(waits.Suggestions) != 1 || waits.Refused != 0 {
			t.Fatalf("number %d: %v", i, waits)
		}
	}
	if waits := write("The gate is B7"); len(waits.Suggestions) != 0 || waits.Refused != 1 || !strings.Contains(waits.Error(), "2 suggestions wait already") {
		t.Errorf("one more: %v", waits)
	}
	got := w.turn(t, m, in("s2"), nil, "I live in Leeds. My phone is 603 555 666.")
	if notes := strings.Join(got.notes, "\n"); !strings.Contains(notes, "max_suggestions_per_user") {
		t.Errorf("the turn does not say so: %s", notes)
	}
	list := suggestions(t, m, false)
	if len(list) != 2 {
		t.Fatalf("%d wait", len(list))
	}
	if _, err := m.Suggestions().Answer(t.Context(), scope, list[0].ID, state.Answer{Choice: state.Reject}); err != nil {
		t.Fatal(err)
	}
	if waits := write("The gate is B7"); len(waits.Suggestions) != 1 {
		t.Errorf("there is room again: %v", waits)
	}
	w.pass(31 * 24 * time.Hour) // what is over takes no room
	if waits := write("The train is late"); len(waits.Suggestions) != 1 {
		t.Errorf("after a month: %v", waits)
	}
}

// meanwhileStore does something before its n-th write. Some writes come behind the call.
type meanwhileStore struct {
	store.Store
	do func()

	mu sync.Mutex
	n  int
}

// Write writes.
func (s *meanwhileStore) Write(ctx context.Context, docs ...store.Doc) error {
	s.mu.Lock()
	if s.n--; s.n == 0 {
		s.do()
	}
	s.mu.Unlock()
	return s.Store.Write(ctx, docs...)
}

// done reports whether it was done, once it is over.
func (s *meanwhileStore) done() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n <= 0
}

// Two processes answer one suggestion at once, the second at each write of the first: it is carried out once, as the first answer that was kept
// says, and whoever gave another one is told.
func TestTwoAnswerOneSuggestion(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for _, first := range []state.Choice{state.Approve, state.Reject, state.Edit} {
			for _, second := range []state.Choice{state.Approve, state.Reject} {
				t.Run(fmt.Sprint(name, " ", first, " ", second), func(t *testing.T) {
					t.Parallel()
					for n := 1; ; n++ {
						if !answerAtOnce(t, open(), first, second, n) {
							break
						}
					}
				})
			}
		}
	}
}

// answerAtOnce has a second process answer before the n-th write of the first, and reports whether that has so many.
func answerAtOnce(t *testing.T, w *world, first, second state.Choice, n int) bool {
	t.Helper()
	scope := in("s1")
	s := suggestTo(t, w.level(t, 1), memory.Origin{Scope: scope}, memory.Change{Subject: "seat", Content: "is kx11canary"})
	answer := func(m *memory.Memory, c state.Choice) (state.Suggestion, error) {
		a := state.Answer{Choice: c}
		if c == state.Edit {
			a.Value = `"is kx22canary"`
		}
		return m.Suggestions().Answer(t.Context(), scope, s.ID, a)
	}
	at := func(s store.Store) *memory.Memory {
		return w.memory(t, func(c *memory.Config) { c.Store, c.Settings.Autonomy = s, 1 })
	}
	other := at(w.store)
	var theirs error
	slow := &meanwhileStore{Store: w.store, n: n, do: func() { _, theirs = answer(other, second) }}
	_, ours := answer(at(slow), first)
	if !slow.done() {
		return false
	}
	now, err := w.level(t, 1).Suggestions().List(t.Context(), scope, true)
	if err != nil || len(now) != 1 || now[0].Status == state.Waiting {
		t.Fatalf("write %d: %+v, %v", n, now, err)
	}
	for _, e := range []struct {
		choice state.Choice
		err    error
	}{{first, ours}, {second, theirs}} {
		status := map[state.Choice]state.SuggestionStatus{state.Approve: state.Approved, state.Reject: state.Rejected, state.Edit: state.Edited}[e.choice]
		if stands := now[0].Status == status; stands != (e.err == nil) && !(e.err != nil && errors.Is(e.err, state.ErrConflict)) {
			t.Errorf("write %d: it is %s, and to %s was told %v", n, now[0].Status, e.choice, e.err)
		}
	}
	want := map[state.SuggestionStatus][]string{state.Approved: {"seat: is kx11canary"}, state.Edited: {"seat: is kx22canary"}}[now[0].Status]
	records, err := w.level(t, 2).Records(t.Context(), scope)
	var got []string
	for _, r := range records {
		got = append(got, r.Subject+": "+r.Content)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("write %d: it is %s, remembered %q, %v", n, now[0].Status, got, err)
	}
	return true
}

// What was approved of is undone as it was made, and can be approved of again.
func TestUndoOfAnApproval(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for _, a := range attempts() {
			if a.name == "share" || a.name == "withdraw" || a.turn || strings.HasPrefix(a.name, "undo") {
				continue // of another user's memory, or of a whole turn: those have tests of their own
			}
			t.Run(name+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				k := newKnown(t, open())
				m := k.level(t, 1)
				if err := a.do(t, k, m); state.CodeOf(err) != state.Denied {
					t.Fatal(err)
				}
				before, list := contents(t, k.world), suggestions(t, m, false)
				for range 2 { // the second time it is as the first
					if _, err := m.Suggestions().Answer(t.Context(), in("s1"), list[0].ID, state.Answer{Choice: state.Approve}); err != nil {
						t.Fatal(err)
					}
					if cmp.Equal(before, contents(t, k.world)) {
						t.Fatal("approved of, nothing changed")
					}
					must(t, k.level(t, 2).History().UndoChange(t.Context(), in("s1"), head(t, m)))
					if diff := cmp.Diff(before, contents(t, k.world)); diff != "" {
						t.Fatalf("undone (-before +after):\n%s", diff)
					}
				}
			})
		}
	}
}
