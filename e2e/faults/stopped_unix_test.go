//go:build unix

package faults_test

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// A process is stopped in the middle of a turn (SIGSTOP), at each of its store calls. Nobody takes the turn while its lease
// lasts; then another process finishes it and answers the next message. When the first wakes up it is fenced: nothing
// of it is kept a second time.
func TestStoppedInATurn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	d := mongoDriver()
	s, over := newStory(), d.fresh(t).(*database)
	s.begin(t, over)
	calls := job{Do: "turn", Name: "a", Where: over.uri, Skew: time.Minute, Text: inscribed}.start(t).end().Calls
	step := 2
	if long() {
		step = 1
	}
	t.Logf("the turn makes %d store calls", calls)
	var wg sync.WaitGroup
	places := make(chan struct{}, 4)
	for n := 1; n <= calls; n += step {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(fmt.Sprintf("before call %d", n), func(t *testing.T) { sleeper(t, d, n) })
		})
	}
	wg.Wait()
}

func sleeper(t *testing.T, d driver, n int) {
	t.Helper()
	s, over := newStory(), d.fresh(t).(*database)
	s.begin(t, over)
	a := job{Do: "turn", Name: "a", Where: over.uri, Skew: time.Minute, Text: inscribed, Stop: n}.start(t)
	if got := a.line(); got != stopped {
		t.Fatalf("the first process says %q", got)
	}
	must(t, a.cmd.Process.Signal(syscall.SIGSTOP))
	begun, err := turnsOf(t.Context(), s.open(t, over))
	must(t, err)
	if unfinished(t, s.open(t, over)) {
		early := job{Do: "turn", Name: "early", Where: over.uri, Skew: time.Minute + state.LeaseTTL/2, Text: wanted, Policy: state.RejectTexting}.start(t).end()
		if early.Code != state.Conflict {
			t.Errorf("a process that comes while the lease lasts: %+v", early)
		}
	}
	b := job{Do: "turn", Name: "b", Where: over.uri, Skew: 2*time.Minute + state.LeaseTTL, Text: wanted}.start(t).end()
	if b.Code != "" || b.Text != "Go on." {
		t.Errorf("the process that comes when the lease is over: %+v", b)
	}
	must(t, a.cmd.Process.Signal(syscall.SIGCONT))
	r := a.end()
	t.Logf("begun %d turns when it was stopped; it ends with %q, %s", begun, r.Text, r.Error)
	s.pass(time.Hour)
	g := s.open(t, over)
	list := said(t, g, scope())
	turns := line(t, g, scope())
	replies := 0
	for _, m := range list {
		if strings.HasSuffix(m, " assistant Kept, and rung.") {
			replies++
		}
	}
	switch {
	case begun == 1 && r.Code == "": // it had seen nothing yet, and came second
		if replies != 1 || turns != 3 {
			t.Errorf("it had not begun: %+v, %d replies, %d turns", r, replies, turns)
		}
	case begun == 1: // the other was first, so nothing of it was kept
		if r.Code != state.Conflict || replies != 0 || turns != 2 {
			t.Errorf("it had not begun: %+v, %d replies, %d turns", r, replies, turns)
		}
	case replies != 1 || turns != 3 || len(list) != 9:
		t.Errorf("%d replies, %d turns:\n%s", replies, turns, strings.Join(list, "\n"))
	case !r.Fenced && r.Code != "":
		t.Errorf("it ends with %+v, want that it was fenced, or its answer", r)
	}
}

// unfinished reports whether the log ends in the middle of a turn.
func unfinished(t *testing.T, g *graph.Graph) bool {
	t.Helper()
	last, err := g.History(t.Context(), scope(), checkpoint.Which{Limit: 1})
	must(t, err)
	return len(last) > 0 && !last[0].Done
}
