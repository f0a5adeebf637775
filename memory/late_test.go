package memory_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// fact is a thing that a model extracts.
func fact(category, subject, text string) map[string]any {
	return map[string]any{"category": category, "subject": subject, "text": text, "importance": 8}
}

// reads answers the question about a part with facts, by the door for batches.
func reads(t *testing.T, m *memory.Memory, p sessions.WaitingPart, facts ...map[string]any) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"facts": facts, "summary": "The user told of himself."})
	must(t, err)
	answer(t, m, p, ask(t, m, p).Words, string(raw), sessions.TakenLearnt)
}

// recalledAt is whether a look back finds a record with a text.
func recalledAt(t *testing.T, m *memory.Memory, question, part string, at time.Time) bool {
	t.Helper()
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s9"), Text: question, AsOf: at, Limit: 10})
	must(t, err)
	return slices.ContainsFunc(hits, func(h memory.Hit) bool {
		return h.Record != nil && h.Record.Span == nil && strings.Contains(h.Text, part)
	})
}

// What a part says that is read days later takes the place of nothing that was said since: it is history at once, and a look back finds it.
func TestWhatBecomesKnownLateIsHistory(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]string{"as an update": "I work at Oxfam", "as another value": "My new employer is Oxfam"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := setup(t)
			m := w.memory(t, batched)
			first := told(t, w, m, "s1", "I work at Barclays, you know.")
			w.pass(24 * time.Hour)
			between := w.clock()
			w.pass(24 * time.Hour)
			write(t, m, in("s2"), memory.Change{Subject: "job", Content: newer, About: state.AboutUser, Trust: state.TrustUser})
			w.pass(24 * time.Hour)
			reads(t, m, first, fact("CORE", "job", "I work at Barclays"))
			got := lines(t, m)
			if !holds(got, "Oxfam") || holds(got, "Barclays") {
				t.Errorf("the brain: %q", got)
			}
			if !recalledAt(t, m, "Where do I work?", "Barclays", between) {
				t.Error("a look back at the day between does not find Barclays")
			}
			if recalledAt(t, m, "Where do I work?", "Barclays", w.clock()) {
				t.Error("a look at now finds Barclays")
			}
		})
	}
}

// Parts that are read late in the wrong order leave the value that was said last.
func TestPartsReadInTheWrongOrder(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]int{"the first first": {0, 1}, "the second first": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := setup(t)
			m := w.memory(t, batched)
			parts := []sessions.WaitingPart{told(t, w, m, "s1", "I work at Barclays.")}
			w.pass(24 * time.Hour)
			parts = append(parts, told(t, w, m, "s2", "I work at Oxfam."))
			w.pass(24 * time.Hour)
			for _, i := range order {
				w.pass(time.Hour)
				reads(t, m, parts[i], fact("CORE", "job", []string{"I work at Barclays", "I work at Oxfam"}[i]))
			}
			if got := lines(t, m); !holds(got, "Oxfam") || holds(got, "Barclays") {
				t.Errorf("the brain: %q", got)
			}
		})
	}
}

// An old wish to forget ends what was said before it, and nothing that was said later.
func TestAnOldWishToForget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, stays bool
	}{"said before": {true, false}, "said later": {false, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := setup(t)
			m := w.memory(t, batched)
			known := memory.Change{Subject: "hobby", Content: "plays the cello in a quartet", About: state.AboutUser, Trust: state.TrustUser}
			if c.before {
				write(t, m, in("s0"), known)
				w.pass(time.Hour)
			}
			first := told(t, w, m, "s1", "The cello does not count any more, strike it.")
			w.pass(24 * time.Hour)
			if !c.before {
				write(t, m, in("s2"), known)
			}
			w.pass(24 * time.Hour)
			reads(t, m, first, fact("DELETE", "", "plays the cello in a quartet"))
			if got := lines(t, m); holds(got, "cello") != c.stays {
				t.Errorf("the brain: %q", got)
			}
		})
	}
}

// Clocks that are a little wrong change nothing: what is read a moment later takes the place as before.
func TestClocksThatAreALittleWrong(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	m := w.memory(t, batched)
	first := told(t, w, m, "s1", "I work at Oxfam.")
	write(t, m, in("s2"), memory.Change{Subject: "job", Content: "I work at Barclays", About: state.AboutUser, Trust: state.TrustUser})
	reads(t, m, first, fact("CORE", "job", "I work at Oxfam"))
	if got := lines(t, m); !holds(got, "Oxfam") || holds(got, "Barclays") {
		t.Errorf("the brain: %q", got)
	}
}

// A chat that was imported takes the place of nothing that the user has said since.
func TestAnImportedChatIsHistory(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Subject: "job", Content: "I work at Oxfam", About: state.AboutUser, Trust: state.TrustUser})
	old := w.clock().Add(-90 * 24 * time.Hour)
	err := m.Turn().Ingest(t.Context(), in("brought"), state.Message{Role: state.RoleUser, Text: "I work at Barclays.", At: old},
		state.Message{Role: state.RoleUser, Text: "I'm allergic to peanuts.", At: old.Add(time.Minute)})
	must(t, err)
	edit(t, m, in("brought"), sessions.Change{End: true})
	if got := lines(t, m); !holds(got, "Oxfam") || holds(got, "Barclays") || !holds(got, "peanuts") {
		t.Errorf("the brain: %q", got)
	}
}
