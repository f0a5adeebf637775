package memory_test

import (
	"errors"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Whatever is undone, a session names the affair that is active in it, and no other is.
func TestUndoLeavesOneActive(t *testing.T) {
	t.Parallel()
	type act func(t *testing.T, w *world, m *memory.Memory)
	says := func(kind state.Kind, target, title string) act {
		return func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), judges(kind, target, title, .95), "About the "+target+title+", please.")
		}
	}
	move := func(title string, to state.Status) act {
		return func(t *testing.T, _ *world, m *memory.Memory) {
			if _, err := m.Affairs().Move(t.Context(), in("s1"), title, to, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	undoTurn := func(nth int) act {
		return func(t *testing.T, _ *world, m *memory.Memory) {
			said, err := m.Messages(t.Context(), in("s1"))
			if err == nil {
				err = m.History().UndoTurn(t.Context(), in("s1"), said[len(said)-nth].Turn)
			}
			must(t, err)
		}
	}
	undoLast := func(t *testing.T, _ *world, m *memory.Memory) {
		must(t, m.History().UndoChange(t.Context(), in("s1"), head(t, m)))
	}
	for name, c := range map[string]struct {
		acts   []act
		active string
	}{
		"a switch from nothing":      {[]act{says(state.NewAffair, "", "Garden"), move("Garden", state.Parked), says(state.Switch, "Garden", ""), undoTurn(1)}, ""},
		"a switch between two":       {[]act{says(state.NewAffair, "", "Garden"), says(state.NewAffair, "", "Roof"), says(state.Switch, "Garden", ""), undoTurn(1)}, "Roof"},
		"a first affair":             {[]act{says(state.NewAffair, "", "Garden"), undoTurn(1)}, ""},
		"a move":                     {[]act{says(state.NewAffair, "", "Roof"), says(state.NewAffair, "", "Garden"), move("Roof", state.Active), undoLast}, "Garden"},
		"a move away":                {[]act{says(state.NewAffair, "", "Garden"), move("Garden", state.Parked), undoLast}, "Garden"},
		"the undoing of a move away": {[]act{says(state.NewAffair, "", "Garden"), move("Garden", state.Parked), undoLast, undoLast}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, nil)
			for _, do := range c.acts {
				do(t, w, m)
			}
			session, err := m.Sessions().Get(t.Context(), in("s1"))
			must(t, err)
			all, err := m.Affairs().List(t.Context(), in("s1"), true)
			must(t, err)
			got := ""
			for _, a := range all {
				if a.Status == state.Active {
					got += a.Title
				}
				if (a.Status == state.Active) != (session.Active == a.ID) {
					t.Errorf("%s is %s, and the session names %q", a.Title, a.Status, session.Active)
				}
			}
			if got != c.active {
				t.Errorf("active is %q, want %q", got, c.active)
			}
		})
	}
}

// Two affairs are never active in one session: what would make it so is told what stands in the way.
func TestUndoBesideAnotherActive(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, scope := w.memory(t, nil), in("s1")
	w.turn(t, m, scope, opens("Garden"), "The garden needs water.")
	if _, err := m.Affairs().Move(t.Context(), scope, "Garden", state.Parked, ""); err != nil {
		t.Fatal(err)
	}
	parked := head(t, m)
	w.turn(t, m, scope, opens("Roof"), "The roof leaks.")
	if err := m.History().UndoChange(t.Context(), scope, parked); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Garden is active beside Roof: %v", err)
	}
	if a := named(t, m, scope, "Garden"); a.Status != state.Parked {
		t.Errorf("Garden is %s", a.Status)
	}
}
