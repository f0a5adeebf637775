package graph

import (
	"context"
	"iter"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// Event is one event of a running turn. Reply is set on the last one, run.end.
type Event struct {
	state.Event
	Reply *Reply `json:"reply,omitempty"`
}

// Stream runs a turn and hands out its events as they happen. The last one is run.end with the whole reply; when the
// turn failed it comes with the error. Stopping the iteration ends the turn as the end of the context does: it is closed in
// order before the loop is left (on_cancel: close), or stays unfinished.
func (g *Graph) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		// The turn runs beside, and hands over one event after the other.
		events := make(chan state.Event)
		var mu sync.Mutex // nodes may emit at the same time
		emit := func(e state.Event) {
			mu.Lock()
			defer mu.Unlock()
			select {
			case events <- e:
			case <-ctx.Done():
			}
		}
		var r Reply
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer close(events)
			emit(state.Event{Name: state.RunStart})
			r, err = g.Invoke(state.ContextWithEvents(ctx, emit), req)
		}()
		defer func() { cancel(); <-done }()

		// Each event to the reader, the reply last.
		for e := range events {
			if !yield(Event{Event: e}, nil) {
				return
			}
		}
		yield(Event{state.Event{Name: state.RunEnd, Turn: r.Turn, Text: r.Text, Decision: &r.Decision, Took: r.Trace.Took}, &r}, err)
	}
}
