package vectors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mneme-graph/mneme/state"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	o := newOnce[int]()
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
			if made := o.end(); made == nil || *made != 4 {
				t.Errorf("end = %v", made)
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
	synctest.Test(t, func(t *testing.T) {
		o := newOnce[int]()
		refused := state.Errorf(state.Denied, "index", "refuses the user")
		let := make(chan struct{})
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				_, err := o.get(t.Context(), func(context.Context) (int, error) { <-let; return 0, refused })
				if !errors.Is(err, refused) {
					t.Errorf("number %d was told %v", i, err)
				}
			})
		}
		synctest.Wait()
		close(let)
		all.Wait()
		if n := o.tries.Load(); n != 1 {
			t.Errorf("%d tries, want 1", n)
		}
	})
}

func TestOnceGoesOnForWhoGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOnce[int]()
		short, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = o.get(short, func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() })
		})
		synctest.Wait()
		all.Go(func() {
			if n, err := o.get(t.Context(), func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
				t.Errorf("get = %d, %v", n, err)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
	})
}

// A panic, which a server outside may survive, must not keep all others waiting for ever.
func TestOncePanics(t *testing.T) {
	t.Parallel()
	o := newOnce[int]()
	func() {
		defer func() { _ = recover() }()
		_, _ = o.get(t.Context(), func(context.Context) (int, error) { panic("driver") })
	}()
	if n, err := o.get(t.Context(), func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("get = %d, %v", n, err)
	}
}
