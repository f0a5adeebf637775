package faults_test

import (
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// Whatever store call of a turn fails, and however: the call of the turn ends well or with a typed error, and when the
// client has gone on, the end is that of an undisturbed run. What tidies up behind the turn is failed too.
func TestEveryStoreCallFails(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{ramDriver(), looseDriver(), folderDriver()} {
		want := undisturbed(t, d)
		points := points(t, d)
		ways := []way{{"refused", false, storetest.Refused}, {"lost", false, storetest.Lost}, {"dead before", true, storetest.Refused}, {"dead behind", true, storetest.Lost}}
		if !d.fresh(t).Features().Atomic {
			ways = append(ways, way{"half", false, storetest.Back})
		}
		t.Logf("%s: %d calls, %d ways to fail", d.name, points, len(ways))
		for _, w := range ways {
			for _, sweeps := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, sweeps %v", d.name, w.name, sweeps), func(t *testing.T) {
					t.Parallel()
					for n := 1; n <= points; n++ {
						if long() || (n%2 == 0) == sweeps {
							struck(t, d, want, n, w, sweeps)
						}
					}
				})
			}
		}
	}
}

// way is one in which a call fails; when it kills, the process is dead from there on.
type way struct {
	name  string
	kills bool
	fault storetest.Fault
}

func (w way) at(n int) storetest.Around {
	if w.kills {
		return storetest.From(n, w.fault)
	}
	return storetest.At(n, w.fault)
}

// points counts the store calls of the turn, with those behind it.
func points(t *testing.T, d driver) int {
	t.Helper()
	s, f := newStory(), storetest.Wrap(d.fresh(t), nil)
	s.begin(t, f)
	g := s.open(t, f)
	f.Set(nil)
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	must(t, err)
	must(t, g.Close())
	return f.Calls()
}

// struck tells the story with a fault at the n-th store call of the second turn.
func struck(t *testing.T, d driver, want []string, n int, w way, sweeps bool) {
	t.Helper()
	at := fmt.Sprintf("call %d, %s", n, w.name)
	s, f := newStory(), storetest.Wrap(d.fresh(t), nil)
	s.begin(t, f.Store)
	g := s.open(t, f)
	f.Set(w.at(n))
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	typed(t, at, err)
	if err := g.Close(); err != nil {
		t.Errorf("%s: close: %v", at, err)
	}
	if f.Calls() < n-1 { // one reading may come by chance: whether it has to be repeated
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
		kinds := []storetest.Fault{storetest.Refused, storetest.Lost}
		if !d.fresh(t).Features().Atomic {
			kinds = append(kinds, storetest.Back)
		}
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%s, %s", d.name, kind), func(t *testing.T) {
				t.Parallel()
				for n := 1; n <= points; n++ {
					at := fmt.Sprintf("call %d, %s", n, kind)
					s, f := newStory(), storetest.Wrap(d.fresh(t), nil)
					s.begin(t, f.Store)
					g := s.open(t, f)
					f.Set(storetest.At(n, kind))
					_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
					typed(t, at, err)
					f.Set(nil) // what tidies up behind the turn may not have come to it
					s.goOn(t, at, g, err, false)
					must(t, g.Close())
					s.ends(t, at, want, f.Store, err == nil)
				}
			})
		}
	}
}
