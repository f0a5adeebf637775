package state

import (
	"context"
	"sync"
	"time"
)

// Event is something a running turn tells whoever listens (Graph.Stream, chat, later SSE). Which fields are
// set depends on Name.
type Event struct {
	Name     EventName     `json:"event"`
	Turn     string        `json:"turn,omitempty"`
	Attempt  string        `json:"attempt,omitempty"` // a repeated turn streams under a new attempt
	Node     string        `json:"node,omitempty"`
	Text     string        `json:"text,omitempty"`     // token: the piece; tool.*: arguments or result; error: what failed
	Tool     string        `json:"tool,omitempty"`     // tool.*: its name
	Call     string        `json:"call,omitempty"`     // tool.*: id of the call
	Decision *Decision     `json:"decision,omitempty"` // context.decision
	Took     time.Duration `json:"took_ns,omitempty"`  // node.end
}

// EventName is the kind of an event.
type EventName string

// The events of a turn, in the order they can first occur.
const (
	RunStart        EventName = "run.start"
	NodeStart       EventName = "node.start"
	NodeEnd         EventName = "node.end"
	ContextDecision EventName = "context.decision"
	ContextComposed EventName = "context.composed"
	TokenEvent      EventName = "token"
	ToolStart       EventName = "tool.call"
	ToolEnd         EventName = "tool.result"
	ErrorEvent      EventName = "error"
	QuestionEvent   EventName = "question" // what a person is asked before the turn goes on
	RunEnd          EventName = "run.end"
)

type eventsKey struct{}

// ContextWithEvents lets emit hear the events of the turn; it is called from the turn's goroutines, one
// event at a time, and must not block for long. With nil nobody hears them.
func ContextWithEvents(ctx context.Context, emit func(Event)) context.Context {
	if emit == nil {
		return context.WithValue(ctx, eventsKey{}, nil)
	}
	var mu sync.Mutex
	return context.WithValue(ctx, eventsKey{}, func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		emit(e)
	})
}

// Emit tells the context's listener, if there is one.
func Emit(ctx context.Context, e Event) {
	if emit, ok := ctx.Value(eventsKey{}).(func(Event)); ok {
		emit(e)
	}
}
