package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// modes are the ways in which the line to the server breaks.
func modes() map[string]mongotest.Mode {
	return map[string]mongotest.Mode{
		"delay": mongotest.Delay, "reset": mongotest.Reset, "reply cut": mongotest.CutReply,
		"black hole": mongotest.BlackHole, "half open": mongotest.HalfOpen,
	}
}

// The line to the server breaks at a random call of the turn: it ends in time, with an answer or a typed error, and when
// the line is whole again and the client has gone on, the end is that of an undisturbed run.
func TestTheLineBreaks(t *testing.T) {
	t.Parallel()
	d := mongoDriver()
	want, points := undisturbed(t, d), points(t, d)
	first, each := seed(t), uint64(6)
	if long() {
		each = 60
	}
	t.Logf("%d points; each mode with seeds %d to %d, MNEME_SEED sets the first", points, first, first+each-1)
	places := make(chan struct{}, 8) // most of the time they wait: more of them than there are processors
	var wg sync.WaitGroup
	for name, mode := range modes() {
		for n := first; n < first+each; n++ {
			wg.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				by := rand.New(rand.NewPCG(n, uint64(mode)))
				at := 1 + by.IntN(points)
				f := mongotest.Fault{Mode: mode, Times: by.IntN(3), Wait: []time.Duration{30 * time.Millisecond, 2 * time.Second}[by.IntN(2)]}
				t.Run(fmt.Sprintf("%s, seed %d: at call %d, %d times, wait %s", name, n, at, f.Times, f.Wait), func(t *testing.T) {
					broken(t, d, want, f, at, n%2 == 0)
				})
			})
		}
	}
	wg.Wait()
}

// broken tells the story while the line breaks at the n-th call of the second turn.
func broken(t *testing.T, d driver, want []string, f mongotest.Fault, n int, sweeps bool) {
	t.Helper()
	const deadline = 3 * time.Second
	direct := d.fresh(t).(*database)
	u, err := url.Parse(direct.uri)
	must(t, err)
	p := mongotest.StartProxy(t, u.Host)
	s, behind := newStory(), openMongo(t, p.URI(direct.uri), 20*time.Second)
	s.begin(t, direct)
	far := storetest.Wrap(behind, nil)
	g := s.open(t, far)
	far.Set(func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second) // each call gives up before the turn does
		defer cancel()
		return storetest.Before(n, func() { p.Set(f) })(ctx, c, do)
	})
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	begun := time.Now()
	_, err = g.Invoke(ctx, graph.Request{Text: inscribed})
	if took := time.Since(begun); took > deadline+slack {
		t.Errorf("the turn took %s, its deadline was %s", took, deadline)
	}
	typed(t, "the turn", err)
	must(t, g.Close())
	t.Logf("the turn took %s, %d messages met the fault: %v", time.Since(begun).Round(time.Millisecond), p.Hits(), err)
	p.Set(mongotest.Fault{})
	s.pass(state.LeaseTTL + 1)
	after := s.open(t, openMongo(t, p.URI(direct.uri), time.Minute))
	s.goOn(t, "afterwards", after, err, sweeps)
	if err != nil && strings.Contains(err.Error(), "was given up") { // a busy machine: the deadline was over while the line was whole
		return // the turn is closed without an answer, and the story is another one
	}
	s.ends(t, "afterwards", want, direct, err == nil)
}
