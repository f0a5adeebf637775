package memory_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// manyAffairs opens n parked affairs, a minute apart, each with an order of its own.
func manyAffairs(t *testing.T, w *world, m *memory.Memory, n int) {
	t.Helper()
	for i := range n {
		w.turn(t, m, in("s1"), opens(fmt.Sprintf("Project %d of the garden", i)), fmt.Sprintf("Project number %d begins, order 77-%04d", i, i))
		w.pass(time.Minute)
	}
}

func TestHotAffairsAreBounded(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const hot, all = 5, 12
			w := world()
			m := w.memory(t, func(c *memory.Config) { c.Settings.HotAffairsMax = hot })
			manyAffairs(t, w, m, all)
			v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 1})
			if err != nil || len(v.Affairs) != all || v.Affairs[0].Title != fmt.Sprintf("Project %d of the garden", all-1) || v.Active() == nil {
				t.Errorf("a turn starts from %d affairs, the first %q: %v", len(v.Affairs), v.Affairs[0].Title, err)
			}
			if n := whole(v); n != hot-1 {
				t.Errorf("%d parked affairs are hot, want %d", n, hot-1)
			}
			list, err := m.Affairs().List(t.Context(), in("s1"), true)
			if err != nil || len(list) != all {
				t.Errorf("%d affairs are listed, want %d: %v", len(list), all, err)
			}
			cold, err := m.Affairs().Get(t.Context(), in("s1"), "project 0 of the garden")
			if err != nil || cold.Status != state.Parked {
				t.Fatalf("the coldest: %+v, %v", cold, err)
			}
			if _, err := m.Affairs().Move(t.Context(), in("s1"), cold.ID, state.Active, ""); err != nil {
				t.Fatal(err)
			}
			if v, err = m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 1}); err != nil || whole(v) != hot-1 || v.Active() == nil || v.Active().ID != cold.ID {
				t.Errorf("what was taken up again is not hot: %+v, %v", v.Active(), err)
			}
			write(t, m, in("s1"), memory.Change{Content: "a note to the coldest", Affair: list[all-1].ID})
			other := w.memory(t, func(c *memory.Config) { c.Settings.HotAffairsMax = hot })
			if list, err := other.Affairs().List(t.Context(), in("s2"), false); err != nil || len(list) != all {
				t.Errorf("another process lists %d: %v", len(list), err)
			}
		})
	}
}

// TestAHundredHotAffairs: a hundred affairs and a thousand recalls fit into the layers' bytes, and nothing has to go for them.
func TestAHundredHotAffairs(t *testing.T) {
	t.Parallel()
	const affairs, results = 100, 1000
	w := newWorld()
	m := w.memory(t, nil)
	manyAffairs(t, w, m, affairs)
	for i := range results {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: fmt.Sprintf("the order of project %d", i%affairs)})
		if err != nil || len(hits) == 0 {
			t.Fatalf("recall %d: %d hits, %v", i, len(hits), err)
		}
	}
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 1})
	if err != nil || whole(v) != affairs-1 {
		t.Errorf("%d parked affairs are hot, want %d: %v", whole(v), affairs-1, err)
	}
	for _, u := range m.Usage() {
		t.Logf("%s: %d KB of %d MB, %d things", u.Layer, u.Bytes>>10, u.Budget>>20, u.Things)
		if u.Bytes > u.Budget || u.Gone > 0 {
			t.Errorf("%s takes %d of %d bytes, and %d things had to go", u.Layer, u.Bytes, u.Budget, u.Gone)
		}
	}
}

// whole counts the parked affairs of a view that have their summary.
func whole(v state.View) int {
	return len(slices.DeleteFunc(v.Parked(), func(a *state.Affair) bool { return a.Summary == "" }))
}

func TestMindsGoAndComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.WarmBudgetMB, c.Settings.HotBudgetMB = 1, 1 })
	user := func(i int) state.Scope {
		s := in("s1")
		s.User = fmt.Sprintf("u%d", i)
		return s
	}
	const users, notes = 12, 60
	for i := range users {
		var changes []memory.Change
		for n := range notes {
			changes = append(changes, memory.Change{
				Kind: state.EventRecord, Subject: fmt.Sprintf("walk %d", n), Content: fmt.Sprintf("On walk number %d user %d saw bird%d and tree%d at place%d", n, i, n*7, n*11, n*13),
			})
		}
		if _, err := m.Write(t.Context(), user(i), changes...); err != nil {
			t.Fatal(err)
		}
		for _, u := range m.Usage() {
			if u.Things > 1 && u.Bytes > u.Budget {
				t.Errorf("%s takes %d bytes of %d with %d users", u.Layer, u.Bytes, u.Budget, u.Things)
			}
		}
	}
	warm := m.Usage()[2]
	if warm.Gone == 0 {
		t.Errorf("nobody had to go: %+v", warm)
	}
	for i := range users {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: user(i), Text: "what about tree77?", Limit: 1})
		if err != nil || len(hits) != 1 || hits[0].Record.Subject != "walk 7" {
			t.Errorf("user %d is not back: %+v, %v", i, hits, err)
		}
	}
}

func inUse() int64 {
	for range 4 { // pools and cleanups take several
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
