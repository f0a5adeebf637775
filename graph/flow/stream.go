package flow

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// Mode is a kind of events of a Stream, in LangGraph's words.
type Mode string

// The modes. Gap and Ending are events of every stream.
//
// Messages are what the chat models say that a node calls, heard by the callbacks that eino raises for them: those of models that
// raise their own (components.IsCallbacksEnabled), of those in a graph, chain or agent of eino's, and of those that the
// node raises callbacks for itself. A model that the node calls outside of these is not heard; the node emits what it says as
// state.TokenEvent, which is Messages too. So that nothing comes twice, the node's own tokens are Custom as soon as an answer with
// text was heard in the same try, and an answer that the node has emitted while it came is not told again as a whole.
const (
	Values      Mode = "values"      // the whole state whenever a node, or an item of its list, has changed it
	Updates     Mode = "updates"     // what a node or item has returned, and which fields it changed
	Messages    Mode = "messages"    // pieces of a model's answer: see below
	Tasks       Mode = "tasks"       // a node or item begins, or ends, with its error if it failed
	Checkpoints Mode = "checkpoints" // a step of the log is durable
	Custom      Mode = "custom"      // whatever else a node emits with state.Emit
	Gap         Mode = "gap"         // the reader was too slow: Event.Dropped events before the next one are lost
	Ending      Mode = "end"         // the last event: the state the turn has ended with, beside its error
)

// Event is something that happens in a turn that is streamed. Which fields are set depends on Mode.
type Event struct {
	Mode    Mode
	Space   string // "" or, of a graph that a node has called, its thread below that of the stream: "approval", "approval/check"
	Place          // where it happens; in a turn's own events there is no node
	Attempt string // at the turn: what was streamed under another one may come again
	Try     int    // of the node in this attempt, from 1; above 1 it is a Retry
	Step    int64  // the last durable step of the thread then

	State      any         // values, end: the state S of the graph; updates: the S that the node has returned
	Fields     []string    // updates: what it has changed
	Said       state.Event // messages, custom: what the node has emitted; the text of a Piece
	Piece      *Piece      // messages: what a model has said; nil = the node has emitted it
	Ends       bool        // tasks: it has ended
	Err        error       // tasks: what it failed with, or asks
	Checkpoint *Checkpoint // checkpoints
	Dropped    int         // gap
}

// mostEvents is how many events wait for a slow reader.
const mostEvents = 1024

// Stream is Invoke with its events as they happen, in the modes named (none = Updates), of the graphs that nodes call too. The
// last event is Ending: it has the end state and the error that Invoke would return. Breaking off cancels the turn, waits for the
// nodes at work, and leaves it unfinished. A slow reader never holds the turn up: of what waits for him (1024 events) the
// oldest is dropped and a Gap says how much.
//
//	for e, err := range g.Stream(ctx, thread, "t1", input, flow.Messages, flow.Updates) {
func (g *Graph[S, P]) Stream(ctx context.Context, thread state.Thread, turn string, input S, modes ...Mode) iter.Seq2[Event, error] {
	return Listen(ctx, func(ctx context.Context) (S, error) { return g.Invoke(ctx, thread, turn, input) }, modes...)
}

// Listen streams what run does with a graph: an Invoke, Resume or Answer under the context that it is given. See Stream.
func Listen[S any](ctx context.Context, run func(context.Context) (S, error), modes ...Mode) iter.Seq2[Event, error] {
	if len(modes) == 0 {
		modes = []Mode{Updates}
	}
	return func(yield func(Event, error) bool) {
		var end S
		for _, m := range modes {
			if !slices.Contains([]Mode{Values, Updates, Messages, Tasks, Checkpoints, Custom}, m) {
				yield(Event{Mode: Ending, State: end}, state.Errorf(state.Invalid, "stream mode "+string(m), "is not known; choose values, updates, messages, tasks, checkpoints or custom"))
				return
			}
		}
		host := ctx
		ctx, cancel := context.WithCancel(ctx)
		l := &listener{modes: modes, host: func(e state.Event) { state.Emit(host, e) }, more: make(chan struct{}, 1)}

		// The turn runs beside.
		var work sync.WaitGroup
		var err error
		work.Go(func() {
			defer l.close()
			end, err = run(context.WithValue(ctx, listenerKey{}, l))
		})
		defer work.Wait()
		defer cancel()

		// Each event to the reader, the end last.
		for {
			e, ok := l.next()
			if !ok {
				break
			}
			if !yield(e, nil) {
				return
			}
		}
		work.Wait()
		yield(Event{Mode: Ending, State: end}, err)
	}
}

type listenerKey struct{}

// listener is what a stream's events wait in.
type listener struct {
	modes []Mode
	host  func(state.Event) // who listens to the events of the context that the stream was begun with

	mu      sync.Mutex
	root    string        // thread of the stream
	events  []Event       //
	dropped int           // before the first of them
	closed  bool          //
	more    chan struct{} // there is one, or the end
}

// wants reports whether a mode is listened to.
func (l *listener) wants(m Mode) bool { return l != nil && slices.Contains(l.modes, m) }

// begin names the thread of a graph that begins to run: the first is the stream's own.
func (l *listener) begin(thread string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.root == "" {
		l.root = thread
	}
}

// put hands over an event. It never waits.
func (l *listener) put(e Event) {
	l.mu.Lock()
	e.Space = strings.TrimPrefix(strings.TrimPrefix(e.Thread.ID, l.root), "/")
	if len(l.events) == mostEvents {
		l.events = l.events[1:]
		l.dropped++
	}
	l.events = append(l.events, e)
	l.mu.Unlock()
	l.wake()
}

func (l *listener) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.wake()
}

func (l *listener) wake() {
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// next waits for an event; false = there is none any more.
func (l *listener) next() (e Event, ok bool) {
	for {
		l.mu.Lock()
		n := l.dropped
		switch {
		case n > 0:
			l.dropped = 0
			e, ok = Event{Mode: Gap, Dropped: n}, true
		case len(l.events) > 0:
			e, ok = l.events[0], true
			l.events = l.events[1:]
		}
		closed := l.closed
		l.mu.Unlock()
		if ok || closed {
			return e, ok
		}
		<-l.more
	}
}
