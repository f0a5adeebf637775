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

// anyNode is a node of a random graph: what leads to it, how long its list is, whether it sets the note, commits from inside,
// goes to some of those behind it only, and goes back once.
type anyNode struct {
	Before []int
	Items  int // -1 = it has no list
	Notes  bool
	Part   bool
	Rides  bool
	Picks  int // 0 = edges lead on; else every node behind it whose number it divides
	Back   int // -1 = no way leads back; else where its first visit goes
}

const anyNodes = 12

// drawGraph draws a graph, and in one of three some loops.
func drawGraph(r *rapid.T) []anyNode {
	nodes, loops := make([]anyNode, anyNodes), rapid.IntRange(0, 2).Draw(r, "loops") == 0
	for i := range nodes {
		n := anyNode{
			Items: rapid.SampledFrom([]int{-1, -1, 0, 1, 3}).Draw(r, "items"), Notes: rapid.Bool().Draw(r, "notes"),
			Part: rapid.Bool().Draw(r, "part"), Rides: rapid.IntRange(0, 3).Draw(r, "rides") == 0, Picks: rapid.SampledFrom([]int{0, 0, 2, 3}).Draw(r, "picks"), Back: -1,
		}
		if loops && rapid.IntRange(0, 3).Draw(r, "loops here") == 0 {
			n.Back = rapid.IntRange(0, i).Draw(r, "back")
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
	b.AddNode(flow.Node[trip]{Name: "load", Volatile: true, Run: func(_ context.Context, s trip) (trip, error) {
		s.View.Set("loaded")
		return s, nil
	}})
	b.AddEdge(flow.Start, "load")
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
			at := flow.At(ctx)
			task := fmt.Sprintf("%s#%d.%d", name(i), at.Visit, at.Item)
			if s.View.Get() != "loaded" {
				return s, fmt.Errorf("%s begins before what is loaded in each attempt", task)
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
			switch {
			case n.Back >= 0 && at.Visit == 1:
				return flow.Goto(ctx, s, name(n.Back))
			case n.Picks > 0 && at.Item > 0: // each item elsewhere
				return flow.Goto(ctx, s, picked[at.Item%len(picked)])
			case n.Picks > 0:
				return flow.Goto(ctx, s, picked...)
			case n.Back >= 0:
				return flow.Goto(ctx, s, behind...)
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
		if n.Back >= 0 && n.Items != 0 {
			node.Goto = append([]string{name(n.Back)}, behind...)
		}
		b.AddNode(node)
		if i == 0 {
			b.AddEdge("load", name(i))
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
		for attempt := range 4 {
			if attempt > 0 { // a new process
				s.Set(nil)
			}
			log := newLog(s)
			var g *flow.Graph[trip, *trip]
			if g, err = buildAny(nodes, l.gate).Compile(t.Context(), flow.Config[trip]{Log: log, Parallel: 2, MaxSteps: 1000}); err != nil {
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

// dying is a process that dies at its n-th call, before or after that is done: none of those behind it is.
func dying(n int, kind storetest.Fault) storetest.Around {
	return storetest.Failing(func(c *storetest.Call) storetest.Fault {
		switch {
		case c.N < n:
			return storetest.None
		case c.N == n:
			return kind
		}
		return storetest.Refused
	})
}

// Any graph of twelve nodes, with lists, reducers, parts, loops and nodes that go where they want, ends in the same state, with the same
// effects, whatever the order in which its tasks run, and whichever call of the store fails, or is the last of its process,
// before or after it was done.
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
		stride := calm.Calls()/2 + 1 // with MNEME_LONG each call fails, in one graph before and in the next after it is done, else one or two
		if os.Getenv("MNEME_LONG") != "" {
			stride = 1
		}
		for n := 1 + int(seed%uint64(stride)); n <= calm.Calls(); n += stride {
			for i, around := range []func(int, storetest.Fault) storetest.Around{storetest.At, dying} {
				kind := []storetest.Fault{storetest.Refused, storetest.Lost}[(n+i+int(seed%2))%2]
				if stride == 1 || i == int(seed/2%2) {
					check(fmt.Sprintf("call %d %s, and all behind it: %v", n, kind, i == 1), storetest.Wrap(ram.New(), around(n, kind)), seed+uint64(n))
				}
			}
		}
	})
}
