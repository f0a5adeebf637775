package flow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// ways is a graph written down: "a > b c" is an edge to each, "a ? b c" a branch that goes to b the first so many times and
// to c then.
type ways struct {
	name  string
	lines []string
	loops int // how often branches go back
	want  string
}

// build makes the graph; the nodes are added in the order in which they come on the left.
func (w ways) build(node func(name string) flow.Node[trip]) *builder {
	b := flow.NewBuilder[trip](w.name)
	for _, line := range w.lines {
		part := strings.Fields(line)
		from, kind, to := part[0], part[1], part[2:]
		if from != flow.Start && !slices.ContainsFunc(w.lines[:slices.Index(w.lines, line)], func(l string) bool { return strings.HasPrefix(l, from+" ") }) {
			b.AddNode(node(from))
		}
		if kind == ">" {
			for _, t := range to {
				b.AddEdge(from, t)
			}
			continue
		}
		b.AddBranch(from, func(_ context.Context, s trip) (string, error) {
			visits := 0
			for _, been := range s.Trail.Items() {
				if been == from {
					visits++
				}
			}
			if visits <= w.loops {
				return to[0], nil
			}
			return to[1], nil
		}, to...)
	}
	return b
}

func fanIns() []ways {
	return []ways{
		{"arms of two lengths, and back to the start of both", []string{
			"start > a", "a > short long1", "short > join", "long1 > long2", "long2 > join", "join ? a end",
		}, 1, "a short long1 long2 join a short long1 long2 join"},
		{"without going back", []string{
			"start > a", "a > short long1", "short > join", "long1 > long2", "long2 > join", "join ? a end",
		}, 0, "a short long1 long2 join"},
		{"the loop's head is the fan-in", []string{
			"start > plan", "plan ? work end", "work > x y", "x > plan", "y > z", "z > plan",
		}, 2, "plan work x y z plan work x y z plan"},
		{"three arms, one of them a loop", []string{
			"start > a", "a > b c d", "b > join", "c ? c join", "d > e", "e > join", "join > end",
		}, 2, "a b c d c e c join"},
		{"an arm that goes elsewhere is not waited for", []string{
			"start > a", "a > b c", "b > join", "c ? side join", "side > end", "join ? a end",
		}, 0, "a b c join"},
		{"it goes to the side first", []string{
			"start > a", "a > b c", "b > join", "c ? side join", "side > end", "join ? a end",
		}, 1, "a b c side join a b c join"},
		{"without a cycle, the start leads to the fan-in too", []string{"start > a join", "a > b", "b > join", "join > end"}, 0, "a b join"},
		{"the start leads to the fan-in too", []string{"start > a join", "a > b", "b > join", "join ? a end"}, 1, "a b join a b join"},
		{"a tool loop", []string{"start > model", "model ? tool end", "tool > model"}, 2, "model tool model tool model"},
		{"the end waits for all", []string{
			"start > a b", "a > end", "b > c", "c ? b end",
		}, 1, "a b c b c"},
		{"two fan-ins in one loop", []string{
			"start > a", "a > x y z", "x > j1", "y > j1", "z > z2", "j1 > j2", "z2 > j2", "j2 ? a end",
		}, 1, "a x y z j1 z2 j2 a x y z j1 z2 j2"},
		{"a fan-in that leads to the head, and another arm too", []string{
			"start > head", "head > p q r", "p > join", "q > q2", "q2 > join", "r > head2", "head2 > last", "join > last", "last ? head end",
		}, 1, "head p q r q2 head2 join last head p q r q2 head2 join last"},
		{"a node that runs beside the loop that leads to it", []string{
			"start > gen", "gen > work", "gen ? gen end", "work > end",
		}, 2, "gen gen work gen work work"},
	}
}

// A node that several nodes lead to waits for all of them that are under way, in a graph with cycles too. Nothing is lost
// and nothing runs twice, wherever an attempt ends: the log says what was done, whichever process goes on.
func TestFanIn(t *testing.T) {
	t.Parallel()
	for _, w := range fanIns() {
		want := strings.Fields(w.want)
		for fails := range len(want) + 1 {
			var did tally
			s, runs := ram.New(), 0
			node := func(name string) flow.Node[trip] {
				n := mark(&did, name)
				run := n.Run
				n.Run = func(ctx context.Context, s trip) (trip, error) {
					if did.add("runs of all") == fails {
						return s, errBoom
					}
					return run(ctx, s)
				}
				return n
			}
			end, err := compile(t, w.build(node), flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t1", trip{})
			for ; errors.Is(err, errBoom) && runs < 2; runs++ {
				end, err = resumeInner(t.Context(), compile(t, w.build(node), flow.Config[trip]{Log: newLog(s)}), trip{})
			}
			wantErr(t, w.name, err, nil)
			same(t, w.name+": trail", want, end.Trail.Items())
			same(t, w.name+": from the log", want, at(t, compile(t, w.build(node), flow.Config[trip]{Log: newLog(s)}), "x", 0).Trail)
			for _, n := range want {
				count := 0
				for _, m := range want {
					if m == n {
						count++
					}
				}
				same(t, w.name+": runs of "+n, count, did.all()[n])
			}
		}
	}
}

// The same when arms ask: what does not wait for the answer is done meanwhile, and nothing is lost.
func TestFanInAsks(t *testing.T) {
	t.Parallel()
	for _, w := range fanIns() {
		for _, asker := range strings.Fields(w.want) {
			var did tally
			s := ram.New()
			node := func(name string) flow.Node[trip] {
				n := mark(&did, name)
				run := n.Run
				n.Run = func(ctx context.Context, s trip) (trip, error) {
					if name == asker {
						if _, err := state.AskPerson(ctx, state.Question{Text: "go on?"}); err != nil {
							return s, err
						}
					}
					return run(ctx, s)
				}
				return n
			}
			end, err := compile(t, w.build(node), flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t1", trip{})
			for range 10 {
				if err == nil {
					break
				}
				given := map[string]state.Answer{}
				for _, a := range waiting(t, err).Asked {
					given[a.ID] = state.Answer{Choice: state.Approve}
				}
				end, err = compile(t, w.build(node), flow.Config[trip]{Log: newLog(s)}).Answer(t.Context(), thread("x"), given)
			}
			wantErr(t, w.name, err, nil)
			same(t, w.name+": trail where "+asker+" asks", strings.Fields(w.want), end.Trail.Items())
		}
	}
}

// What is next in the middle of a turn is what really runs next.
func TestNextAtAFanIn(t *testing.T) {
	t.Parallel()
	var did tally
	w := fanIns()[0]
	g := compile(t, w.build(func(name string) flow.Node[trip] {
		if name == "long2" {
			return failing(&did, name, 1)
		}
		return mark(&did, name)
	}), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, errBoom)
	snap, err := g.State(t.Context(), thread("x"), 0)
	wantErr(t, "State", err, nil)
	same(t, "next", []string{"long2"}, snap.Next)
}
