package faults_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// fault says what happens at one store call.
type fault string

const (
	refused fault = "the call fails once"
	lost    fault = "the call is done but its answer is lost"
	half    fault = "every second document is written, then it fails" // where a write of several is no transaction
	gone    fault = "the call fails and all after it"
	silent  fault = "the call is done, its answer is lost, and all after it fail"
)

// faulty does something at its at-th call, counted over all verbs from when it was armed.
type faulty struct {
	store.Store
	mu     sync.Mutex
	calls  int
	at     int // 0 = none
	kind   fault
	strike func()        // called before the at-th call instead of a fault of its own
	limit  time.Duration // that each call may take; 0 = none of its own
}

func (f *faulty) arm(at int, kind fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.at, f.kind = 0, at, kind
}

// counted is how many calls there were since it was armed.
func (f *faulty) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *faulty) call(ctx context.Context, do func(ctx context.Context, whole bool) error) error {
	if f.limit > 0 {
		limited, cancel := context.WithTimeout(ctx, f.limit)
		defer cancel()
		ctx = limited
	}
	f.mu.Lock()
	f.calls++
	now, after, kind := f.at > 0 && f.calls == f.at, f.at > 0 && f.calls > f.at, f.kind
	f.mu.Unlock()
	if now && f.strike != nil {
		f.strike()
	}
	broken := state.Errorf(state.Unavailable, "store", "%s", kind)
	switch {
	case kind == "" || !now && !after:
		return do(ctx, true)
	case now && (kind == refused || kind == gone), after && (kind == gone || kind == silent):
		return broken
	}
	if err := do(ctx, kind != half || !now); err != nil || !now {
		return err
	}
	return broken
}

func (f *faulty) Get(ctx context.Context, c state.Collection, id string) (d store.Doc, err error) {
	err = f.call(ctx, func(ctx context.Context, _ bool) (err error) { d, err = f.Store.Get(ctx, c, id); return err })
	return d, err
}

func (f *faulty) Scan(ctx context.Context, q store.Query) (d []store.Doc, err error) {
	err = f.call(ctx, func(ctx context.Context, _ bool) (err error) { d, err = f.Store.Scan(ctx, q); return err })
	return d, err
}

func (f *faulty) Delete(ctx context.Context, c state.Collection, prefix string) (n int, err error) {
	err = f.call(ctx, func(ctx context.Context, _ bool) (err error) { n, err = f.Store.Delete(ctx, c, prefix); return err })
	return n, err
}

func (f *faulty) Write(ctx context.Context, docs ...store.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	return f.call(ctx, func(ctx context.Context, whole bool) error {
		if whole {
			return f.Store.Write(ctx, docs...)
		}
		var some []store.Doc
		for i := 1; i < len(docs); i += 2 {
			some = append(some, docs[i])
		}
		return f.Store.Write(ctx, some...)
	})
}

// Whatever store call of a turn fails, and however: the call of the turn ends well or with a typed error, and when the
// client has gone on, the end is that of an undisturbed run. What tidies up behind the turn is failed too.
func TestEveryStoreCallFails(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{ramDriver(), looseDriver(), folderDriver()} {
		want := undisturbed(t, d)
		points := points(t, d)
		kinds := []fault{refused, lost, gone, silent}
		if !d.fresh(t).Features().Atomic {
			kinds = append(kinds, half)
		}
		t.Logf("%s: %d calls, %d ways to fail", d.name, points, len(kinds))
		for _, kind := range kinds {
			for _, sweeps := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, sweeps %v", d.name, kind, sweeps), func(t *testing.T) {
					t.Parallel()
					for n := 1; n <= points; n++ {
						if long() || (n%2 == 0) == sweeps {
							struck(t, d, want, n, kind, sweeps)
						}
					}
				})
			}
		}
	}
}

// points counts the store calls of the turn, with those behind it.
func points(t *testing.T, d driver) int {
	t.Helper()
	s, f := newStory(), &faulty{Store: d.fresh(t)}
	s.begin(t, f)
	g := s.open(t, f)
	f.arm(0, "")
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	must(t, err)
	must(t, g.Close())
	return f.counted()
}

// struck tells the story with a fault at the n-th store call of the second turn.
func struck(t *testing.T, d driver, want []string, n int, kind fault, sweeps bool) {
	t.Helper()
	at := fmt.Sprintf("call %d, %s", n, kind)
	s, f := newStory(), &faulty{Store: d.fresh(t)}
	s.begin(t, f.Store)
	g := s.open(t, f)
	f.arm(n, kind)
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	typed(t, at, err)
	if err := g.Close(); err != nil {
		t.Errorf("%s: close: %v", at, err)
	}
	if f.counted() < n-1 { // one reading may come by chance: whether it has to be repeated
		t.Errorf("%s: it never came", at)
	}
	s.pass(state.LeaseTTL + 1)
	s.goOn(t, at, s.open(t, f.Store), err, sweeps)
	s.ends(t, at, want, f.Store, err == nil)
}

// The same process goes on after the fault: what it holds in RAM must be right.
func TestTheProcessGoesOnAfterAFault(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{ramDriver(), looseDriver()} {
		want := undisturbed(t, d)
		points := points(t, d)
		kinds := []fault{refused, lost}
		if !d.fresh(t).Features().Atomic {
			kinds = append(kinds, half)
		}
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%s, %s", d.name, kind), func(t *testing.T) {
				t.Parallel()
				for n := 1; n <= points; n++ {
					at := fmt.Sprintf("call %d, %s", n, kind)
					s, f := newStory(), &faulty{Store: d.fresh(t)}
					s.begin(t, f.Store)
					g := s.open(t, f)
					f.arm(n, kind)
					_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
					typed(t, at, err)
					f.arm(0, "") // what tidies up behind the turn may not have come to it
					s.goOn(t, at, g, err, false)
					must(t, g.Close())
					s.ends(t, at, want, f.Store, err == nil)
				}
			})
		}
	}
}
