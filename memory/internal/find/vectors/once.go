package vectors

import (
	"context"
	"sync/atomic"

	"github.com/mneme-graph/mneme/state"
)

// once makes a thing when it is first asked for. Whoever comes first makes it, the others wait, each as long as its own
// context allows; no lock is held meanwhile. A failure is told to all who waited, and the next who comes tries again.
type once[T any] struct {
	free   chan struct{} // holds a token while nobody makes the thing
	value  atomic.Pointer[T]
	tries  atomic.Int64 // that came to an end
	ended  atomic.Bool
	failed error // what the last try came to, nil if whoever made it gave up; guarded by the token
}

func newOnce[T any]() *once[T] {
	o := &once[T]{free: make(chan struct{}, 1)}
	o.free <- struct{}{}
	return o
}

// get returns the thing. Those who wait for somebody who gives up go on in their stead.
func (o *once[T]) get(ctx context.Context, open func(context.Context) (T, error)) (value T, err error) {
	tried := o.tries.Load()
	if made := o.value.Load(); made != nil {
		return *made, nil
	}

	// One after the other takes the token.
	if ctx.Err() != nil {
		return value, state.Errorf(state.Unavailable, "vectors", "are not open yet: %w", ctx.Err())
	}
	select {
	case <-o.free:
		defer func() { o.free <- struct{}{} }()
	case <-ctx.Done():
		return value, state.Errorf(state.Unavailable, "vectors", "are still being opened: %w", ctx.Err())
	}

	// The one before may have made it, or failed.
	made := o.value.Load()
	switch {
	case o.ended.Load():
		return value, state.Errorf(state.Unavailable, "vectors", "are closed")
	case made != nil:
		return *made, nil
	case o.tries.Load() > tried && o.failed != nil:
		return value, o.failed
	}
	defer o.tries.Add(1)
	o.failed = state.Errorf(state.Internal, "vectors", "opening them did not return") // it stands only if open panics
	value, err = open(ctx)
	if o.failed = err; err == nil {
		o.value.Store(&value)
	} else if ctx.Err() != nil {
		o.failed = nil // the fault is not the thing's
	}
	return value, err
}

// forget has the thing made again when it is next asked for.
func (o *once[T]) forget() { o.value.Store(nil) }

// end lets nobody make or get the thing any more, waits for a try under way, and returns what was made, nil for nothing.
func (o *once[T]) end() *T {
	o.ended.Store(true)
	<-o.free
	defer func() { o.free <- struct{}{} }()
	return o.value.Swap(nil)
}
