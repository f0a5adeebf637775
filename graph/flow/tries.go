package flow

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Retry says when a node, or an item of its list, runs again in the same attempt at the turn. It begins with the state as
// it is then, with what it has committed from inside; edits of memory that it had decided are dropped. Questions, panics and
// the end of the turn's context are never tried again, and neither is anything after a commit that failed.
type Retry struct {
	Attempts int                  // how often it runs at most; below 2 = once
	First    time.Duration        // the wait before the second run, which doubles before each further one. Default 500 ms
	Max      time.Duration        // the longest wait. Default 30 s; an error that says when to come again (state.RetryAfter) is heeded
	If       func(err error) bool // which errors; nil = those of state.ErrUnavailable
}

// runTries runs the node's function until it is not to be tried again. What it returns is the step of the last try.
func (n *node[S, P]) runTries(ctx context.Context, st *step[S, P], s S) (*step[S, P], S, error) {
	inside := ctx
	for try := 1; ; try++ {
		st.tellTask(false, nil)
		out, err := n.runOnce(inside, st, s)
		if err != nil {
			st.tellTask(true, err)
		}
		if err == nil || try >= n.Retry.Attempts || !n.mayRetry(ctx, st, err) {
			return st, out, err
		}
		select {
		case <-n.graph.config.After(n.Retry.Wait(st.where.visitKey(), try, err)):
		case <-ctx.Done():
			return st, out, err
		}
		st = n.makeStep(st.run, st.visit)
		st.try, inside = try+1, insideVisit(ctx, &st.where)
		s = st.run.readState()
	}
}

func (n *node[S, P]) mayRetry(ctx context.Context, st *step[S, P], err error) bool {
	st.run.mu.Lock()
	broken := st.run.broken
	st.run.mu.Unlock()
	asked, _ := splitQuestions(err)
	switch {
	case ctx.Err() != nil, broken, len(asked) > 0:
		return false
	case n.Retry.If != nil:
		return n.Retry.If(err)
	}
	return errors.Is(err, state.ErrUnavailable)
}

// Wait returns how long to wait after a failed try, the first is 1. Up to half of it is spread, by the key, so that what failed together does not come
// again together.
func (r Retry) Wait(key string, try int, err error) time.Duration {
	most := cmp.Or(r.Max, 30*time.Second)
	d := cmp.Or(r.First, 500*time.Millisecond)
	for i := 1; i < try && d < most; i++ {
		d *= 2
	}
	d = min(d, most)
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // it never fails
	_, _ = h.Write([]byte{byte(try)})
	d -= time.Duration(int64(d/2) * int64(h.Sum32()>>16) >> 16)
	return max(d, state.RetryAfter(err))
}

// readState returns the state as it is now.
func (r *run[S, P]) readState() S {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// timeoutError is the cause with which a node's context ends when it takes too long.
type timeoutError struct{ error }

type aliveKey struct{}

// runWatched runs the node's function and ends its context when it takes too long or shows no sign of life.
func (n *node[S, P]) runWatched(ctx context.Context, st *step[S, P], s S) (S, error) {
	// Signs of life: commits, events, ends of nodes of graphs that it calls.
	st.alive = make(chan struct{}, 1)
	inside, cancel := context.WithCancelCause(context.WithValue(ctx, aliveKey{}, st.tellAlive))
	inside = state.ContextWithEvents(inside, func(e state.Event) {
		st.tellAlive()
		state.Emit(ctx, e)
	})
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { n.watch(st.alive, done, cancel) })
	s, err := n.Run(inside, s)
	close(done)
	watch.Wait()

	// What it is told to the caller as.
	var late timeoutError
	if _, fails := splitQuestions(err); fails && errors.As(context.Cause(inside), &late) {
		if err = late.error; ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	cancel(nil)
	return s, err
}

// watch ends a node's context when it is time.
func (n *node[S, P]) watch(alive, done <-chan struct{}, cancel context.CancelCauseFunc) {
	var all, idle <-chan time.Time
	if n.Timeout > 0 {
		all = n.graph.config.After(n.Timeout)
	}
	for {
		if n.Idle > 0 {
			idle = n.graph.config.After(n.Idle)
		}
		select {
		case <-all:
			cancel(timeoutError{state.Errorf(state.Unavailable, "node "+n.Name, "did not end within %s", n.Timeout)})
			return
		case <-idle:
			cancel(timeoutError{state.Errorf(state.Unavailable, "node "+n.Name, "showed no sign of life for %s", n.Idle)})
			return
		case <-alive:
		case <-done:
			return
		}
	}
}

// tellAlive is a sign of life of the step, and of the node that has called its graph.
func (st *step[S, P]) tellAlive() {
	select {
	case st.alive <- struct{}{}:
	default: // one is there already, or nobody waits
	}
	st.run.tellAlive()
}

func (r *run[S, P]) tellAlive() {
	if r.alive != nil {
		r.alive()
	}
}
