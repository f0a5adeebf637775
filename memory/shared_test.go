package memory_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// gate is a store that runs something between one reading and the next writing, once.
type gate struct {
	store.Store
	mu      sync.Mutex
	between func()
}

func (g *gate) Write(ctx context.Context, docs ...store.Doc) error {
	g.mu.Lock()
	between := g.between
	g.between = nil
	g.mu.Unlock()
	if between != nil {
		between()
	}
	return g.Store.Write(ctx, docs...)
}

func (g *gate) set(between func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.between = between
}

// processes are two memories over one store, as two processes have them; gate belongs to the first.
func processes(t *testing.T) (w *world, here, there *memory.Memory, g *gate) {
	t.Helper()
	w = newWorld()
	there = w.memory(t, nil)
	g = &gate{Store: w.store}
	here = w.memory(t, func(c *memory.Config) { c.Store = g })
	return w, here, there, g
}

// pointers checks what must hold in every store: at most one affair active in a session, and the session points
// at it. It returns what is wrong.
func pointers(ctx context.Context, m *memory.Memory, sessions ...string) error {
	for _, id := range sessions {
		scope := in(id)
		s, err := m.Sessions().Get(ctx, scope)
		if err != nil {
			return err
		}
		all, err := m.Affairs().List(ctx, scope, true)
		if err != nil {
			return err
		}
		var active []string
		for _, a := range all {
			if a.Status == state.Active {
				active = append(active, a.ID)
			}
		}
		if len(active) > 1 || len(active) == 1 && s.Active != active[0] {
			return fmt.Errorf("session %s points at %q, active in it: %v of %v", id, s.Active, active, titles(all))
		}
	}
	return nil
}

func TestTwoProcessesWriteAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	memories := []*memory.Memory{w.memory(t, nil), w.memory(t, nil)}
	const each = 25
	var wg sync.WaitGroup
	errs := make([]error, len(memories)*2)
	for i := range errs {
		wg.Go(func() {
			for n := range each {
				_, err := memories[i%2].Write(t.Context(), in(fmt.Sprintf("s%d", i)), memory.Change{Content: fmt.Sprintf("writer%d said thing%d", i, n)})
				if err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("writer %d: %v", i, err)
		}
	}
	records, err := memories[0].Records(t.Context(), in("s1"))
	if err != nil || len(records) != each*len(errs) {
		t.Fatalf("want %d records, got %d, %v", each*len(errs), len(records), err)
	}
	for p, m := range memories {
		for i := range errs {
			want := fmt.Sprintf("writer%d said thing%d", i, each-1)
			if got := texts(t, m, memory.Query{Scope: in("s1"), Text: want}); len(got) == 0 || got[0] != want {
				t.Errorf("process %d does not find %q: %q", p, want, got)
			}
		}
	}
}

func TestProcessesSeeEachOthersWritesAtTheNextLoad(t *testing.T) {
	t.Parallel()
	w, here, there, _ := processes(t)
	w.turn(t, here, in("s1"), opens("Garden"), "about the garden")
	w.turn(t, there, in("s2"), opens("Boat"), "about the boat")
	w.turn(t, there, in("s1"), judges(state.Continue, "", "", 0.9), "The garden has number 07-14244-53150")
	if got := named(t, here, in("s1"), "Garden"); got.Messages != 4 || !strings.Contains(fmt.Sprint(got.KeyFacts), "07-14244-53150") {
		t.Errorf("here: %+v", got)
	}
	v, err := here.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 5})
	if err != nil || len(v.Window) != 4 || len(v.Affairs) != 2 {
		t.Errorf("here: window %d, affairs %v, %v", len(v.Window), titles(v.Affairs), err)
	}
	if got := texts(t, here, memory.Query{Scope: in("s3"), Text: "boat"}); len(got) == 0 {
		t.Error("here: the other's message is not found")
	}
}

func TestAConflictIsMerged(t *testing.T) {
	t.Parallel()
	w, here, there, g := processes(t)
	w.turn(t, there, in("s1"), opens("Garden"), "about the garden")
	a := named(t, here, in("s1"), "Garden")
	g.set(func() {
		write(t, there, in("s2"), memory.Change{Content: "fence number: 12-34567-89012", Affair: a.ID})
	})
	write(t, here, in("s1"), memory.Change{Content: "gate number: 98-76543-21098", Affair: a.ID})
	for name, m := range map[string]*memory.Memory{"here": here, "there": there} {
		facts := fmt.Sprint(named(t, m, in("s1"), "Garden").KeyFacts)
		if !strings.Contains(facts, "12-34567-89012") || !strings.Contains(facts, "98-76543-21098") {
			t.Errorf("%s: a key fact was lost: %s", name, facts)
		}
		if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "fence gate number", In: memory.InKB}); len(got) != 2 {
			t.Errorf("%s: want both records, got %q", name, got)
		}
	}
}

// Somebody moves an affair of a session in which a turn is running, or the other way round.
func TestMovesAndTurnsOfOneSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		between func(t *testing.T, m *memory.Memory)
		small   func() turnOf
	}{
		{"the other is resumed while a turn goes on", resumes("Car part"), continues},
		{"the other is resumed while a turn opens a third", resumes("Car part"), garden},
		{"the active one is resolved while a turn goes on", resolves("University"), continues},
		{"the active one is resolved while a turn opens a third", resolves("University"), garden},
		{"the session is cleared while a turn goes on", clears, continues},
		{"the session is cleared while a turn opens a third", clears, garden},
		{"the active one is resumed in another session", resumesIn("s2", "University"), continues},
	} {
		for commit := 1; commit <= 3; commit++ {
			t.Run(fmt.Sprintf("%s, before commit %d", c.name, commit), func(t *testing.T) {
				t.Parallel()
				w, here, there, g := processes(t)
				w.turn(t, there, in("s1"), opens("Car part"), "The part of the car")
				w.turn(t, there, in("s1"), opens("University"), "The university sent an email")
				n := 0
				var arm func()
				arm = func() {
					if n++; n == commit {
						c.between(t, there)
					} else {
						g.set(arm)
					}
				}
				g.set(arm)
				small := c.small()
				own := w.process(g)
				own.turn(t, here, in("s1"), small.small, small.text)
				if err := pointers(t.Context(), w.memory(t, nil), "s1", "s2"); err != nil {
					t.Error(err)
				}
				w.pass(time.Minute)
				before, err := there.Messages(t.Context(), in("s1"))
				must(t, err)
				w.turn(t, there, in("s1"), judges(state.Continue, "", "", 0.9), "and on")
				after, err := there.Messages(t.Context(), in("s1"))
				if err != nil || len(after) != len(before)+2 {
					t.Errorf("the session cannot go on: %d messages, then %d, %v", len(before), len(after), err)
				}
			})
		}
	}
}

// The same, seen from the move: a whole turn runs between its reading and its writing.
func TestATurnDuringAMove(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"continues", "garden"} {
		for _, to := range statuses() {
			t.Run(string(to)+" while a turn "+name, func(t *testing.T) {
				t.Parallel()
				w, here, there, g := processes(t)
				w.turn(t, there, in("s1"), opens("Car part"), "The part of the car")
				w.turn(t, there, in("s1"), opens("University"), "The university sent an email")
				g.set(func() {
					small := continues()
					if name == "garden" {
						small = garden()
					}
					w.turn(t, there, in("s1"), small.small, small.text)
				})
				target := "Car part"
				if to == state.Parked || to == state.Resolved {
					target = "University"
				}
				if _, err := here.Affairs().Move(t.Context(), in("s1"), target, to, ""); err != nil {
					t.Fatal(err)
				}
				if err := pointers(t.Context(), w.memory(t, nil), "s1"); err != nil {
					t.Error(err)
				}
				s, err := there.Sessions().Get(t.Context(), in("s1"))
				if err != nil || s.Messages != 6 {
					t.Errorf("the session forgot messages: %+v, %v", s, err)
				}
				w.turn(t, there, in("s1"), judges(state.Continue, "", "", 0.9), "and on")
			})
		}
	}
}

// turnOf is a message and who judges it.
type turnOf struct {
	small *scripted.Small
	text  string
}

func continues() turnOf {
	return turnOf{judges(state.Continue, "", "", 0.9), "The email has number 12-34567-89012"}
}
func garden() turnOf { return turnOf{opens("Garden"), "Now about the garden"} }

func resumes(title string) func(*testing.T, *memory.Memory) { return resumesIn("s1", title) }

func resumesIn(session, title string) func(*testing.T, *memory.Memory) {
	return func(t *testing.T, m *memory.Memory) {
		t.Helper()
		if session != "s1" {
			beginSession(t, m, in(session))
		}
		if _, err := m.Affairs().Move(t.Context(), in(session), title, state.Active, ""); err != nil {
			t.Error(err)
		}
	}
}

func resolves(title string) func(*testing.T, *memory.Memory) {
	return func(t *testing.T, m *memory.Memory) {
		t.Helper()
		if _, err := m.Affairs().Move(t.Context(), in("s1"), title, state.Resolved, ""); err != nil {
			t.Error(err)
		}
	}
}

func clears(t *testing.T, m *memory.Memory) {
	t.Helper()
	if _, err := m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{Clear: true}); err != nil {
		t.Error(err)
	}
}

// Another process writes to the user between two commits of a turn: the turn must still see what it did itself.
func TestATurnSeesItsOwnCommits(t *testing.T) {
	t.Parallel()
	for commit := 1; commit <= 3; commit++ {
		t.Run(fmt.Sprintf("a foreign write before commit %d", commit), func(t *testing.T) {
			t.Parallel()
			w, here, there, g := processes(t)
			w.turn(t, there, in("s1"), opens("Car part"), "The part of the car")
			w.turn(t, there, in("s1"), opens("University"), "The university sent an email")
			n := 0
			var arm func()
			arm = func() {
				if n++; n == commit {
					write(t, there, in("s2"), memory.Change{Content: "something else"})
				} else {
					g.set(arm)
				}
			}
			g.set(arm)
			own := w.process(g)
			got := own.turn(t, here, in("s1"), judges(state.Switch, "Car part", "", 0.9), "back to the car")
			if a := got.view.Active(); a == nil || a.Title != "Car part" {
				t.Errorf("the turn's view: want Car part active, got %v", titles(got.view.Affairs))
			}
			v, err := there.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 7})
			if err != nil || v.Active() == nil || v.Active().Title != "Car part" {
				t.Errorf("stored: want Car part active, got %v, %v", titles(v.Affairs), err)
			}
			if err := pointers(t.Context(), there, "s1"); err != nil {
				t.Error(err)
			}
		})
	}
}
