package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// What is in memory is found by the next call, and the later value takes the place of the earlier, whatever the clocks of
// those who wrote and of those who read say.
func TestClocksDoNotHideOrDouble(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for _, skew := range []time.Duration{-time.Hour, time.Hour, -year, year} {
		for name, open := range map[string]func() *world{"store": newWorld, "server": newServer} {
			t.Run(fmt.Sprintf("%s, %s", name, skew), func(t *testing.T) {
				t.Parallel()
				w := open()
				other := w.process(w.store)
				other.pass(skew)
				here, there := w.memory(t, nil), other.memory(t, nil)
				found := func(when, want string) {
					t.Helper()
					for _, m := range []*memory.Memory{here, there} {
						got := texts(t, m, memory.Query{Scope: in("s1"), Text: "where does Anna work", In: memory.InKB})
						if len(got) != 1 || !strings.Contains(got[0], want) {
							t.Errorf("%s: found %q, want %s alone", when, got, want)
						}
					}
				}
				works := func(m *memory.Memory, at string, want state.Outcome) {
					t.Helper()
					r := write(t, m, in("s1"), memory.Change{Subject: "Anna, workplace", Content: "Anna works at " + at})
					if r.Outcome != want {
						t.Errorf("%s: %s", at, r.Outcome)
					}
				}
				works(here, "Siemens", state.Stored)
				found("written here", "Siemens")
				works(there, "Siemens", state.Repeated)
				works(there, "Bosch", state.Replaced)
				found("replaced there", "Bosch")
				works(here, "Tatra", state.Replaced)
				found("replaced here", "Tatra")
				other.pass(-skew)
				found("the clock is right again", "Tatra")
			})
		}
	}
}

// A preference of a clock that is ahead is known to the next turn, and so is what was undone.
func TestPreferencesAndUndoBehindAClock(t *testing.T) {
	t.Parallel()
	w := newWorld()
	ahead := w.process(w.store)
	ahead.pass(time.Hour)
	here, there := w.memory(t, nil), ahead.memory(t, nil)
	write(t, there, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: "tone", Content: "plain"})
	if got := gathered(t, w, here); got != "plain" {
		t.Errorf("the preference is %q", got)
	}

	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s2"), Turn: "t1"})
	if _, err := there.Write(ctx, in("s2"), memory.Change{Content: "the gate is green"}); err != nil {
		t.Fatal(err)
	}
	must(t, there.History().UndoTurn(t.Context(), in("s2"), "t1"))
	if got := texts(t, here, memory.Query{Scope: in("s1"), Text: "green gate"}); len(got) != 0 {
		t.Errorf("what was taken back is found: %q", got)
	}
}

// gathered is the preference for tone that a turn starts from.
func gathered(t *testing.T, w *world, m *memory.Memory) string {
	t.Helper()
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "Hello", Turn: "t9"})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Turn: "t9", Seq: msg.Seq})
	must(t, err)
	got, err := m.Turn().Gather(s.ctx, v, state.Decision{Kind: state.Continue}, "")
	must(t, err)
	for _, k := range got.Preferences {
		if k.Label == "tone" {
			return k.Text
		}
	}
	return ""
}

// A date that the caller gives is meant: the record holds from then on. Looking back goes by when things were recorded.
func TestDatesThatAreGiven(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	began := w.clock()
	write(t, m, in("s1"), memory.Change{Subject: "gate", Content: "the gate is green", ValidFrom: began.Add(time.Hour)})
	q := memory.Query{Scope: in("s1"), Text: "which gate", In: memory.InKB}
	if got := texts(t, m, q); len(got) != 0 {
		t.Errorf("before its date: %q", got)
	}
	w.pass(2 * time.Hour)
	if got := texts(t, m, q); len(got) != 1 {
		t.Errorf("behind its date: %q", got)
	}
	write(t, m, in("s1"), memory.Change{Subject: "fence", Content: "the fence is white"})
	for _, c := range []struct {
		name string
		at   time.Time
		want int
	}{{"before it was recorded", began.Add(time.Hour), 0}, {"since", began.Add(2 * time.Hour), 1}} {
		q := memory.Query{Scope: in("s1"), Text: "which fence", In: memory.InKB, AsOf: c.at}
		got := 0
		for _, text := range texts(t, m, q) {
			got += strings.Count(text, "fence is white")
		}
		if got != c.want {
			t.Errorf("as of the moment %s: found %d times", c.name, got)
		}
	}
}
