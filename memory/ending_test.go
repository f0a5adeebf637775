package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// lines are the texts of the brain, all parts.
func lines(t *testing.T, m *memory.Memory) (out []string) {
	t.Helper()
	b, err := m.Brain(t.Context(), in("next"))
	must(t, err)
	for _, r := range slices.Concat(b.User, b.Preferences, b.Decisions, b.Current) {
		out = append(out, string(r.Kind)+" "+r.Subject+": "+r.Content)
	}
	return out
}

func holds(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(part)) })
}

// Without a model the rules read a session that has ended: what the user says of himself, prefers and decides is in the brain of the
// next one, once, and nobody else's.
func TestSessionEndWritesTheBrain(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, text := range []string{
		"Good morning, it rains again.", "I am a teacher at a grammar school in Olomouc.", "I prefer short answers without lists.",
		"From now on always send me invoices as PDF.", "My brother is vegetarian.", "What is the capital of Peru?",
	} {
		w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), text)
	}
	edit(t, m, in("s1"), sessions.Change{End: true})
	got := lines(t, w.memory(t, nil))
	for _, want := range []string{"teacher", "short answers", "PDF"} {
		if !holds(got, want) {
			t.Errorf("the brain lacks %q: %q", want, got)
		}
	}
	if holds(got, "rain") || holds(got, "Peru") {
		t.Errorf("the brain holds small talk: %q", got)
	}
	edit(t, m, in("s1"), sessions.Change{Title: "again"})
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "I prefer short answers without lists.")
	edit(t, m, in("s1"), sessions.Change{End: true})
	if again := lines(t, m); len(again) != len(got) {
		t.Errorf("said again: %q, before %q", again, got)
	}
}

// A model that does not answer leaves the part waiting; the next part that ends has it read.
func TestExtractionIsTriedAgain(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	broken := scripted.Background(nil, []string{"extract"})
	m := w.memory(t, func(c *memory.Config) { c.Small = broken })
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "I am allergic to walnuts and I play the cello in a quartet.")
	w.pass(time.Minute)
	edit(t, m, in("s1"), sessions.Change{End: true})
	if got := summaries(t, m, in("s1")); len(got) != 1 || !got[0].Span.Waits || got[0].Span.Digest == "" {
		t.Fatalf("the part: %+v", got)
	}
	works := scripted.Background(map[string]any{"extract": map[string]any{
		"facts":   []map[string]any{{"category": "CORE", "subject": strings.Repeat("quartet ", 400), "text": "plays the cello in a quartet of friends"}, {"category": "CORE", "subject": "hobby", "text": "plays the cello in a quartet", "importance": 9}},
		"summary": "The user told of an allergy and of his quartet.",
	}}, nil)
	m = w.memory(t, func(c *memory.Config) { c.Small = works })
	w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "I play the cello in a quartet, did you know?")
	edit(t, m, in("s2"), sessions.Change{End: true})
	if got := lines(t, m); !holds(got, "hobby: plays the cello") {
		t.Errorf("the brain: %q", got)
	}
	for _, r := range summaries(t, m, in("s1")) {
		if r.Span.Waits || !strings.Contains(r.Span.Digest, "quartet") {
			t.Errorf("%s waits: %+v", r.ID, r.Span)
		}
	}
}

// What the user has had forgotten is not learnt again from the message that says it, when its session ends.
func TestWhatIsForgottenIsNotExtracted(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "I am allergic to walnuts.")
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "I prefer short answers without lists.")
	if got := lines(t, m); !holds(got, "walnuts") {
		t.Fatalf("this test proves nothing: nothing was heard of the allergy: %q", got)
	}
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "walnuts"}); err != nil {
		t.Fatal(err)
	}
	edit(t, m, in("s1"), sessions.Change{End: true})
	if got := lines(t, w.memory(t, nil)); holds(got, "walnuts") || !holds(got, "short answers") {
		t.Errorf("the brain: %q", got)
	}
}

// What is very important is pinned by nobody when its session ends, in any language: only a person pins.
func TestSessionEndPinsNothing(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Remember that the door code of the cottage is CANARY77.", "Zapamatuj si, že kód dveří na chatě je CANARY77.",
		"Zapamiętaj, że kod do drzwi w domku to CANARY77.", "Запомни, что код двери на даче CANARY77.",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), said)
			edit(t, m, in("s1"), sessions.Change{End: true})
			records, err := m.Records(t.Context(), in("s1"))
			must(t, err)
			n := 0
			for _, r := range records {
				if r.Span == nil && strings.Contains(r.Content, "CANARY77") {
					if n++; r.Pinned || !r.Shielded() {
						t.Errorf("%s: pinned %v, shielded %v", r.Content, r.Pinned, r.Shielded())
					}
				}
			}
			if n == 0 {
				t.Fatalf("this test proves nothing: %+v", records)
			}
			if _, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Clear: forget.ClearGlobal}); err != nil {
				t.Fatal(err)
			}
			if got := lines(t, m); holds(got, "CANARY77") {
				t.Errorf("the brain: %q", got)
			}
		})
	}
}

// Who takes an affair up in a session that had ended goes on with it there: it is open again, and ends as any other that nobody comes back to.
func TestAnAffairTakenUpOpensItsSession(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin()
			m := w.memory(t, nil)
			w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
			w.pass(time.Hour)
			edit(t, m, in("s1"), sessions.Change{End: true})
			is := func(when string, ended, active bool) {
				t.Helper()
				for who, m := range map[string]*memory.Memory{"the same process": m, "another": w.memory(t, nil)} {
					if s := session(t, m, "s1"); s.Ended() != ended || (s.Active != "") != active || s.Part != 2 {
						t.Errorf("%s, %s: ended %v, want %v: %+v", when, who, s.Ended(), ended, s)
					}
				}
			}
			move := func(to state.Status) {
				t.Helper()
				if _, err := m.Affairs().Move(t.Context(), in("s1"), "Car part", to, ""); err != nil {
					t.Fatal(err)
				}
			}

			// Also at the very moment of the end.
			is("ended", true, false)
			move(state.Active)
			is("taken up", false, true)
			move(state.Parked)
			is("set aside", true, false)
			w.pass(time.Hour)
			must(t, m.History().UndoChange(t.Context(), in("s1"), head(t, m)))
			is("taken back", false, true)

			// The next message parks it no more, whatever it says, within the time that a session has.
			w.pass(31 * time.Minute)
			w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "Good morning")
			is("left", true, true)
			move(state.Parked)
			w.pass(time.Hour)
			move(state.Active)
			w.pass(29 * time.Minute)
			got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "Good morning")
			if s := got.view.Session; s.Part != 2 || s.Active == "" || s.Ended() {
				t.Errorf("gone on with: %+v", s)
			}
			if parts := summaries(t, m, in("s1")); len(parts) != 2 {
				t.Errorf("%d parts are summed up, want the first, and the second that goes on: %+v", len(parts), parts)
			}
		})
	}
}
