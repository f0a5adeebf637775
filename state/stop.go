package state

import (
	"context"
	"sync"
)

// Stop tells a running turn to end: the model and the tools at work are given up, and the turn is closed in order. It is
// safe for concurrent use.
type Stop struct {
	once sync.Once
	done chan struct{}
	err  error
}

// NewStop makes a Stop that nobody has used.
func NewStop() *Stop { return &Stop{done: make(chan struct{})} }

// Now ends the turn for a reason; only the first reason counts.
func (s *Stop) Now(reason error) {
	s.once.Do(func() {
		s.err = reason
		close(s.done)
	})
}

// Done is closed when the turn is to end; it never is for a nil Stop.
func (s *Stop) Done() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.done
}

// Err returns why the turn is to end, nil while it is not.
func (s *Stop) Err() error {
	if s == nil {
		return nil
	}
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

type stopKey struct{}

// ContextWithStop gives the turn that runs under the context a Stop.
func ContextWithStop(ctx context.Context, s *Stop) context.Context {
	return context.WithValue(ctx, stopKey{}, s)
}

// StopFrom returns the Stop of the turn that the context belongs to, nil when it has none.
func StopFrom(ctx context.Context) *Stop {
	s, _ := ctx.Value(stopKey{}).(*Stop)
	return s
}

// Stoppable returns the context of work that is given up when the turn is to end (context.Cause then tells why), while what
// closes the turn goes on under ctx. The caller calls done when the work is over.
func Stoppable(ctx context.Context) (inner context.Context, done func()) {
	inner, cancel := context.WithCancelCause(ctx)
	stop := StopFrom(ctx)
	if stop == nil {
		return inner, func() { cancel(nil) }
	}

	if err := stop.Err(); err != nil {
		cancel(err)
	}

	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-stop.Done():
			cancel(stop.Err())
		case <-inner.Done():
		}
	})
	return inner, func() { cancel(nil); watch.Wait() }
}
