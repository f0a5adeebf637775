package vectors

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	var o once[int]
	calls := 0
	is := func(n int, err error) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { calls++; return n, err }
	}
	refused := state.Errorf(state.Unavailable, "index", "is away")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, step := range []struct {
		what   string
		ctx    context.Context
		open   func(context.Context) (int, error)
		before func()
		want   int
		err    error
		calls  int
	}{
		{"a context that ended asks nobody", gone, is(1, nil), func() {}, 0, context.Canceled, 0},
		{"a failure is told", t.Context(), is(0, refused), func() {}, 0, refused, 1},
		{"and tried again", t.Context(), is(2, nil), func() {}, 2, nil, 2},
		{"what is made stays", t.Context(), is(3, nil), func() {}, 2, nil, 2},
		{"it needs no context", gone, is(3, nil), func() {}, 2, nil, 2},
		{"what is forgotten is made again", t.Context(), is(4, nil), o.forget, 4, nil, 3},
		{"after the end there is nothing", t.Context(), is(5, nil), func() {
			if n, made := o.end(); n != 4 || !made {
				t.Errorf("end = %d, %v", n, made)
			}
		}, 0, state.ErrUnavailable, 3},
	} {
		step.before()
		if n, err := o.get(step.ctx, step.open); !errors.Is(err, step.err) || n != step.want || calls != step.calls {
			t.Errorf("%s: %d, %v after %d calls; want %d, %v, %d", step.what, n, err, calls, step.want, step.err, step.calls)
		}
	}
}

func TestOnceTellsAFailureToAllWhoWait(t *testing.T) {
	t.Parallel()
	var o once[int]
	refused := state.Errorf(state.Denied, "index", "refuses the user")
	inside, let := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, _ = o.get(t.Context(), func(context.Context) (int, error) { close(inside); <-let; return 0, refused })
	})
	<-inside
	_, running, mine, err := o.look(t.Context())
	if running == nil || mine || err != nil {
		t.Fatalf("look = %v, %v, %v, want the attempt under way", running, mine, err)
	}
	close(let)
	<-running.over
	if !errors.Is(running.err, refused) || running.given {
		t.Errorf("the attempt came to %v, given up %v", running.err, running.given)
	}
	all.Wait()
}

// A panic, which a server outside may survive, must not keep all others waiting for ever.
func TestOncePanics(t *testing.T) {
	t.Parallel()
	var o once[int]
	func() {
		defer func() { _ = recover() }()
		_, _ = o.get(t.Context(), func(context.Context) (int, error) { panic("driver") })
	}()
	if n, err := o.get(t.Context(), func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("get = %d, %v", n, err)
	}
}
