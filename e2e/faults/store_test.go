package faults_test

import (
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// Whatever store call of a turn fails, and however: the call of the turn ends well or with a typed error, and when the client has gone
// on, in the same process, with what it holds in RAM, or in another, the end is that of an undisturbed run. What tidies up behind the
// turn is failed too. Package crash has the process die there.
func TestEveryStoreCallFails(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{ramDriver(), looseDriver(), folderDriver()} {
		want := undisturbed(t, d)
		points := points(t, d)
		faults := []storetest.Fault{storetest.Refused, storetest.Lost}
		if !d.fresh(t).Features().Atomic {
			faults = append(faults, storetest.Back) // half of it is written
		}
		t.Logf("%s: %d calls, %d ways to fail", d.name, points, len(faults))
		for _, fault := range faults {
			for _, then := range []string{"goes on", "another goes on", "another sweeps"} {
				t.Run(fmt.Sprintf("%s, %s, %s", d.name, fault, then), func(t *testing.T) {
					t.Parallel()
					for n := 1; n <= points; n++ {
						if long() || then == "goes on" || (n%2 == 0) == (then == "another sweeps") {
							struck(t, d, want, n, fault, then)
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
func struck(t *testing.T, d driver, want []string, n int, fault storetest.Fault, then string) {
	t.Helper()
	at := fmt.Sprintf("call %d, %s", n, fault)
	s, f := newStory(), storetest.Wrap(d.fresh(t), nil)
	s.begin(t, f.Store)
	g := s.open(t, f)
	f.Set(storetest.At(n, fault))
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	typed(t, at, err)
	if then == "goes on" {
		f.Set(nil) // what tidies up behind the turn may not have come to it
	} else {
		must(t, g.Close())
		if f.Calls() < n-1 { // one reading may come by chance: whether it has to be repeated
			t.Errorf("%s: it never came", at)
		}
		s.pass(state.LeaseTTL + 1)
		g = s.open(t, f.Store)
	}
	s.goOn(t, at, g, err, then == "another sweeps")
	must(t, g.Close())
	s.ends(t, at, want, f.Store, err == nil)
}
