package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// gathers is what a prompt for a message of the scope is made of.
func (w *world) gathers(t *testing.T, m *memory.Memory, scope state.Scope, text string) compose.Input {
	t.Helper()
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, scope, state.Message{Text: text})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	view, err := m.Turn().Load(s.ctx, state.Input{Scope: scope, Seq: msg.Seq})
	must(t, err)
	view, d, _, err := decide(s.ctx, m, view, false)
	must(t, err)
	got, err := m.Turn().Gather(s.ctx, view, d, "")
	must(t, err)
	return got
}

// The brain holds the most important of what is known of the user, within its cap; the rest is the archive, which recall finds.
func TestBrainIsBounded(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for i := range 90 {
		c := memory.Change{Subject: fmt.Sprintf("shelf %d", i), Content: fmt.Sprintf("holds the %d red boxes of photographs and letters", i+100), About: state.AboutUser, Importance: 1 + i%8}
		if _, err := m.Write(t.Context(), in("s1"), c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Write(t.Context(), in("s1"), memory.Change{Subject: "allergy", Content: "peanuts", About: state.AboutUser, Importance: 2, Pinned: true}); err != nil {
		t.Fatal(err)
	}
	b, err := m.Brain(t.Context(), in("s2"))
	must(t, err)
	if b.Tokens > 500 || b.Tokens < 400 || len(b.User)+len(b.Archive) != 91 {
		t.Errorf("%d tokens, %d lines, %d in the archive", b.Tokens, len(b.User), len(b.Archive))
	}
	if b.User[0].Subject != "allergy" || b.User[1].Importance != 8 {
		t.Errorf("first lines: %+v", b.User[:2])
	}
	away := b.Archive[len(b.Archive)-1]
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s2"), Text: away.Subject + " red boxes"})
	if err != nil || len(hits) == 0 || hits[0].ID != away.ID {
		t.Errorf("recall of the archive: %+v, %v", hits, err)
	}
}

// Forty changes of mind: the brain holds the newest value of each thing, as_of finds each older one.
func TestBrainFollowsChangesOfMind(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	type said struct {
		text string
		at   time.Time
	}
	places := []string{"Brno", "Praha", "Ostrava", "Plzeň", "Liberec", "Olomouc", "Zlín", "Opava"}
	var all []said
	for i := range 40 {
		w.pass(time.Hour)
		place := fmt.Sprintf("%s-%d", places[i%len(places)], i)
		c := memory.Change{Subject: "home", Content: "lives in " + place, About: state.AboutUser}
		if i%2 == 1 {
			c = memory.Change{Subject: "employer", Content: "works at Firma-" + place, About: state.AboutUser}
		}
		if _, err := m.Write(t.Context(), in("s1"), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, said{c.Content, w.clock()})
		b, err := m.Brain(t.Context(), in("s1"))
		if err != nil || len(b.User) > 2 || !contains(b.User, c.Content) {
			t.Fatalf("after %q the brain holds %+v, %v", c.Content, b.User, err)
		}
	}
	for _, s := range all {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: s.text, AsOf: s.at.Add(time.Minute)})
		if err != nil || len(hits) == 0 || hits[0].Record == nil || hits[0].Record.Content != s.text {
			t.Errorf("as of %s: %+v, %v; want %q", s.at, hits, err, s.text)
		}
	}
}

func contains(list []state.Record, content string) bool {
	for _, r := range list {
		if r.Content == content {
			return true
		}
	}
	return false
}

// An agent's next session begins with what its last one came to; another agent's does not.
func TestActiveContext(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	first := state.Scope{User: "anna", Agent: "jaskier", Session: "s1"}
	w.turn(t, m, first, opens("Roof"), "The roof over the kitchen leaks since Monday")
	w.turn(t, m, first, judges(state.Continue, "", "", 0.9), "The roofer comes on Friday at nine")
	edit(t, m, first, sessions.Change{End: true})
	next := state.Scope{User: "anna", Agent: "jaskier", Session: "s2"}
	got := w.gathers(t, w.memory(t, nil), next, "Good morning")
	if !strings.Contains(got.ActiveContext, "Roof (parked)") || !strings.HasPrefix(got.ActiveOf, "record summary.s1.") {
		t.Errorf("active context %q of %q", got.ActiveContext, got.ActiveOf)
	}
	next.Agent, next.Session = "dexter", "s3"
	if got := w.gathers(t, m, next, "Good morning"); got.ActiveContext != "" {
		t.Errorf("another agent's: %q", got.ActiveContext)
	}
}

// Of every three sessions an L1 is made, of every two L1 an L2; no session is in two, and all of it can be recalled.
func TestConsolidation(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	m := w.memory(t, func(c *memory.Config) { c.Settings.L1AfterSessions, c.Settings.L2AfterL1 = 3, 2 })
	for i := range 13 {
		scope := in(fmt.Sprintf("s%d", i))
		w.turn(t, m, scope, judges(state.Continue, "", "", 0.9), fmt.Sprintf("My locker number %d is at the station of Olomouc", 7000+i))
		w.pass(time.Hour)
		edit(t, m, scope, sessions.Change{End: true})
	}
	levels, of := map[int]int{}, map[string]int{}
	for _, r := range summaries(t, w.memory(t, nil), in("s1")) {
		levels[r.Span.Level]++
		for _, id := range r.Span.Of {
			of[id]++
		}
		if r.Span.Level > 0 && (m.Tokens(r.Content) > 310 || !r.Pinned) {
			t.Errorf("L%d: %d tokens, pinned %t", r.Span.Level, m.Tokens(r.Content), r.Pinned)
		}
	}
	if levels[0] != 13 || levels[1] != 4 || levels[2] != 2 || len(of) != 12+4 {
		t.Errorf("levels %v, %d in one", levels, len(of))
	}
	for id, n := range of {
		if n != 1 {
			t.Errorf("%s is in %d", id, n)
		}
	}
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("x"), Text: "locker station Olomouc", Kinds: []state.RecordKind{state.SummaryRecord}, Limit: 30})
	found := map[int]bool{}
	for _, h := range hits {
		found[h.Record.Span.Level] = true
	}
	if err != nil || !found[1] || !found[2] {
		t.Errorf("recalled levels %v, %v", found, err)
	}
}

// What was cleared stands in no L1 that is made later.
func TestNoL1OfWhatWasCleared(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	m := w.memory(t, func(c *memory.Config) { c.Settings.L1AfterSessions = 2 })
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "My diary lies behind the boiler in Olomouc")
	edit(t, m, in("s1"), sessions.Change{End: true})
	edit(t, m, in("s1"), sessions.Change{Clear: true})
	w.pass(time.Hour)
	w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "My bicycle stands in the cellar")
	edit(t, m, in("s2"), sessions.Change{End: true})
	for _, r := range summaries(t, m, in("s1")) {
		if r.Span.Level == 1 && (strings.Contains(r.Content, "diary") || !strings.Contains(r.Content, "bicycle")) {
			t.Errorf("L1: %q", r.Content)
		}
	}
	if got := summaries(t, m, in("s1")); len(got) != 3 {
		t.Errorf("want two parts and their L1, got %+v", got)
	}
}

// What is cleared leaves the L1 and the L2 that were made of it.
func TestAClearTakesItsTextOutOfL1AndL2(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	m := w.memory(t, func(c *memory.Config) { c.Settings.L1AfterSessions, c.Settings.L2AfterL1 = 2, 2 })
	for i, text := range []string{"My diary lies behind the boiler", "My bicycle stands in the cellar", "My skis hang in the attic", "My tent is at the cottage"} {
		w.turn(t, m, in(fmt.Sprintf("s%d", i)), judges(state.Continue, "", "", 0.9), text)
		edit(t, m, in(fmt.Sprintf("s%d", i)), sessions.Change{End: true})
		w.pass(time.Hour)
	}
	says := func(word string) (levels []int) {
		for _, r := range summaries(t, m, in("s1")) {
			if r.Span.Level > 0 && strings.Contains(r.Content, word) {
				levels = append(levels, r.Span.Level)
			}
		}
		return levels
	}
	if got := says("diary"); len(got) != 2 {
		t.Fatalf("before the clear the diary is in levels %v, want an L1 and an L2", got)
	}
	edit(t, m, in("s0"), sessions.Change{Clear: true})
	if got, kept := says("diary"), says("bicycle"); len(got) != 0 || len(kept) != 2 {
		t.Errorf("after the clear the diary is in levels %v, the bicycle in %v; want none and two", got, kept)
	}
}

// A task stands in a prompt once it is due, and is no line of the brain.
func TestATaskIsShownOnceItIsDue(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	if _, err := m.Write(t.Context(), in("s1"), memory.Task("pay the rent", "", w.clock().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if got := w.gathers(t, m, in("s1"), "Good morning"); len(got.User) != 0 || len(got.Brain.Current) != 0 {
		t.Errorf("before it is due: %+v, %+v", got.User, got.Brain)
	}
	w.pass(2 * time.Hour)
	if got := w.gathers(t, m, in("s2"), "Good evening"); len(got.User) != 1 || !strings.Contains(got.User[0].Text, "rent") {
		t.Errorf("when it is due: %+v", got.User)
	}
	if b, err := m.Brain(t.Context(), in("s2")); err != nil || len(b.Current)+len(b.Archive) != 0 {
		t.Errorf("the brain: %+v, %v", b, err)
	}
}
