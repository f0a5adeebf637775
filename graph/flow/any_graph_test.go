package flow_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// anyNode is a node of a random graph: what leads to it, how long its list is, whether it sets the note, commits from inside
// and goes to some of those behind it only.
type anyNode struct {
	Before []int
	Items  int // -1 = it has no list
	Notes  bool
	Part   bool
	Rides  bool
	Picks  int // 0 = edges lead on; else every node behind it whose number it divides
}

const anyNodes = 12

func drawGraph(r *rapid.T) []anyNode {
	nodes := make([]anyNode, anyNodes)
	for i := range nodes {
		n := anyNode{
			Items: rapid.SampledFrom([]int{-1, -1, 0, 1, 3}).Draw(r, "items"), Notes: rapid.Bool().Draw(r, "notes"),
			Part: rapid.Bool().Draw(r, "part"), Rides: rapid.IntRange(0, 3).Draw(r, "rides") == 0, Picks: rapid.SampledFrom([]int{0, 0, 2, 3}).Draw(r, "picks"),
		}
		if i > 0 {
			n.Before = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, min(i, 3), rapid.ID[int]).Draw(r, "before")
		}
		nodes[i] = n
	}
	return nodes
}

// buildAny makes the graph; every task passes the gate before it works.
func buildAny(nodes []anyNode, gate func(task string)) *builder {
	b := flow.NewBuilder[trip]("any")
	name := func(i int) string { return fmt.Sprintf("n%02d", i) }
	for i, n := range nodes {
		var behind, picked []string
		for j, m := range nodes {
			if slices.Contains(m.Before, i) {
				behind = append(behind, name(j))
				if n.Picks > 0 && j%n.Picks == 0 {
					picked = append(picked, name(j))
				}
			}
		}
		if len(behind) == 0 {
			behind = []string{flow.End}
		}
		if len(picked) == 0 {
			picked = behind[:1]
		}
		node := flow.Node[trip]{Name: name(i), Rides: n.Rides, Run: func(ctx context.Context, s trip) (trip, error) {
			task := name(i)
			if item := flow.At(ctx).Item; item > 0 {
				task = fmt.Sprintf("%s.%d", task, item)
			}
			gate(task)
			if n.Part && !slices.Contains(s.Trail.Items(), task+" begins") {
				s.Trail.Add(task + " begins")
				var err error
				if s, err = flow.Commit(ctx, s); err != nil {
					return s, err
				}
			}
			s.Trail.Add(task)
			s.Sum.Add(num(i + 1))
			pay(ctx, task)
			if n.Notes {
				s.Note.Set(task)
			}
			switch item := flow.At(ctx).Item; {
			case n.Picks > 0 && item > 0: // each item elsewhere
				return flow.Goto(ctx, s, picked[item%len(picked)])
			case n.Picks > 0:
				return flow.Goto(ctx, s, picked...)
			}
			return s, nil
		}}
		if n.Items >= 0 {
			node.Items = func(trip) int { return n.Items }
		}
		if n.Notes {
			node.Writes = []string{"trail", "sum", "note"}
		}
		if n.Picks > 0 && n.Items != 0 {
			node.Goto = behind
		}
		b.AddNode(node)
		if i == 0 {
			b.AddEdge(flow.Start, name(i))
		}
		if node.Goto == nil {
			for _, to := range behind {
				b.AddEdge(name(i), to)
			}
		}
	}
	return b
}

// interleaving lets one task after the other go, chosen by chance of those that are waiting.
type interleaving struct {
	chance *rand.Rand
	mu     sync.Mutex
	wait   map[string]chan struct{}
}

func (l *interleaving) gate(task string) {
	go_ := make(chan struct{})
	l.mu.Lock()
	l.wait[task] = go_
	l.mu.Unlock()
	<-go_
}

// release lets a task go when all that can be waiting are.
func (l *interleaving) release() {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for task := range l.wait {
		names = append(names, task)
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	task := names[l.chance.IntN(len(names))]
	close(l.wait[task])
	delete(l.wait, task)
}

// playAny plays a graph's turn over a store, each attempt in a new process, until it is through.
func playAny(t *testing.T, nodes []anyNode, s *storetest.Faulty, seed uint64) (end trip, err error) {
	synctest.Test(t, func(t *testing.T) {
		l := &interleaving{chance: rand.New(rand.NewPCG(seed, 1)), wait: map[string]chan struct{}{}}
		for range 4 {
			log := newLog(s)
			var g *flow.Graph[trip, *trip]
			if g, err = buildAny(nodes, l.gate).Compile(t.Context(), flow.Config[trip]{Log: log, Parallel: 2}); err != nil {
				return
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				end, err = g.Invoke(t.Context(), thread("x"), "t1", trip{})
			}()
			for open := true; open; {
				l.release()
				synctest.Wait()
				select {
				case <-done:
					open = false
				default:
				}
			}
			if e := log.Close(); e != nil && err == nil {
				err = e
			}
			if err == nil || state.CodeOf(err) != state.Unavailable {
				return
			}
		}
	})
	return end, err
}

// Any graph of twelve nodes, with lists, reducers, parts and nodes that go where they want, ends in the same state, with the same
// effects, whatever the order in which its tasks run, and whichever commit fails, before or after it was written.
func TestAnyGraph(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		nodes, seed := drawGraph(r), rapid.Uint64().Draw(r, "seed")
		calm := storetest.Wrap(ram.New(), nil)
		want, err := playAny(t, nodes, calm, seed)
		if err != nil {
			r.Fatal(err)
		}
		check := func(what string, s *storetest.Faulty, seed uint64) {
			got, err := playAny(t, nodes, s, seed)
			if err != nil {
				r.Fatalf("%s: %v", what, err)
			}
			if diff := cmp.Diff(view(want), view(got)); diff != "" {
				r.Fatalf("%s: state (-want +got):\n%s", what, diff)
			}
			if diff := cmp.Diff(paid(t, calm.Store), paid(t, s.Store)); diff != "" {
				r.Fatalf("%s: effects (-want +got):\n%s", what, diff)
			}
			head, err := newLog(s.Store).Head(t.Context(), thread("x"))
			if err != nil || !head.Done || head.Source == checkpoint.SourceCancel {
				r.Fatalf("%s: head %+v, %v", what, head, err)
			}
		}
		check("another order", storetest.Wrap(ram.New(), nil), seed+1)
		stride := calm.Calls()/2 + 1 // with MNEME_LONG each call fails, else one or two
		if os.Getenv("MNEME_LONG") != "" {
			stride = 1
		}
		for n := 1 + int(seed%uint64(stride)); n <= calm.Calls(); n += stride {
			kind := []storetest.Fault{storetest.Refused, storetest.Lost}[(uint64(n)+seed)%2]
			check(fmt.Sprintf("call %d %s", n, kind), storetest.Wrap(ram.New(), storetest.At(n, kind)), seed+uint64(n))
		}
	})
}
