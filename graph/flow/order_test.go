package flow_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// finishing makes three nodes side by side that commit in a given order, and leave a mark before and after they commit
// from inside. It tells when each may go on: when the log has the result of the one before.
func finishing(did *tally, s *ram.Store, order []string, back bool) *builder {
	log := newLog(s)
	var done []chan struct{}
	for range len(order) + 1 {
		done = append(done, make(chan struct{}))
	}
	close(done[0])
	b := flow.NewBuilder[trip]("side by side")
	for _, name := range []string{"start0", "x", "y", "z", "join"} {
		n := mark(did, name)
		run := n.Run
		for i, o := range order {
			if o != name {
				continue
			}
			n.Run = func(ctx context.Context, s trip) (trip, error) {
				<-done[i]
				s, err := run(ctx, s)
				if err == nil {
					s, err = flow.Commit(ctx, s)
				}
				s.Trail.Add(name + "2")
				close(done[i+1])
				return s, err
			}
		}
		if name == "join" {
			n.Run = func(ctx context.Context, s trip) (trip, error) {
				head, err := log.Head(ctx, thread("x"))
				if err != nil || head.Seq < 7 {
					did.add("join before all were durable")
				}
				return run(ctx, s)
			}
		}
		b.AddNode(n)
	}
	edges(b, [2]string{flow.Start, "start0"}, [2]string{"start0", "z"}, [2]string{"start0", "x"}, [2]string{"start0", "y"},
		[2]string{"x", "join"}, [2]string{"y", "join"}, [2]string{"z", "join"})
	if back {
		b.AddBranch("join", func(context.Context, trip) (string, error) { return flow.End, nil }, "start0", flow.End)
	} else {
		b.AddEdge("join", flow.End)
	}
	return b
}

// What nodes side by side append stands in the order in which they were added to the graph, whatever the order in which
// they end, also as the log tells it, step by step; and each is durable when it has ended.
func TestAppendInTheGraphsOrder(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		for _, order := range []string{"x y z", "x z y", "y x z", "y z x", "z x y", "z y x"} {
			var did tally
			s := ram.New()
			g := compile(t, finishing(&did, s, strings.Fields(order), back), flow.Config[trip]{Log: newLog(s)})
			end, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
			wantErr(t, order, err, nil)
			want := []string{"start0", "x", "x2", "y", "y2", "z", "z2", "join"}
			same(t, order, want, end.Trail.Items())
			same(t, order+" from the log", want, at(t, g, "x", 0).Trail)
			same(t, order+": durable", 0, did.all()["join before all were durable"])
			h, err := g.History(t.Context(), thread("x"), checkpoint.Which{})
			wantErr(t, "History", err, nil)
			for _, c := range h {
				items := at(t, g, "x", c.Seq).Trail
				next := 0
				for _, item := range items { // a part of the whole, in its order
					for next < len(want) && want[next] != item {
						next++
					}
				}
				if next == len(want) {
					t.Errorf("%s: step %d has %v", order, c.Seq, items)
				}
			}
		}
	}
}

// Of three nodes side by side the first in the graph's order fails at first: its items come first all the same, in a new
// process, and behind a snapshot, a prune and the deletion of a turn.
func TestAppendInTheGraphsOrderResumed(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		var did tally
		s := ram.New()
		graph := func() *flow.Graph[trip, *trip] {
			b := flow.NewBuilder[trip]("beside")
			b.AddNode(mark(&did, "a"))
			b.AddNode(failing(&did, "x", 1))
			for _, n := range []string{"y", "y2", "z"} {
				b.AddNode(mark(&did, n))
			}
			edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "x"}, [2]string{"a", "y"}, [2]string{"y", "y2"}, [2]string{"y2", "z"}, [2]string{"x", "z"})
			b.AddBranch("z", func(context.Context, trip) (string, error) { return flow.End, nil }, map[bool][]string{true: {"a", flow.End}, false: {flow.End}}[back]...)
			return compile(t, b, flow.Config[trip]{Log: newLog(s), SnapshotEvery: 8})
		}
		_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{})
		wantErr(t, "Invoke", err, errBoom)
		end, err := graph().Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		want := []string{"a", "x", "y", "y2", "z"}
		same(t, "trail", want, end.Trail.Items())
		invoke(t, graph(), "x", "t2", "t3")
		for range 2 {
			want = append(want, want[:5]...)
		}
		same(t, "three turns", want, at(t, graph(), "x", 0).Trail)
		_, err = graph().Prune(t.Context(), thread("x"), flow.Keep{Turns: 2})
		wantErr(t, "Prune", err, nil)
		same(t, "pruned", want, at(t, graph(), "x", 0).Trail)
		_, err = graph().DeleteTurns(t.Context(), thread("x"), "t2")
		wantErr(t, "DeleteTurns", err, nil)
		same(t, "without the second turn", want, at(t, graph(), "x", 0).Trail)
	}
}
