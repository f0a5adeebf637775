package faults_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Two processes whose clocks are hours apart serve one session in turn: what is first stays first.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{looseDriver(), mongoDriver()} {
		for _, skew := range []time.Duration{time.Hour, -time.Hour} {
			t.Run(fmt.Sprintf("%s, %s", d.name, skew), func(t *testing.T) {
				t.Parallel()
				over := d.fresh(t)
				w, other, h := newWorld(), newWorld(), &gated{}
				other.pass(skew)
				graphs := []*graph.Graph{skewed(t, w, over, h, "here"), skewed(t, other, d.more(t, over), h, "there")}
				var want []string
				for n := range 10 {
					r, err := graphs[n%2].Invoke(t.Context(), graph.Request{Text: message(n)})
					if err != nil || r.Message.Seq != int64(2*n+2) {
						t.Fatalf("turn %d: message %d, %v", n+1, r.Message.Seq, err)
					}
					want = append(want, fmt.Sprintf("%d user %s", 2*n+1, message(n)), fmt.Sprintf("%d assistant answer to %s", 2*n+2, message(n)))
					w.pass(time.Second)
					other.pass(time.Second)
				}
				for i, g := range graphs {
					if got := said(t, g, scope()); strings.Join(got, "\n") != strings.Join(want, "\n") {
						t.Errorf("process %d sees\n%s", i, strings.Join(got, "\n"))
					}
					if n := line(t, g, scope()); n != 10 {
						t.Errorf("process %d sees %d turns", i, n)
					}
				}
			})
		}
	}
}

// The same, all at once: to the clock that is ahead every lease is over, so it takes turns over that run. Who is taken
// over from is told so, and no message is there twice or without its answer.
func TestClocksApartAtOnce(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{looseDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			over := d.fresh(t)
			w, ahead, h := newWorld(), newWorld(), &gated{}
			ahead.pass(time.Hour)
			graphs := []*graph.Graph{skewed(t, w, over, h, "here"), skewed(t, ahead, d.more(t, over), h, "ahead")}
			var wg sync.WaitGroup
			all := make([]*told, crowd)
			for n := range crowd {
				all[n] = send(t.Context(), &wg, graphs[n%2], message(n), state.EnqueueTexting)
			}
			wg.Wait()
			list := said(t, graphs[1], scope())
			turns := line(t, graphs[1], scope())
			if len(list) != 2*turns {
				t.Errorf("%d messages in %d turns:\n%s", len(list), turns, strings.Join(list, "\n"))
			}
			for n, one := range all {
				count := 0
				for i, m := range list {
					if strings.HasSuffix(m, " user "+message(n)) && i+1 < len(list) && strings.HasSuffix(list[i+1], " assistant answer to "+message(n)) {
						count++
					}
				}
				switch {
				case one.err == nil && count != 1, count > 1:
					t.Errorf("message %d ended with %v and is there %d times", n, one.err, count)
				case one.err != nil && !errors.Is(one.err, state.ErrConflict):
					t.Errorf("message %d: %v", n, one.err)
				}
			}
		})
	}
}

// skewed is a process with a clock of its own. Sessions do not end by the clock here.
func skewed(t *testing.T, w *world, over store.Store, h *gated, name string) *graph.Graph {
	t.Helper()
	return w.open(t, over, func(c *graph.Config) {
		c.Model, c.NewID, c.Settings.IdleMinutes = chat(h.answer), numbered(name), 600
	})
}
