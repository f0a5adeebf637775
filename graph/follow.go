package graph

import (
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// Follow hands out the events of the turn of a message, by the id that its Request gave it: for a client that has lost its line, or a second
// window. Of a turn that runs here the first events are run.start and what its answer has said so far, as one token; then all come as they
// happen, however slowly they are read. A turn that runs in another process is waited for, and one that has ended is not run again: only
// its end comes. Following changes nothing, and leaving the loop ends nothing but the loop.
//
// A message that the session does not know is state.ErrNotFound. A turn that is unfinished while nobody works at it is
// state.ErrUnavailable: send the message again, or Resume.
func (g *Graph) Follow(ctx context.Context, scope state.Scope, messageID string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for wait := busyPause; ; wait = min(2*wait, 20*busyPause) {
			run, at, err := g.locateTurn(ctx, scope.Default(), messageID)
			switch {
			case err != nil:
				yield(Event{Event: state.Event{Name: state.RunEnd}}, err)
				return
			case run != nil:
				run.follow(ctx, yield)
				return
			case at == ended:
				r, err := g.loadReply(ctx, scope.Default(), messageID)
				yieldEnd(yield, r, err)
				return
			}

			select {
			case <-g.c.After(wait):
			case <-ctx.Done():
				yield(Event{Event: state.Event{Name: state.RunEnd, Turn: messageID}}, givenUpError(ctx))
				return
			}
		}
	}
}

// where says where a turn is that no call here has at work.
type where int

const (
	elsewhere where = iota // in another process, or in line
	ended                  // in the log, with its end or its questions
)

// locateTurn finds the turn of a message: the call that has it at work, or where it is else.
func (g *Graph) locateTurn(ctx context.Context, scope state.Scope, id string) (*running, where, error) {
	thread, done, err := g.openThread(scope)
	if err != nil {
		return nil, 0, err
	}
	defer done()

	// A call that resumes has not said which turn it is about: the log says it.
	run, next := g.lines.find(scope.SessionKey(), id)
	if run != nil && run.turn == id {
		return run, 0, nil
	}
	open, err := g.log.OpenTurn(ctx, thread)
	switch {
	case err != nil && state.CodeOf(err) != state.NotFound:
		return nil, 0, err
	case err == nil && open.Turn == id && run != nil && run.turn == "":
		return run, 0, nil
	case next || err == nil && open.Turn == id && open.Runs:
		return nil, elsewhere, nil
	case err == nil && open.Turn == id && !open.Waits:
		return nil, 0, state.Errorf(state.Unavailable, "turn "+id, "is unfinished and nobody works at it; send its message again, or resume it")
	}
	return nil, ended, nil
}

// loadReply returns what a turn came to that the log has, or what it asks.
func (g *Graph) loadReply(ctx context.Context, scope state.Scope, id string) (Reply, error) {
	thread, done, err := g.openThread(scope)
	if err != nil {
		return Reply{}, err
	}
	defer done()
	asked, err := g.flow.Waits(ctx, thread)
	if err == nil && len(asked) > 0 && asked[0].Turn() == id {
		return Reply{Turn: id, Waits: asked}, nil
	}

	// The last step of a turn holds how it ended.
	ends, err := g.flow.History(ctx, thread, checkpoint.Which{Turn: id, Done: true, Limit: 1})
	if err != nil {
		return Reply{}, err
	}
	if len(ends) == 0 {
		return Reply{}, state.Errorf(state.NotFound, "message "+id, "is not known in session %s", scope.Session)
	}
	end, err := g.flow.State(ctx, thread, ends[0].Seq)
	if err != nil {
		return Reply{}, err
	}
	t := &turn{trace: &state.Trace{}, record: &nodes.Record{}, stop: state.NewStop(), now: g.c.Now, began: g.c.Now()}
	return t.makeReply(g.loadSaid(ctx, scope, end.State))
}

// told is what a running turn tells, for those who follow it. The zero value is ready.
type told struct {
	mu      sync.Mutex
	said    strings.Builder // of the answer that is being given
	readers map[*reader]struct{}
}

// reader is one who follows. Its events wait for it, so that nobody waits for the reader.
type reader struct {
	events []state.Event // under told.mu
	more   chan struct{} // holds one when events may have come
}

// overhear makes what is told under the context heard by followers too.
func (t *told) overhear(ctx context.Context) context.Context {
	return state.ContextWithEvents(ctx, func(e state.Event) {
		state.Emit(ctx, e)
		t.hear(e)
	})
}

func (t *told) hear(e state.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Name {
	case state.TokenEvent:
		t.said.WriteString(e.Text)
	case state.ContextComposed: // the model is asked: another answer begins
		t.said.Reset()
	}
	for r := range t.readers {
		r.events = append(r.events, e)
		select {
		case r.more <- struct{}{}:
		default:
		}
	}
}

// join begins to follow, with what was said so far.
func (t *told) join() *reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &reader{events: []state.Event{{Name: state.RunStart}}, more: make(chan struct{}, 1)}
	r.more <- struct{}{}
	if t.said.Len() > 0 {
		r.events = append(r.events, state.Event{Name: state.TokenEvent, Node: nodes.RespondName, Text: t.said.String()})
	}
	if t.readers == nil {
		t.readers = map[*reader]struct{}{}
	}
	t.readers[r] = struct{}{}
	return r
}

// take hands over what has come for a reader.
func (t *told) take(r *reader) (events []state.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	events, r.events = r.events, nil
	return events
}

func (t *told) leave(r *reader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.readers, r)
}

// follow hands out a running call's events until it has ended, then its end.
func (r *running) follow(ctx context.Context, yield func(Event, error) bool) {
	me := r.told.join()
	defer r.told.leave(me)
	for over := false; !over; {
		select {
		case <-me.more:
		case <-r.done:
			over = true
		case <-ctx.Done():
			yield(Event{Event: state.Event{Name: state.RunEnd, Turn: r.turn}}, givenUpError(ctx))
			return
		}
		for _, e := range r.told.take(me) {
			if !yield(Event{Event: e}, nil) {
				return
			}
		}
	}
	yieldEnd(yield, r.reply, r.err)
}
