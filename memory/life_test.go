package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// bothStores runs a test on a store that is Atomic and on one that is not.
func bothStores(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, world())
		})
	}
}

const day = 24 * time.Hour

// settled opens an affair of one message and resolves it.
func settled(t *testing.T, w *world, m *memory.Memory, title, text string) string {
	t.Helper()
	id := w.turn(t, m, in("s1"), opens(title), text).decision.AffairID
	if _, err := m.Affairs().Move(t.Context(), in("s1"), id, state.Resolved, ""); err != nil {
		t.Fatal(err)
	}
	return id
}

func status(t *testing.T, m *memory.Memory, id string) state.Status {
	t.Helper()
	return named(t, m, in("s1"), id).Status
}

func TestResolvingMakesTheLastSummary(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, w *world) {
		m := w.memory(t, nil)
		const text = "Novak Service repairs the washing machine on Friday, order WM-4471."
		called := named(t, m, in("s1"), settled(t, w, m, "Washing machine", text))
		w.turn(t, m, in("s1"), opens("Tax return"), "The tax return is due on 31 March, the accountant is Olga Dvorak.")
		said := w.turn(t, m, in("s1"), nil, "Olga Dvorak has filed the tax return, this is done.")
		spoken := named(t, m, in("s1"), said.decision.AffairID)
		for _, c := range []struct {
			a    state.Affair
			want string
		}{{called, "Novak Service"}, {spoken, "accountant is Olga Dvorak"}, {spoken, "has filed"}} {
			if c.a.Status != state.Resolved || !strings.Contains(c.a.Summary, c.want) || len(c.a.KeyFacts) == 0 {
				t.Errorf("%s is %s with summary %q and facts %v, want %q in it", c.a.Title, c.a.Status, c.a.Summary, c.a.KeyFacts, c.want)
			}
		}
	})
}

func TestResolvedAffairsAreArchived(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, w *world) {
		m := w.memory(t, nil)
		id := settled(t, w, m, "Washing machine", "Novak Service repairs the washing machine, order WM-4471.")
		for _, c := range []struct {
			what string
			pass time.Duration
			want state.Status
		}{
			{"at once", time.Minute, state.Resolved},
			{"the clock goes back", -90 * day, state.Resolved},
			{"after thirty days", 120*day - time.Minute, state.Resolved},
			{"and a minute", time.Minute, state.Archived},
		} {
			w.pass(c.pass)
			got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", .9), "Well then.")
			if s := status(t, m, id); s != c.want {
				t.Fatalf("%s: %s, want %s", c.what, s, c.want)
			}
			if c.want == state.Archived && !strings.Contains(strings.Join(got.notes, " "), "Washing machine") {
				t.Errorf("nothing is said of it: %q", got.notes)
			}
		}
	})
}

func TestArchivedAffairsAreReopenedWhenNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Back to the washing machine repair.", "Something else now: the washing machine repair."} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			bothStores(t, func(t *testing.T, w *world) {
				m := w.memory(t, nil)
				id := settled(t, w, m, "Washing machine repair", "Novak Service repairs the washing machine, order WM-4471.")
				if _, err := m.Affairs().Move(t.Context(), in("s1"), id, state.Archived, ""); err != nil {
					t.Fatal(err)
				}
				w.turn(t, m, in("s1"), opens("Tax return"), "The tax return is due on 31 March.")
				got := w.turn(t, w.memory(t, nil), in("s1"), nil, text)
				if a := got.view.Active(); a == nil || a.ID != id || got.decision.Kind != state.Switch || a.Summary == "" {
					t.Errorf("%s to %+v (%s)", got.decision.Kind, a, got.decision.Reasoning)
				}
			})
		})
	}
}

// TestTwoProcessesAtTheEndOfAnAffair has one process resolve or archive what another is about to go on with.
func TestTwoProcessesAtTheEndOfAnAffair(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, w *world) {
		m, other := w.memory(t, nil), w.memory(t, nil)
		id := w.turn(t, m, in("s1"), opens("Washing machine"), "Novak Service repairs the washing machine, order WM-4471.").decision.AffairID
		between := func(text string, d state.Decision, do func() error) state.Affair {
			t.Helper()
			s := w.begin(t.Context(), m, nil)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: text, Turn: w.newID()})
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
			if err == nil {
				err = do()
			}
			if err == nil {
				v, d, err = m.Turn().CarryOut(s.ctx, v, d)
			}
			if err == nil {
				_, err = m.Turn().Flush(s.ctx, v, d)
			}
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			return named(t, other, in("s1"), id)
		}
		resolve := func() error {
			_, err := other.Affairs().Move(t.Context(), in("s1"), id, state.Resolved, "")
			return err
		}
		archive := func() error {
			_, err := other.Affairs().Move(t.Context(), in("s1"), id, state.Archived, "")
			return err
		}

		a := between("The part costs 990 CZK.", state.Decision{Kind: state.Continue, AffairID: id}, resolve)
		if a.Status != state.Resolved || a.Messages != 3 {
			t.Errorf("resolved while it went on: %s with %d messages", a.Status, a.Messages)
		}
		if v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 4}); err != nil || v.Active() != nil {
			t.Errorf("the session points at %+v, %v", v.Active(), err)
		}
		a = between("Back to the washing machine.", state.Decision{Kind: state.Switch, AffairID: id}, archive)
		if a.Status != state.Active || a.Session != "s1" {
			t.Errorf("archived while it was named: %s in %q", a.Status, a.Session)
		}
	})
}
