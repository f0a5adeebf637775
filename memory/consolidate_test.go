package memory_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// twos make an L1 of two parts and an L2 of two L1.
func twos(c *memory.Config) { c.Settings.L1AfterSessions, c.Settings.L2AfterL1 = 2, 2 }

// inOf counts in how many L1 or L2 each summary is, and lists those of a level that are in none.
func inOf(t *testing.T, m *memory.Memory, level int) (in map[string]int, open []string) {
	t.Helper()
	in = map[string]int{}
	all := summaries(t, m, state.Scope{Client: "c1", User: "u1"})
	for _, r := range all {
		for _, id := range r.Span.Of {
			in[id]++
		}
	}
	for _, r := range all {
		if r.Span.Level == level && in[r.ID] == 0 {
			open = append(open, r.ID)
		}
	}
	return in, open
}

// Processes that end sessions at once put no part into two L1, and lose none: what one of them had to leave out waits for the next end.
func TestProcessesConsolidateAtOnce(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin()
			const many, processes = 24, 6
			first := w.memory(t, twos)
			for i := range many {
				w.pass(time.Second)
				w.turn(t, first, in(fmt.Sprintf("s%02d", i)), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Locker %d is at the station", 7000+i))
			}
			var all sync.WaitGroup
			for p := range processes {
				m := w.memory(t, twos)
				all.Go(func() {
					for i := p; i < many; i += processes {
						if _, err := m.Sessions().Edit(t.Context(), in(fmt.Sprintf("s%02d", i)), sessions.Change{End: true}); err != nil {
							t.Errorf("process %d, session %d: %v", p, i, err)
						}
					}
				})
			}
			all.Wait()
			last := w.memory(t, twos)
			for i := range many { // each end takes up what the others had to leave out
				id := fmt.Sprintf("last%d", i)
				w.turn(t, last, in(id), judges(state.Continue, "", "", 0.9), "Good evening")
				edit(t, last, in(id), sessions.Change{End: true})
			}
			for level := range 2 {
				if _, open := inOf(t, last, level); len(open) > 1 {
					t.Errorf("level %d: in none are %q", level, open)
				}
			}
			within, _ := inOf(t, last, 0)
			for id, n := range within {
				if n != 1 {
					t.Errorf("%s is in %d", id, n)
				}
			}
		})
	}
}

// A summary that a process knows to wait, and that is gone when it looks, is in no L1; the others are not kept waiting by it.
func TestConsolidationWithoutASummary(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.L1AfterSessions = 3 })
	end := func(i int) {
		t.Helper()
		id := fmt.Sprintf("s%d", i)
		w.turn(t, m, in(id), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Locker %d is at the station", 7000+i))
		w.pass(time.Minute)
		edit(t, m, in(id), sessions.Change{End: true})
	}
	end(0)
	end(1)
	gone := summaries(t, m, in("s0"))[0].ID
	pinned := summaries(t, m, in("s0"))[0]
	pinned.Pinned = true
	must(t, checkpointtest.Append(t.Context(), w.store, w.memory(t, nil).Turn().Commits(), state.Effect{Scope: in("s0"), Record: &pinned}))
	if n, err := w.store.Delete(t.Context(), state.Records, in("s0").Key(gone)); err != nil || n != 1 {
		t.Fatalf("%d deleted, %v", n, err)
	}
	end(2)
	end(3)
	within, open := inOf(t, m, 0)
	if len(within) != 3 || within[gone] > 0 || len(open) > 0 {
		t.Errorf("in an L1: %v, in none: %q", within, open)
	}
}

// While the small model is away a turn asks it about one part at most, whatever waits; the trace says how many wait. When it answers again,
// each end of a part has three of them read, the oldest first.
func TestWaitingPartsAreReadInTurn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	away := scripted.Background(nil, []string{"extract"})
	m := w.memory(t, func(c *memory.Config) { c.Small = away })
	for i := range 6 {
		w.turn(t, m, in(fmt.Sprintf("s%d", i)), nil, fmt.Sprintf("The cello quartet number %d waits for me on Fridays", i))
		w.pass(time.Minute)
	}
	w.pass(time.Hour)
	var notes []string
	for i := range 3 {
		before := len(away.Asked())
		notes = w.turn(t, m, in("now"), nil, "Good morning").notes
		asked := away.Asked()[before:]
		if n := strings.Count(strings.Join(asked, " "), "extract"); n != 1 {
			t.Errorf("turn %d asked about %d parts", i, n)
		}
	}
	if !strings.Contains(strings.Join(notes, "\n"), "6 parts of sessions wait") {
		t.Errorf("notes: %q", notes)
	}
	works := scripted.Background(map[string]any{"extract": map[string]any{"facts": []any{}, "summary": "A quartet."}}, nil)
	m = w.memory(t, func(c *memory.Config) { c.Small = works })
	for _, want := range []int{3, 0} {
		w.turn(t, m, in("now"), nil, "Good evening")
		edit(t, m, in("now"), sessions.Change{End: true})
		waits := 0
		for _, r := range summaries(t, w.memory(t, nil), in("now")) {
			if r.Span.Waits {
				waits++
			}
		}
		if waits != want {
			t.Errorf("%d wait, want %d", waits, want)
		}
	}
}
