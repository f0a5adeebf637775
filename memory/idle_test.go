package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// session is a session as it is kept.
func session(t *testing.T, m *memory.Memory, id string) state.Session {
	t.Helper()
	s, err := m.Sessions().Get(t.Context(), in(id))
	must(t, err)
	return s
}

// A session that its user left ends with his next message in any other one, and its facts are known then. Nothing else
// of it changes: who comes back to it and goes on finds his affair and his preferences.
func TestAnIdleSessionEndsWithAMessageElsewhere(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin()
			m := w.memory(t, nil)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "From now on always send me invoices as PDF.")
			w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
			w.pass(29 * time.Minute)
			w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "Good morning")
			if got := summaries(t, m, in("s1")); len(got) > 0 {
				t.Fatalf("after 29 minutes: %+v", got)
			}
			w.pass(2 * time.Minute)
			w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "Are you there?")
			got := summaries(t, w.memory(t, nil), in("s1"))
			if len(got) != 1 || got[0].Session != "s1" || got[0].Agent != "main" || got[0].Span.Last != 4 || !got[0].Span.EndedAt.Equal(session(t, m, "s1").LastAt) {
				t.Fatalf("parts: %+v", got)
			}
			if known := lines(t, m); !holds(known, "PDF") {
				t.Errorf("the brain: %q", known)
			}
			if s := session(t, m, "s1"); !s.Ended() || s.Active == "" {
				t.Errorf("want it ended, with its affair as it was: %+v", s)
			}
			w.pass(time.Hour)
			back := w.turn(t, w.memory(t, nil), in("s1"), judges(state.Continue, "Car part", "", 0.9), "and the part is blue")
			if s := back.view.Session; back.decision.Kind != state.Continue || s.Active == "" || s.Part != 2 || len(back.view.Window) != 4 {
				t.Errorf("back: %+v, %+v, %d messages in the window", back.decision, s, len(back.view.Window))
			}
		})
	}
}

// How the user wants to be answered in a session stays when he leaves it for an hour, and goes when he begins something else there.
func TestPreferencesOfAnIdleSession(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	s := session(t, m, "s1")
	s.Preferences = map[string]string{state.PreferredTone: "formal"}
	must(t, checkpointtest.Append(t.Context(), w.store, m.Turn().Commits(), state.Effect{Scope: in("s1"), Session: &s}))
	w.pass(time.Hour)
	w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "Good morning")
	if s := session(t, m, "s1"); !s.Ended() || s.Preferences[state.PreferredTone] != "formal" {
		t.Fatalf("left: %+v", s)
	}
	w.turn(t, m, in("s1"), opens("Roof"), "Something else: the roof leaks")
	if s := session(t, m, "s1"); len(s.Preferences) > 0 || s.Part != 2 {
		t.Errorf("begun anew: %+v", s)
	}
	if a := named(t, m, in("s1"), "Car part"); a.Status != state.Parked {
		t.Errorf("what was active is parked then: %+v", a)
	}
}

// Of many sessions that were left a turn ends two, those left first; one in which a turn runs waits for its end, and so
// does one that was brought from elsewhere.
func TestATurnEndsAFewIdleSessions(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for i := range 5 {
		w.turn(t, m, in(fmt.Sprintf("s%d", i)), judges(state.Continue, "", "", 0.9), fmt.Sprintf("My locker has number 700%d", i))
		w.pass(time.Minute)
	}
	must(t, m.Turn().Ingest(t.Context(), in("brought"), state.Message{Role: state.RoleUser, Text: "I live in Olomouc", At: w.clock().Add(-time.Hour)}))
	s := w.begin(t.Context(), m, nil)
	if _, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "Hello", Turn: "t9"}); err != nil {
		t.Fatal(err)
	}
	must(t, s.commit())
	w.pass(time.Hour)
	var ended []string
	for range 4 {
		w.turn(t, m, in("now"), judges(state.Continue, "", "", 0.9), "Good morning")
		var list []string
		for _, r := range summaries(t, m, in("now")) {
			if r.Span.Level == 0 && r.Session != "now" {
				list = append(list, r.Session)
			}
		}
		ended = append(ended, strings.Join(list, " "))
	}
	if want := []string{"s0 s2", "s0 s2 s3 s4", "s0 s2 s3 s4", "s0 s2 s3 s4"}; !slices.Equal(ended, want) {
		t.Errorf("ended: %q, want %q", ended, want)
	}
}

// Close ends the idle sessions of the users it has in RAM; one that was used lately goes on in the next process.
func TestCloseEndsIdleSessions(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin()
			m := w.memory(t, nil)
			for _, id := range []string{"s1", "s2", "s3"} {
				w.turn(t, m, in(id), judges(state.Continue, "", "", 0.9), "From now on always send me invoices of "+id+" as PDF.")
			}
			w.pass(time.Hour)
			w.turn(t, m, in("s4"), judges(state.Continue, "", "", 0.9), "Good morning") // ends two
			must(t, m.Close())
			next := w.memory(t, nil)
			for _, id := range []string{"s1", "s2", "s3", "s4"} {
				if s := session(t, next, id); s.Ended() != (id != "s4") {
					t.Errorf("%s: %+v", id, s)
				}
			}
			if got := summaries(t, next, in("s1")); len(got) != 3 {
				t.Errorf("parts: %+v", got)
			}
		})
	}
}

// stuck is a small model that answers when its caller gives up.
type stuck struct{ *scripted.Small }

func (stuck) Generate(ctx context.Context, _ []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A model that takes its time keeps nobody from closing: the session is as it was, and is ended after the next start.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		m := w.memory(t, func(c *memory.Config) { c.Small = stuck{scripted.Background(nil, nil)} })
		w.turn(t, m, in("s1"), nil, "I am allergic to walnuts and I play the cello.")
		w.pass(time.Hour)
		began := time.Now()
		must(t, m.Close())
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("closing took %s", took)
		}
		next := w.memory(t, nil)
		if got := summaries(t, next, in("s1")); len(got) > 0 {
			t.Errorf("parts: %+v", got)
		}
		w.turn(t, next, in("s2"), judges(state.Continue, "", "", 0.9), "Good morning")
		if got := summaries(t, next, in("s1")); len(got) != 1 || got[0].Span.Waits {
			t.Errorf("parts: %+v", got)
		}
	})
}

// worded is a small model of one process: what it finds in a part is worded in its own way.
func worded(work, music string) *scripted.Small {
	fact := func(label, text, subject, old string) map[string]any {
		return map[string]any{"category": label, "text": text, "subject": subject, "old": old, "importance": 8}
	}
	return scripted.Background(map[string]any{"extract": map[string]any{
		"facts":   []map[string]any{fact("CORE", work, "work", ""), fact("CORE", music, "music", "")},
		"summary": "The user told of work and music.",
	}}, nil)
}

// Processes that end the same session at once read it once: what one model made of it is kept, whichever that is, and not what another
// one did besides. Whoever comes later is late in every way there is.
func TestProcessesReadAPartOnce(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		for _, by := range []string{"a command", "a message elsewhere", "closing"} {
			t.Run(name+", by "+by, func(t *testing.T) {
				t.Parallel()
				w := begin()
				first := w.memory(t, nil)
				w.turn(t, first, in("s1"), judges(state.Continue, "", "", 0.9), "The bakery Baumann took me on as an electrician, and on Fridays the cello and a quartet wait for me.")
				w.pass(time.Hour)
				var all sync.WaitGroup
				gate := make(chan struct{})
				for i := range 6 {
					small := worded(fmt.Sprintf("electrician number %d at the bakery Baumann", i), fmt.Sprintf("cello number %d in a quartet on Fridays", i))
					m := w.memory(t, func(c *memory.Config) { c.Small = small })
					if _, err := m.Sessions().List(t.Context(), in("s1")); err != nil {
						t.Fatal(err)
					}
					all.Go(func() {
						<-gate
						var err error
						switch by {
						case "a command":
							_, err = m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{End: true})
						case "closing":
							err = m.Close()
						default:
							_, err = w.try(t.Context(), m, in(fmt.Sprintf("other%d", i)), nil, "Good morning")
						}
						if err != nil {
							t.Errorf("process %d: %v", i, err)
						}
					})
				}
				close(gate)
				all.Wait()
				known := lines(t, w.memory(t, nil))
				work := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return !strings.Contains(s, "electrician") })
				music := slices.DeleteFunc(slices.Clone(known), func(s string) bool { return !strings.Contains(s, "cello") })
				if len(work) != 1 || len(music) != 1 {
					t.Fatalf("known: %q", known)
				}
				if number := func(s string) string { _, n, _ := strings.Cut(s, "number "); return n[:1] }; number(work[0]) != number(music[0]) {
					t.Errorf("two processes wrote: %q", known)
				}
				if got := summaries(t, w.memory(t, nil), in("s1")); len(got) != 1 || got[0].Span.Waits {
					t.Errorf("parts: %+v", got)
				}
			})
		}
	}
}

// Who was left in the middle is not ended yet when the next session begins: its first turn knows what happened last all the same, once the
// session is idle, and not with another agent. It commits nothing for that.
func TestTheFirstTurnKnowsWhatWasLeft(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "The editor promised the corrections by Thursday.")
	w.pass(20 * time.Minute)
	if got := w.gathers(t, m, in("s2"), "Good morning"); got.ActiveContext != "" {
		t.Errorf("before it is idle: %q", got.ActiveContext)
	}
	w.pass(time.Hour)
	got := w.gathers(t, m, in("s3"), "Good morning")
	if !strings.Contains(got.ActiveContext, "corrections by Thursday") || !strings.HasPrefix(got.ActiveOf, "record summary.s1.") {
		t.Errorf("once it is: %q of %q", got.ActiveContext, got.ActiveOf)
	}
	if got := summaries(t, m, in("s1")); len(got) > 0 {
		t.Errorf("to wake up has ended it: %+v", got)
	}
	if got := w.gathers(t, m, in("s1"), "Good morning"); got.ActiveContext != "" {
		t.Errorf("in the session itself: %q", got.ActiveContext)
	}
	other := in("s4")
	other.Agent = "other"
	if got := w.gathers(t, m, other, "Good morning"); got.ActiveContext != "" {
		t.Errorf("with another agent: %q", got.ActiveContext)
	}
}
