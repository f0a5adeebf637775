package graph

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// errUndone is the end of a turn that was taken back.
var errUndone = state.Errorf(state.Conflict, "", "was taken back: a newer message came")

// errWithdrawn is the end of a turn that had been taken back before its message came again.
var errWithdrawn = state.Errorf(state.Conflict, "", "was taken back, so that it %w; send the message under another id to say it again", ErrUsedUp)

// checkMessageID refuses an id that could not stand in a key, or that the session may give to a message itself.
func checkMessageID(id string) error {
	if id == "" {
		return nil
	}
	if number, ok := strings.CutPrefix(id, "m"); ok && number != "" && strings.Trim(number, "0123456789") == "" {
		return state.Errorf(state.Invalid, "message id "+id, "is what a session calls a message that comes without one (m1, m2, ...); take another form, such as \"msg-%s\"", number)
	}
	return state.ValidateID("message", id)
}

// runsElsewhere reports whether the turn that another process has at work, or tidies up behind, may be that of the call.
func (g *Graph) runsElsewhere(ctx context.Context, c *call) bool {
	if c.turn == "" {
		return false
	}
	head, err := g.log.Head(ctx, c.scope.Thread())
	return err == nil && (head.Done || head.Turn == c.turn)
}

// loadEarlier returns the end of a turn that began with an earlier delivery of the call's message. Another message under its id is
// state.ErrConflict.
func (g *Graph) loadEarlier(ctx context.Context, c *call, s state.Turn) (state.Turn, error) {
	s, err := g.loadSaid(ctx, c.scope, s)
	said := s.View.Get().Turn
	if err != nil || len(said) == 0 {
		return s, err
	}

	// What is kept is what was admitted, so that is what is compared.
	asked, err := g.memory.Turn().Admit(state.ContextWithEffects(state.ContextWithTrace(ctx, nil), &state.Effects{}), c.scope, c.req.makeMessage())
	if err == nil && !sameMessage(asked, said[0]) {
		err = state.Errorf(state.Conflict, "message "+c.req.MessageID, "is another one than was sent under this id before; give it an id of its own")
	}
	return s, err
}

// loadSaid gives a turn that had ended before the view it had: its messages, as they are kept.
func (g *Graph) loadSaid(ctx context.Context, scope state.Scope, s state.Turn) (state.Turn, error) {
	view, in := s.View.Get(), s.Input.Get()
	if len(view.Turn) > 0 {
		return s, nil
	}
	view, err := g.memory.Turn().Load(ctx, state.Input{Scope: scope, Seq: in.Seq}) // it may be taken back
	if err != nil {
		return s, err
	}
	view.Turn = slices.DeleteFunc(view.Turn, func(msg state.Message) bool { return msg.Turn != in.Turn })
	s.View.Set(view)
	if len(view.Turn) == 0 && (!s.Failure.IsSet() || s.Failure.Get().Cut) {
		return s, errWithdrawn
	}
	return s, nil
}

// sameMessage reports whether two messages say the same.
func sameMessage(a, b state.Message) bool {
	return a.Text == b.Text && slices.Equal(a.Parts, b.Parts) && slices.EqualFunc(a.Attachments, b.Attachments, func(a, b state.Attachment) bool {
		return a.Name == b.Name && a.Text == b.Text && bytes.Equal(a.Data, b.Data)
	})
}
