package graph

import (
	"context"
	"iter"

	"github.com/mneme-graph/mneme/state"
)

// Event is one event of a running turn. Question is set on question, Reply on the last one, run.end.
type Event struct {
	state.Event
	Question *Question `json:"question,omitempty"`
	Reply    *Reply    `json:"reply,omitempty"`
}

// Stream runs a turn and hands out its events as they happen. What a person is asked comes as events question; the last event is run.end
// with the whole reply, and with the error when the turn failed. Stopping the iteration ends the turn as the end of the context does: one with a
// MessageID is left to be sent again, one without is closed in order before the loop is left; see Invoke.
func (g *Graph) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return stream(ctx, func(ctx context.Context) (Reply, error) { return g.Invoke(ctx, req) })
}

// StreamAnswer is Answer with the events of what comes behind it, as those of Stream.
func (g *Graph) StreamAnswer(ctx context.Context, scope state.Scope, answers map[string]state.Answer) iter.Seq2[Event, error] {
	return stream(ctx, func(ctx context.Context) (Reply, error) { return g.Answer(ctx, scope, answers) })
}

// StreamAnswerWith is AnswerWith with the events of what comes behind it.
func (g *Graph) StreamAnswerWith(ctx context.Context, own Request, answers map[string]state.Answer) iter.Seq2[Event, error] {
	return stream(ctx, func(ctx context.Context) (Reply, error) { return g.AnswerWith(ctx, own, answers) })
}

// StreamResume is Resume with the events of what comes behind it, as those of Stream.
func (g *Graph) StreamResume(ctx context.Context, scope state.Scope) iter.Seq2[Event, error] {
	return stream(ctx, func(ctx context.Context) (Reply, error) { return g.Resume(ctx, scope) })
}

// stream runs a call beside and hands out its events, one after the other.
func stream(ctx context.Context, run func(context.Context) (Reply, error)) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		// The call runs beside. Its context calls emit for one event at a time.
		events := make(chan state.Event)
		emit := func(e state.Event) {
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
			r, err = run(state.ContextWithEvents(ctx, emit))
		}()
		defer func() { cancel(); <-done }()

		for e := range events {
			if !yield(Event{Event: e}, nil) {
				return
			}
		}
		yieldEnd(yield, r, err)
	}
}

// yieldEnd hands out what a turn ended with: what it asks, and the whole reply.
func yieldEnd(yield func(Event, error) bool, r Reply, err error) {
	for i := range r.Waits {
		if !yield(Event{Event: state.Event{Name: state.QuestionEvent, Turn: r.Turn}, Question: &r.Waits[i]}, nil) {
			return
		}
	}
	yield(Event{Event: state.Event{Name: state.RunEnd, Turn: r.Turn, Text: r.Text, Decision: &r.Decision, Took: r.Trace.Took}, Reply: &r}, err)
}
