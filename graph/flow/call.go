package flow

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Call runs another graph from inside a node, as one turn on the thread "parent/name", and returns its end. When the node
// is entered again, the same turn goes on where it stood, or its end comes back: it never runs twice. Calls of one visit
// need names of their own; those of an item of a list have its number behind the name. Input counts the first time only.
//
// A question of the inner graph ends the node's attempt as one of the node's own does, and both threads wait for it. It
// can be answered at either, once: at the outer thread, and both go on; or at the inner one, which ends its turn, and the
// outer thread's Resume or Answer takes the end from there. That needs the logs of both in one store.
//
// What an earlier turn of the outer thread has left unfinished on the inner one is given up.
func Call[S any, P State[S]](ctx context.Context, g *Graph[S, P], name string, input S) (S, error) {
	w, ok := ctx.Value(whereKey{}).(*where)
	if !ok || w.Node == "" {
		return input, state.Errorf(state.Invalid, "call "+name, "was made outside a node; use Invoke there")
	}
	thread, turn := state.Thread{Client: w.Thread.Client, ID: w.Thread.ID + "/" + name}, w.innerTurnID()
	if w.Item > 0 {
		thread.ID += "." + strconv.Itoa(w.Item)
	}
	s, err := invokeInner(ctx, g, w, thread, turn, input)
	var asks *WaitingError
	if !errors.As(err, &asks) {
		return s, err
	}
	out := &WaitingError{}
	for _, a := range asks.Asked {
		if a.Thread == "" {
			a.Thread = thread.ID
		}
		out.Asked = append(out.Asked, a)
	}
	return s, out
}

// invokeInner begins the turn, goes on with it, or fetches its end.
func invokeInner[S any, P State[S]](ctx context.Context, g *Graph[S, P], w *where, thread state.Thread, turn string, input S) (S, error) {
	ctx = context.WithValue(ctx, freshKey{}, nil) // the outer turn's
	if g.config.Log == nil {
		return g.Invoke(ctx, thread, turn, input)
	}
	head, err := g.config.Log.Head(ctx, thread)
	switch {
	case err != nil:
		return input, err
	case head.Seq == 0 || head.Done:
	case head.Turn == turn:
		return resumeInner(ctx, g, w, thread)
	case strings.HasPrefix(head.Turn, w.Turn+":"):
		return input, state.Errorf(state.Conflict, "call of "+thread.Key(), "%w, %s, of another visit; give each call of a turn a name of its own", checkpoint.ErrUnfinished, head.Turn)
	default:
		if err := g.Cancel(ctx, thread); err != nil {
			return input, err
		}
	}
	return g.Invoke(ctx, thread, turn, input)
}

// resumeInner resumes the inner turn with what the outer one has been answered.
func resumeInner[S any, P State[S]](ctx context.Context, g *Graph[S, P], w *where, thread state.Thread) (S, error) {
	open, err := g.Waits(ctx, thread)
	if err != nil {
		var none S
		return none, err
	}
	given := map[string]state.Answer{}
	for _, a := range open {
		if answer, ok := w.answer(a.ID); ok {
			given[a.ID] = answer
		}
	}
	if len(given) == 0 {
		return g.Resume(ctx, thread, nil)
	}
	return g.Answer(ctx, thread, given)
}
