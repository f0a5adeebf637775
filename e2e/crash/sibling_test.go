package crash_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// trail is the state of the graph with siblings: who has been.
type trail struct{ Been field.Append[string] }

func (t *trail) Fields() []field.Named { return []field.Named{{Name: "been", Field: &t.Been}} }

// siblings lives one life of a turn of a graph in which b and a run side by side and c after both. B, the first in the
// graph's order, waits for a's commit, and does its work at the place "inside b".
func (j job) siblings(ctx context.Context, w *crash.Walk, s store.Store) (string, error) {
	done := make(chan struct{})
	saw := w.Saw
	w.Saw = func(place string) {
		saw(place)
		if place == "after a" {
			close(done)
		}
	}
	b := flow.NewBuilder[trail]("siblings")
	work := func(name string, do func(context.Context) error) {
		b.AddNode(flow.Node[trail]{Name: name, Run: func(ctx context.Context, t trail) (trail, error) {
			if err := errors.Join(note(j.Notes, "runs", name), do(ctx)); err != nil {
				return t, err
			}
			t.Been.Add(name)
			return t, nil
		}})
	}
	work("b", func(ctx context.Context) error {
		select {
		case <-done:
		case <-ctx.Done():
		}
		w.Pass("inside b")
		return ctx.Err()
	})
	work("a", func(context.Context) error { return nil })
	work("c", func(context.Context) error { return nil })
	for _, e := range [][2]string{{flow.Start, "a"}, {flow.Start, "b"}, {"a", "c"}, {"b", "c"}, {"c", flow.End}} {
		b.AddEdge(e[0], e[1])
	}
	log := checkpoint.New(checkpoint.Config{Store: w.Store(s), Now: j.clock(s), NewID: j.newID()})
	g, err := b.Compile(ctx, flow.Config[trail]{Log: log})
	if err != nil {
		return "", err
	}
	ctx, thread := w.Context(ctx), state.Thread{Client: "c", ID: "siblings"}
	end, err := g.Resume(ctx, thread, nil)
	if errors.Is(err, state.ErrNotFound) {
		end, err = g.Invoke(ctx, thread, "t1", trail{})
	}
	return strings.Join(end.Been.Items(), ""), err
}

// Of two nodes side by side, one has committed when the process is killed in the other: only the other runs again, and what
// it leaves stands where the graph's order has it.
func TestSiblingsAfterAKill(t *testing.T) {
	t.Parallel()
	cases := []struct {
		die  string
		runs map[string]int
	}{
		{"inside b", map[string]int{"a": 1, "b": 2, "c": 1}},
		{"before store/write#2", map[string]int{"a": 1, "b": 2, "c": 1}},
		{"after store/write#2", map[string]int{"a": 1, "b": 1, "c": 1}},
		{"after b", map[string]int{"a": 1, "b": 1, "c": 1}},
		{"before c", map[string]int{"a": 1, "b": 1, "c": 1}},
		{"after c", map[string]int{"a": 1, "b": 1, "c": 2}}, // the last node is committed with the end of the turn
	}
	for _, d := range drivers() {
		for _, c := range cases {
			t.Run(d.name+", "+c.die, func(t *testing.T) {
				t.Parallel()
				j := job{Do: "siblings", Driver: d.name, At: d.fresh(t), Notes: t.TempDir(), Life: 1, Die: c.die}
				if _, killed := j.run(t); !killed {
					t.Fatal("the child lived on")
				}
				j.Life, j.Die = 2, ""
				a, killed := j.run(t)
				if killed || a.Reply != "bac" {
					t.Errorf("the second life ends with %q (killed: %v), want bac", a.Reply, killed)
				}
				same(t, "runs", c.runs, counted(lines(t, j.Notes, "runs")))
			})
		}
	}
}
