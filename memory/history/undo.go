package history

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// UndoTurn takes back what a finished turn wrote: its messages are shown to nobody any more, and the records and affairs that it changed, or
// that were learnt from its words since, are as they were. What was changed again by later turns is state.ErrConflict, which names the changes;
// then nothing is undone. It is one commit of its own; what happened stays in the log and the feed. A turn that wrote nothing is no
// error, and neither is one that was taken back. One that is not finished, whose messages the session does not count yet, is
// state.ErrConflict: it would have nothing left to go on with.
func (r *Room) UndoTurn(ctx context.Context, scope state.Scope, turn string) error {
	scope = scope.Default()
	ctx = r.desk.Under(ctx, scope)

	// The turn's messages: they are there, but shown to nobody.
	session, err := r.desk.Session(ctx, scope)
	if err != nil {
		return err
	}
	messages, err := desk.MessagesAfter(ctx, r.desk.Base, scope, 0)
	if err != nil {
		return err
	}
	var effects []state.Effect
	add := func(e state.Effect) {
		e.Scope = scope
		effects = append(effects, e)
	}
	preferred, began := false, time.Time{}
	for _, msg := range messages {
		if msg.Turn != turn {
			continue
		}
		if msg.Seq > session.Messages {
			return state.Errorf(state.Conflict, "undo turn "+turn, "it is not finished; end it first, then take it back")
		}
		if began.IsZero() {
			began = msg.At.Add(-undoSkew)
		}
		preferred = preferred || msg.Preferences != nil
		add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Undone: true}})
	}

	// The records and affairs that it changed, as they were before.
	of := func(v version) (its, enough bool) { return v.By.Turn == turn && v.Sess == scope.Session, false }
	back, err := r.revert(ctx, scope, "undo turn "+turn, began, of)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(back, desk.IsEdit) {
		if err := r.gate(ctx, scope, Request{Turn: turn}.wish()); err != nil {
			return err
		}
	}
	effects = append(effects, back...)

	// The session: preferences without the turn's, and the affair that is active again.
	if preferred {
		others := slices.DeleteFunc(slices.Clone(messages), func(msg state.Message) bool { return msg.Turn == turn })
		session.Preferences = parts.Preferred(others, session.PartFrom)
	}
	moved, err := r.sessionsAfter(ctx, scope, "undo turn "+turn, back)
	if err != nil {
		return err
	}
	for _, e := range moved {
		if e.Session.ID == session.ID {
			session.Active, session.LastAt, preferred = e.Session.Active, e.Session.LastAt, true
		} else {
			effects = append(effects, e)
		}
	}
	if preferred {
		add(state.Effect{Session: &session})
	}

	// Its summary is made anew if it covers the turn.
	if err := r.sumUpWithout(ctx, session, messages, turn, add); err != nil {
		return err
	}
	if len(effects) == 0 {
		return nil
	}
	return r.desk.Decide(ctx, effects...)
}

// Request is a change to be undone, or a turn to be taken back, as it is kept until it is approved.
type Request struct {
	Change int64  `bson:"change,omitempty"`
	Turn   string `bson:"turn,omitempty"`
}

// wish says what is asked for.
func (w Request) wish() desk.Wish {
	says := "turn " + w.Turn
	if w.Turn == "" {
		says = "change " + strconv.FormatInt(w.Change, 10)
	}
	return desk.Wish{Kind: "undo", Asks: "undo", Says: says, Request: w}
}

// Fulfil carries out an approved request. What it comes to are effects of the context.
func (r *Room) Fulfil(ctx context.Context, scope state.Scope, w Request) error {
	if w.Turn != "" {
		return r.UndoTurn(ctx, scope, w.Turn)
	}
	return r.undoOnce(ctx, scope, w.Change)
}

// sessionsAfter returns the edits of sessions in which another affair is active once affairs are restored. Where one would be active again and an affair
// that was not restored is, it is state.ErrConflict.
func (r *Room) sessionsAfter(ctx context.Context, scope state.Scope, op string, back []state.Effect) (out []state.Effect, err error) {
	// By session: which affair is active then, "" for none.
	active, restored := map[string]string{}, map[string]bool{}
	for _, e := range back {
		if e.Restore.Collection != state.Affairs {
			continue
		}
		restored[e.Restore.ID] = true
		was, is := state.Affair{}, state.Affair{}
		if err := errors.Join(readAffair(e.Restore.Was, &was), readAffair(e.Restore.Body, &is)); err != nil {
			return nil, state.Errorf(state.Internal, "affair "+e.Restore.ID, "is damaged: %w", err)
		}
		if _, known := active[was.Session]; was.Status == state.Active && !known {
			active[was.Session] = ""
		}
		if is.Status == state.Active {
			active[is.Session] = is.ID
		}
	}

	// What the sessions say now: an affair that was not restored stays the active one.
	for _, id := range slices.Sorted(maps.Keys(active)) {
		in := scope
		in.Session = id
		s, err := r.desk.Session(ctx, in)
		if err != nil {
			return nil, err
		}
		switch now := s.Active; {
		case s.ID == "", now == active[id], now != "" && !restored[now] && active[id] == "":
		case now != "" && !restored[now]:
			return nil, state.Errorf(state.Conflict, op, "affair %s is active in session %s now; park it first", now, id)
		default:
			if s.Active = active[id]; s.Active != "" {
				affair.TakeUp(&s, s.Active, r.desk.Now())
			}
			out = append(out, state.Effect{Scope: in, Session: &s})
		}
	}
	return out, nil
}

// readAffair reads a body; none is the zero affair.
func readAffair(body bson.Raw, a *state.Affair) error {
	if body == nil {
		return nil
	}
	return bson.Unmarshal(body, a)
}

// undoSkew is how far the clocks of two processes may differ.
const undoSkew = 10 * time.Minute

// sumUpWithout makes the summary of the session's part anew, by rule, when it covers messages of the undone turn.
func (r *Room) sumUpWithout(ctx context.Context, s state.Session, messages []state.Message, turn string, add func(state.Effect)) error {
	part, err := r.desk.ShownSummary(ctx, s)
	if err != nil || part.ID == "" {
		return err
	}

	span := *part.Span
	said := parts.Unfiled(messages, span.First-1, span.Covered)
	left := slices.DeleteFunc(slices.Clone(said), func(msg state.Message) bool { return msg.Turn == turn })
	if len(left) == len(said) {
		return nil
	}

	span.Messages, span.KeyFacts, span.Topics = 0, nil, nil
	part.Span, part.Content = &span, ""
	parts.Fold(&part, left, s.Language, r.desk.Set(ctx).Settings, r.desk.Tokens.Count, parts.ByRule(r.desk.Tokens.Count), r.desk.Now())
	add(state.Effect{Record: &part})
	return nil
}
