package vectors

import (
	"context"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// once makes a thing when it is first asked for. Whoever comes first makes it, the others wait, each as long as its own
// context allows; no lock is held meanwhile. A failure is told to all who waited, and the next who comes tries again.
type once[T any] struct {
	mu      sync.Mutex
	value   T
	made    bool
	ended   bool
	attempt *attempt // under way; nil = none
}

// attempt is one way to the thing. What it came to is read once over is closed.
type attempt struct {
	over  chan struct{}
	err   error
	given bool // up by whoever made it: the fault is not the thing's
}

// get returns the thing. Those who wait for somebody who gives up go on in their stead.
func (o *once[T]) get(ctx context.Context, open func(context.Context) (T, error)) (T, error) {
	var none T
	for {
		value, running, mine, err := o.look(ctx)
		switch {
		case err != nil:
			return none, err
		case mine:
			return o.try(ctx, running, open)
		case running == nil:
			return value, nil
		}
		select {
		case <-running.over:
			if running.err != nil && !running.given {
				return none, running.err
			}
		case <-ctx.Done():
			return none, state.Errorf(state.Unavailable, "vectors", "are still being opened: %w", ctx.Err())
		}
	}
}

// look returns the thing, or the attempt that is under way, or one that the caller is to make.
func (o *once[T]) look(ctx context.Context) (value T, running *attempt, mine bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended:
		return value, nil, false, state.Errorf(state.Unavailable, "vectors", "are closed")
	case o.made:
		return o.value, nil, false, nil
	case ctx.Err() != nil:
		return value, nil, false, state.Errorf(state.Unavailable, "vectors", "are not open yet: %w", ctx.Err())
	case o.attempt == nil:
		o.attempt, mine = &attempt{over: make(chan struct{})}, true
	}
	return value, o.attempt, mine, nil
}

// try makes the thing, on behalf of all who wait.
func (o *once[T]) try(ctx context.Context, a *attempt, open func(context.Context) (T, error)) (value T, err error) {
	err = state.Errorf(state.Internal, "vectors", "opening them did not return") // it stands only if open panics
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if err == nil {
			o.value, o.made = value, true
		}
		a.err, a.given = err, ctx.Err() != nil
		o.attempt = nil
		close(a.over)
	}()
	value, err = open(ctx)
	return value, err
}

// forget has the thing made again when it is next asked for.
func (o *once[T]) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	var none T
	o.value, o.made = none, false
}

// end lets nobody make or get the thing any more, waits for an attempt under way, and returns what was made.
func (o *once[T]) end() (value T, made bool) {
	o.mu.Lock()
	o.ended = true
	running := o.attempt
	o.mu.Unlock()
	if running != nil {
		<-running.over
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, o.made
}
