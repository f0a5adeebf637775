package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// steps is a thread's history in short, oldest first: what ran and what was next.
func steps(t *testing.T, g *flow.Graph[trip, *trip], id string) (out []string) {
	t.Helper()
	h, err := g.History(t.Context(), thread(id), checkpoint.Which{})
	if err != nil {
		t.Fatalf("History: %v", err)
	}
	for _, c := range h {
		var nodes []string
		for _, p := range c.Parts {
			if p.Node != "" {
				nodes = append(nodes, p.Node)
			}
		}
		if !c.Done && len(c.Next) == 0 {
			t.Errorf("step %d is in the middle of a turn and nothing is next", c.Seq)
		}
		out = append([]string{strings.Join(nodes, " ") + " > " + strings.Join(c.Next, " ")}, out...)
	}
	return out
}

func invoke(t *testing.T, g *flow.Graph[trip, *trip], id string, turns ...string) {
	t.Helper()
	for _, turn := range turns {
		if _, err := g.Invoke(t.Context(), thread(id), turn, trip{Note: field.Of(turn)}); err != nil {
			t.Fatalf("turn %s: %v", turn, err)
		}
	}
}

func at(t *testing.T, g *flow.Graph[trip, *trip], id string, seq int64) seen {
	t.Helper()
	s, err := g.State(t.Context(), thread(id), seq)
	if err != nil {
		t.Fatalf("State at %d: %v", seq, err)
	}
	return view(s.State)
}

var same = statetest.Same

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s = %v, want %v", what, err, want)
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(*tally) *builder
		want  string // history, oldest first
		or    string // where two nodes run side by side
	}{
		{"a line", line, "n1 > n2, n2 > n3, n3 > n4, n4 > n5, n5 > n6, n6 > ", ""},
		{"a branch", fork, "a > right, right > z, z > ", ""},
		{"a branch that ends", early, "a > ", ""},
		{"a diamond", diamond, "a > b c, b > c, c > d, d > ", "a > b c, c > b, b > d, d > "},
		{"a split to the end", split, "a > b, b > end,  > ", "b > a, a > end,  > "},
		{"a loop", loop, "a > b, b > a, a > b, b > a, a > b, b > ", ""},
		{
			"volatile and riding nodes", func(*tally) *builder { return pipeline(func(string) error { return nil }) },
			"intake > load, compose act > act, act > act, act > act, act flush finish > ", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			g := compile(t, tt.build(&did), flow.Config[trip]{Log: newLog(ram.New())})
			for _, turn := range []string{"t1", "t1", "t2"} { // an id twice, too
				_, err := g.Invoke(t.Context(), thread(turn+fmt.Sprint(did.add("turns"))), turn, trip{})
				wantErr(t, "Invoke", err, nil)
			}
			for _, id := range []string{"t11", "t12", "t23"} {
				if got := strings.Join(steps(t, g, id), ", "); got != tt.want && got != tt.or {
					t.Errorf("history = %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// Between two volatile nodes and in a loop with one, what has passed is told by what is behind it.
func TestNextWithVolatileNodes(t *testing.T) {
	t.Parallel()
	var did tally
	load := func(name string) flow.Node[trip] {
		return flow.Node[trip]{Name: name, Volatile: true, Run: func(_ context.Context, s trip) (trip, error) { return s, nil }}
	}
	g := compile(t, chain(load("v"), mark(&did, "a"), load("w"), load("x"), mark(&did, "b"), mark(&did, "c")), flow.Config[trip]{Log: newLog(ram.New())})
	invoke(t, g, "line", "t1")
	same(t, "line", []string{"a > w", "b > c", "c > "}, steps(t, g, "line"))

	b := flow.NewBuilder[trip]("loop")
	b.AddNode(mark(&did, "a"))
	b.AddNode(load("v"))
	b.AddNode(mark(&did, "b"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "v"}, [2]string{"v", "b"})
	b.AddBranch("b", func(_ context.Context, s trip) (string, error) {
		if s.Trail.Len() < 4 {
			return "a", nil
		}
		return flow.End, nil
	}, "a", flow.End)
	g = compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
	invoke(t, g, "loop", "t1")
	same(t, "loop", []string{"a > v", "b > a", "a > v", "b > "}, steps(t, g, "loop"))
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	nodes := func(did *tally, fails int) *builder {
		return chain(mark(did, "a"), failing(did, "b", fails), mark(did, "c"))
	}
	patch := trip{Note: field.Of("set")}
	patch.Trail.Add("set")
	t.Run("a finished thread", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, nodes(&did, 0), flow.Config[trip]{Log: newLog(ram.New())})
		invoke(t, g, "x", "t1")
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t2", patch, ""), nil)
		same(t, "state", seen{[]string{"a", "b", "c", "set"}, 3, "set"}, at(t, g, "x", 0))
		invoke(t, g, "x", "t3")
		same(t, "state", seen{[]string{"a", "b", "c", "set", "a", "b", "c"}, 6, "t3"}, at(t, g, "x", 0))
	})
	t.Run("a thread that is new", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, nodes(&did, 0), flow.Config[trip]{Log: newLog(ram.New())})
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t1", patch, ""), nil)
		same(t, "state", seen{[]string{"set"}, 0, "set"}, at(t, g, "x", 0))
	})
	t.Run("a finished thread as a node", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, nodes(&did, 0), flow.Config[trip]{Log: newLog(ram.New())})
		invoke(t, g, "x", "t1")
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t2", patch, "b"), nil)
		same(t, "history", "a b > c", steps(t, g, "x")[3])
		_, err := g.Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "state", seen{[]string{"a", "b", "c", "set", "c"}, 4, "set"}, at(t, g, "x", 0))
	})
	t.Run("an unfinished turn as the node that failed", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, nodes(&did, 1), flow.Config[trip]{Log: newLog(ram.New())})
		_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
		wantErr(t, "Invoke", err, errBoom)
		wantErr(t, "Update without a node", g.Update(t.Context(), thread("x"), "t2", patch, ""), state.ErrConflict)
		wantErr(t, "Update as nobody", g.Update(t.Context(), thread("x"), "t2", patch, "nobody"), state.ErrNotFound)
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "", patch, "b"), nil)
		_, err = g.Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "state", seen{[]string{"a", "set", "c"}, 2, "set"}, at(t, g, "x", 0))
		same(t, "runs", map[string]int{"a": 1, "b": 1, "c": 1}, did.all())
	})
	t.Run("as a node with a branch", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, fork(&did), flow.Config[trip]{Log: newLog(ram.New())})
		one := trip{}
		one.Trail.Add("a")
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t1", one, "a"), nil)
		same(t, "history", []string{"a > right"}, steps(t, g, "x"))
		_, err := g.Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "state", seen{[]string{"a", "right", "z"}, 2, ""}, at(t, g, "x", 0))
	})
	t.Run("behind a diamond", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, diamond(&did), flow.Config[trip]{Log: newLog(ram.New())})
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t1", patch, "d"), nil)
		_, err := g.Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "runs", map[string]int{}, did.all())
	})
}

func TestFork(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a"), mark(&did, "b"), mark(&did, "c")), flow.Config[trip]{Log: newLog(ram.New())})
	invoke(t, g, "x", "t1", "t2")
	before := steps(t, g, "x")
	for seq, want := range []seen{{[]string{"a"}, 1, "t1"}, {[]string{"a", "b"}, 2, "t1"}, {[]string{"a", "b", "c"}, 3, "t1"}, {[]string{"a", "b", "c", "a"}, 4, "t2"}} {
		id := fmt.Sprint("y", seq+1)
		wantErr(t, "Fork", g.Fork(t.Context(), thread("x"), int64(seq+1), thread(id)), nil)
		same(t, "state of "+id, want, at(t, g, id, 0))
		ran := did.all()
		_, err := g.Resume(t.Context(), thread(id), nil)
		if (seq+1)%3 == 0 {
			wantErr(t, "Resume", err, state.ErrNotFound)
			invoke(t, g, id, "t9")
			continue
		}
		wantErr(t, "Resume", err, nil)
		same(t, id+" gone on", (seq/3+1)*3, len(at(t, g, id, 0).Trail))
		same(t, "a ran again", ran["a"], did.all()["a"])
	}
	same(t, "original", before, steps(t, g, "x"))
	wantErr(t, "Fork to what is there", g.Fork(t.Context(), thread("x"), 1, thread("y1")), state.ErrConflict)
	wantErr(t, "Fork of nothing", g.Fork(t.Context(), thread("nobody"), 0, thread("z")), state.ErrNotFound)
	wantErr(t, "Fork of no step", g.Fork(t.Context(), thread("x"), 99, thread("z")), state.ErrNotFound)
}

func TestRewind(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a"), failing(&did, "b", 0), mark(&did, "c")), flow.Config[trip]{Log: newLog(ram.New()), SnapshotEvery: 3})
	invoke(t, g, "x", "t1", "t2", "t3")
	wantErr(t, "Rewind", g.Rewind(t.Context(), thread("x"), 3), nil)
	same(t, "state", seen{[]string{"a", "b", "c"}, 3, "t1"}, at(t, g, "x", 0))
	same(t, "what came later", seen{[]string{"a", "b", "c", "a", "b", "c", "a"}, 7, "t3"}, at(t, g, "x", 7))
	invoke(t, g, "x", "t4")
	same(t, "state", seen{[]string{"a", "b", "c", "a", "b", "c"}, 6, "t4"}, at(t, g, "x", 0))
	wantErr(t, "Rewind into a turn", g.Rewind(t.Context(), thread("x"), 11), nil)
	_, err := g.Invoke(t.Context(), thread("x"), "t5", trip{})
	wantErr(t, "Invoke", err, checkpoint.ErrUnfinished)
	ran := did.all()["a"]
	_, err = g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "state", seen{[]string{"a", "b", "c", "a", "b", "c"}, 6, "t4"}, at(t, g, "x", 0))
	same(t, "a ran again", ran, did.all()["a"])
}

func TestDiff(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a"), mark(&did, "b")), flow.Config[trip]{Log: newLog(ram.New())})
	invoke(t, g, "x", "t1")
	changes, err := g.Diff(t.Context(), thread("x"), 1, 0)
	wantErr(t, "Diff", err, nil)
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprint(c.Field, " ", c.Before, " ", c.After))
	}
	same(t, "changes", []string{`trail ["a"] ["a","b"]`, `sum {"$numberInt":"1"} {"$numberInt":"2"}`}, got)
	changes, err = g.Diff(t.Context(), thread("x"), 2, 0)
	if err != nil || len(changes) > 0 {
		t.Errorf("Diff with itself = %v, %v", changes, err)
	}
	_, err = g.Diff(t.Context(), thread("x"), 7, 0)
	wantErr(t, "Diff with no step", err, state.ErrNotFound)
}

// A turn in which a node has run that the graph does not have is refused, until Migrate says what became of it; also
// where a snapshot is made of such steps.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	s := ram.New()
	var did tally
	_, err := compile(t, chain(mark(&did, "old"), failing(&did, "b", 1)), flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, errBoom)
	renamed := chain(mark(&did, "new"), mark(&did, "b"))
	g := compile(t, renamed, flow.Config[trip]{Log: newLog(s)})
	_, err = g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, state.ErrConflict)
	if !strings.Contains(err.Error(), "node old") {
		t.Errorf("Resume = %v, want it to name the node", err)
	}
	g = compile(t, renamed, flow.Config[trip]{Log: newLog(s), SnapshotEvery: 1, Migrate: func(print string, s *checkpoint.Step) error {
		for i := range s.Parts {
			if s.Parts[i].Node == "old" {
				s.Parts[i].Node = "new"
			}
		}
		return nil
	}})
	same(t, "next", []string{"b"}, must(t, g).Next)
	_, err = g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "state", seen{[]string{"old", "b"}, 2, ""}, at(t, g, "x", 0))
	same(t, "runs", map[string]int{"old": 1, "b": 2}, did.all())
	invoke(t, g, "x", "t2", "t3")
	same(t, "state", seen{[]string{"old", "b", "new", "b", "new", "b"}, 6, "t3"}, at(t, g, "x", 0))
}

func must(t *testing.T, g *flow.Graph[trip, *trip]) flow.Snapshot[trip] {
	t.Helper()
	s, err := g.State(t.Context(), thread("x"), 0)
	wantErr(t, "State", err, nil)
	return s
}
