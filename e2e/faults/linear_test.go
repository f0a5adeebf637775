package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// register is the state of a graph that adds values to a list.
type register struct {
	Add  field.Last[string]
	List field.Append[string]
}

func (r *register) Fields() []field.Named {
	return []field.Named{{Name: "add", Field: &r.Add}, {Name: "list", Field: &r.List}}
}

type registerGraph = flow.Graph[register, *register]

// newRegister is a process that adds and reads.
func newRegister(t *testing.T, s store.Store, name string) *registerGraph {
	t.Helper()
	log := checkpoint.New(checkpoint.Config{Store: s, Now: storyTime, NewID: numbered(name), After: soon})
	t.Cleanup(func() { must(t, log.Close()) })
	b := flow.NewBuilder[register]("register")
	b.AddNode(flow.Node[register]{Name: "add", Run: func(_ context.Context, r register) (register, error) {
		r.List.Add(r.Add.Get())
		return r, nil
	}})
	b.AddEdge(flow.Start, "add")
	b.AddEdge("add", flow.End)
	g, err := b.Compile(t.Context(), flow.Config[register]{Log: log, SnapshotEvery: 16})
	must(t, err)
	return g
}

// operation is what a caller does: it adds a value, or reads with "".
type operation struct{ thread, add string }

// lists is a list for each thread: who adds or reads sees the whole list.
func lists() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			by := map[string][]porcupine.Operation{}
			for _, o := range history {
				by[o.Input.(operation).thread] = append(by[o.Input.(operation).thread], o)
			}
			var out [][]porcupine.Operation
			for _, part := range by {
				out = append(out, part)
			}
			return out
		},
		Init: func() any { return "" },
		Step: func(list, in, out any) (bool, any) {
			next := list.(string)
			if add := in.(operation).add; add != "" {
				next += add + " "
			}
			return out.(string) == next, next
		},
	}
}

// Thirty-two callers add and read on fifty threads at once: what each sees can be put into one order a thread. Who meets
// a busy thread is refused, and nothing of it is there.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		driver
		callers, operations, threads int
	}{
		{ramDriver(), 32, 500, 50},
		{folderDriver(), 32, 500, 50},
		{looseDriver(), 32, 150, 50},
		{mongoDriver(), 8, 30, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			over := c.fresh(t)
			graphs := []*registerGraph{newRegister(t, over, "here")}
			if c.more != nil {
				graphs = append(graphs, newRegister(t, c.more(t, over), "there"))
			}
			h := &history{begun: time.Now()}
			first := seed(t)
			var wg sync.WaitGroup
			for caller := range c.callers {
				wg.Go(func() {
					by := rand.New(rand.NewPCG(first, uint64(caller)))
					for n := range c.operations {
						o := operation{thread: fmt.Sprintf("t%d", by.IntN(c.threads))}
						if by.IntN(2) == 0 {
							o.add = fmt.Sprintf("%s-%d-%d", o.thread, caller, n)
						}
						h.do(t, graphs[caller%len(graphs)], caller, o)
					}
				})
			}
			wg.Wait()
			t.Logf("%d operations, %d refused, seed %d", len(h.operations), h.refused, first)
			if got := porcupine.CheckOperationsTimeout(lists(), h.operations, time.Minute); got != porcupine.Ok {
				t.Errorf("the history is %s", got)
			}
			h.alone(t, graphs[0], c.threads)
		})
	}
}

// history is what callers did and saw.
type history struct {
	begun time.Time

	mu         sync.Mutex
	operations []porcupine.Operation
	refused    int
}

// do does an operation and notes it. One that is refused has not happened.
func (h *history) do(t *testing.T, g *registerGraph, caller int, o operation) {
	t.Helper()
	thread := state.Thread{Client: "c", ID: o.thread}
	call := time.Since(h.begun)
	var end register
	var err error
	if o.add != "" {
		end, err = g.Invoke(t.Context(), thread, o.add, register{Add: field.Of(o.add)})
	} else {
		var s flow.Snapshot[register]
		s, err = g.State(t.Context(), thread, 0)
		if end = s.State; err == nil && s.Seq > 0 && !s.Done { // a turn is half done: the list is that of before
			err = state.ErrConflict
		}
	}
	done := time.Since(h.begun)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(err, state.ErrConflict):
		h.refused++
	case err != nil:
		t.Errorf("%+v: %v", o, err)
	default:
		out := ""
		for _, v := range end.List.Items() {
			out += v + " "
		}
		h.operations = append(h.operations, porcupine.Operation{ClientId: caller, Input: o, Call: call.Nanoseconds(), Output: out, Return: done.Nanoseconds()})
	}
}

// alone checks that each thread holds all that was added to it, once, and nothing else.
func (h *history) alone(t *testing.T, g *registerGraph, threads int) {
	t.Helper()
	added := map[string][]string{}
	for _, o := range h.operations {
		if in := o.Input.(operation); in.add != "" {
			added[in.thread] = append(added[in.thread], in.add)
		}
	}
	for i := range threads {
		id := fmt.Sprintf("t%d", i)
		s, err := g.State(t.Context(), state.Thread{Client: "c", ID: id}, 0)
		must(t, err)
		got := slices.Sorted(slices.Values(s.State.List.Items()))
		slices.Sort(added[id])
		if !slices.Equal(got, added[id]) {
			t.Errorf("thread %s holds %q, %q were added", id, got, added[id])
		}
		for _, v := range got {
			if !strings.HasPrefix(v, id+"-") {
				t.Errorf("thread %s holds %s of another", id, v)
			}
		}
	}
}
