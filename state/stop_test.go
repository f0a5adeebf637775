package state_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

func TestStoppable(t *testing.T) {
	t.Parallel()
	t.Run("a stop ends what may be given up, not the turn", func(t *testing.T) {
		t.Parallel()
		stop := state.NewStop()
		ctx := state.ContextWithStop(t.Context(), stop)
		inner, done := state.Stoppable(ctx)
		defer done()
		if inner.Err() != nil || state.StopFrom(ctx).Err() != nil {
			t.Fatalf("before the stop: %v, %v, want it to run", inner.Err(), stop.Err())
		}
		stop.Now(state.ErrConflict)
		stop.Now(state.ErrInvalid)
		<-inner.Done()
		if ctx.Err() != nil || !errors.Is(context.Cause(inner), state.ErrConflict) || !errors.Is(stop.Err(), state.ErrConflict) {
			t.Errorf("after the stop: %v, %v, %v, want the first reason, and the turn's own context to go on", ctx.Err(), context.Cause(inner), stop.Err())
		}
	})
	t.Run("without a stop only the context ends it", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		inner, done := state.Stoppable(ctx)
		defer done()
		cancel()
		<-inner.Done()
		if state.StopFrom(ctx).Err() != nil {
			t.Error("a nil Stop has a reason")
		}
	})
}
