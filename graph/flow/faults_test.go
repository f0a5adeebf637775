package flow_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// outcome is what a turn leaves in the store, whatever happened on the way.
type outcome struct {
	State seen
	Paid  map[string]int
}

// storm runs the pipeline's turn over a failing store, each attempt in a new process, until it is through.
func storm(ctx context.Context, f *storetest.Faulty, calm bool, tries int) (outcome, error) {
	var did tally
	graph := pipeline(breaking(&did, ""))
	input := trip{Note: field.Of("hi")}
	for range tries {
		g, err := graph.Compile(ctx, flow.Config[trip]{Log: newLog(f)})
		if err != nil {
			return outcome{}, err
		}
		s, err := resumeInner(ctx, g, input)
		if err == nil {
			for name, n := range did.all() {
				if n > 1 && name != "load" && calm {
					return outcome{}, fmt.Errorf("%s ran %d times without a fault", name, n)
				}
			}
			return outcome{State: view(s), Paid: nil}, nil
		}
		if state.CodeOf(err) != state.Unavailable {
			return outcome{}, fmt.Errorf("attempt ended in a %s error: %w", state.CodeOf(err), err)
		}
	}
	return outcome{}, errors.New("never came through")
}

// Whichever store call fails, before or after it was done: a typed error or success, and going on ends in
// the same state with every effect applied once.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	calm := storetest.Wrap(ram.New(), nil)
	want, err := storm(t.Context(), calm, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	want.Paid = paid(t, calm.Store)
	for n := 1; n <= calm.Calls(); n++ {
		for _, kind := range []storetest.Fault{storetest.Refused, storetest.Lost} {
			t.Run(fmt.Sprintf("call %d %s", n, kind), func(t *testing.T) {
				t.Parallel()
				f := storetest.Wrap(ram.New(), storetest.At(n, kind))
				got, err := storm(t.Context(), f, false, 3)
				if err != nil {
					t.Fatal(err)
				}
				got.Paid = paid(t, f.Store)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// The same for any mixture of faults.
func TestStorm(t *testing.T) {
	t.Parallel()
	calm := storetest.Wrap(ram.New(), nil)
	want, err := storm(t.Context(), calm, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	want.Paid = paid(t, calm.Store)
	rapid.Check(t, func(r *rapid.T) {
		faults := map[int]storetest.Fault{}
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 60), 0, 12).Draw(r, "calls") {
			faults[n] = rapid.SampledFrom([]storetest.Fault{storetest.Refused, storetest.Lost}).Draw(r, "kind")
		}
		f := storetest.Wrap(ram.New(), storetest.Failing(func(c *storetest.Call) storetest.Fault { return faults[c.N] }))
		got, err := storm(t.Context(), f, len(faults) == 0, 20)
		if err != nil {
			r.Fatal(err)
		}
		got.Paid = paid(t, f.Store)
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// Goroutines on threads of one store: every turn that was acknowledged is there, once, and nowhere else.
func TestManyThreads(t *testing.T) {
	t.Parallel()
	const workers, threads, turns = 32, 50, 400
	s := ram.New()
	var did tally
	g := compile(t, diamond(&did), flow.Config[trip]{Log: newLog(s)})
	work := make(chan int)
	var mu sync.Mutex
	acknowledged := map[string]map[string]int{}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := range work {
				id := fmt.Sprintf("x%d", n%threads)
				if n%2 == 1 {
					id = fmt.Sprintf("x%d/sub", n%threads) // shares a beginning with another thread
				}
				mine := fmt.Sprintf("%s turn %d", id, n)
				input := trip{}
				input.Trail.Add(mine)
				for {
					_, err := g.Invoke(t.Context(), thread(id), turnID(n), input)
					if err == nil {
						break
					}
					if !errors.Is(err, state.ErrConflict) {
						t.Errorf("%s: %v", mine, err)
						break
					}
				}
				mu.Lock()
				if acknowledged[id] == nil {
					acknowledged[id] = map[string]int{}
				}
				acknowledged[id][mine]++
				mu.Unlock()
			}
		})
	}
	for n := range turns {
		work <- n
	}
	close(work)
	wg.Wait()
	for id, want := range acknowledged {
		got, err := g.State(t.Context(), thread(id), 0)
		if err != nil || !got.Done {
			t.Fatalf("%s: done %v, %v", id, got.Done, err)
		}
		have := map[string]int{}
		for _, item := range got.State.Trail.Items() {
			if len(item) > 1 {
				have[item]++
			}
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-acknowledged +stored):\n%s", id, diff)
		}
		if got.State.Sum.Get() != num(4*len(want)) {
			t.Errorf("%s: sum = %d, want 4 a turn", id, got.State.Sum.Get())
		}
	}
}

// What callers and nodes do with their values afterwards changes nothing that was stored.
func TestNoAliasing(t *testing.T) {
	t.Parallel()
	s := ram.New()
	g := compileBags(t, s)
	mine := []string{"one"}
	input := bag{Things: field.Of(mine)}
	input.All.Add(mine)
	got, err := g.Invoke(t.Context(), thread("x"), "t1", input)
	if err != nil {
		t.Fatal(err)
	}
	mine[0] = "changed by the caller"
	got.All.Items()[0] = nil
	got.All.Add([]string{"not in any turn"})
	stored, err := g.State(t.Context(), thread("x"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one"}, stored.State.Things.Get()); diff != "" {
		t.Errorf("things (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"one"}, {"node"}}, stored.State.All.Items()); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

// bag holds values that can be changed in place.
type bag struct {
	Things field.Last[[]string]
	All    field.Append[[]string]
}

func (b *bag) Fields() []field.Named {
	return []field.Named{{Name: "things", Field: &b.Things}, {Name: "all", Field: &b.All}}
}

func compileBags(t *testing.T, s store.Store) *flow.Graph[bag, *bag] {
	t.Helper()
	b := flow.NewBuilder[bag]("bags")
	b.AddNode(flow.Node[bag]{Name: "a", Run: func(ctx context.Context, s bag) (bag, error) {
		mine := []string{"node"}
		s.All.Add(mine)
		s, err := flow.Commit(ctx, s)
		mine[0] = "changed after the commit"
		return s, err
	}})
	b.AddEdge(flow.Start, "a")
	b.AddEdge("a", flow.End)
	g, err := b.Compile(t.Context(), flow.Config[bag]{Log: newLog(s)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
