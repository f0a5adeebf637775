package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// This file ends sessions that nobody came back to for session_idle_minutes: behind the reply to the user's next message in any session,
// and when the memory is closed. There is no timer. Which sessions those are the documents say, so what a process has not ended the
// next one does. Such an end is quiet. The part gets its document and is learnt from, but what was active stays so, with the window and how
// the user wants to be answered: who comes back and goes on finds all as he left it. A turn
// ends two such sessions at most, Close what it can in five seconds. A session in which nobody has answered was brought from elsewhere, and ends when
// somebody ends it.

// idleAtOnce bounds how many sessions a turn ends besides its own.
const idleAtOnce = 2

// endParts writes the documents of the session's parts that are over, and ends other sessions of the user that are idle.
func (e *edits) endParts(ctx context.Context) error {
	closed, err := e.closeParts(ctx)
	if err != nil {
		return err
	}
	more, err := e.endIdle(ctx)
	if err != nil || !closed && !more {
		return err
	}
	return e.finishParts(ctx)
}

// endIdle ends some sessions that are idle, and reports whether there were any. A turn that is to end leaves them.
func (e *edits) endIdle(ctx context.Context) (ended bool, err error) {
	if cmp.Or(ctx.Err(), state.StopFrom(ctx).Err()) != nil {
		return false, nil //nolint:nilerr // they are ended another time
	}

	d, err := e.x.desk.Mind(ctx, e.Scope)
	if err != nil {
		return false, err
	}
	views, err := e.idleViews(ctx, d)
	d.Unlock()

	for _, v := range views {
		other := &edits{e.x, &desk.Edits{Scope: e.Scope, View: v, Behind: true, Silent: e.Silent, Effects: e.Effects, By: state.By{Who: state.ByPipeline, Path: desk.EndPath}}}
		other.Scope.Session, other.Scope.Agent = v.Session.ID, v.Agent
		s := &other.View.Session
		parts.End(s, s.Messages+1, s.LastAt, s.LastAt)
		if _, err := other.closeParts(ctx); err != nil {
			return ended, err
		}
		other.Add(state.Effect{Session: s})
		e.Learnt.Add(other.Learnt.Take()...)
		e.Effects, e.Silent, ended = other.Effects, other.Silent, true
	}
	return ended, err
}

// idleViews returns the sessions to be ended, the one left first comes first. One with a turn that is not over waits for its end.
func (e *edits) idleViews(ctx context.Context, d *mind.Mind) (views []state.View, err error) {
	var list []state.Session
	since := e.x.idleSince(ctx)
	for _, s := range d.Sessions {
		if s.ID != e.View.Session.ID && abandoned(&s, since) {
			list = append(list, s)
		}
	}

	slices.SortFunc(list, func(a, b state.Session) int { return cmp.Or(a.LastAt.Compare(b.LastAt), strings.Compare(a.ID, b.ID)) })

	for _, s := range list {
		_, last, err := d.SessionEnd(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		if last <= s.Messages {
			views = append(views, state.View{Session: s, Agent: s.Agent, Affairs: d.Seen(s.ID)})
		}
		if len(views) == idleAtOnce {
			break
		}
	}
	return views, nil
}

// idleSince returns when a session that is idle now was used last, or before.
func (x *Room) idleSince(ctx context.Context) time.Time {
	return x.desk.Now().Add(-time.Duration(x.desk.Set(ctx).IdleMinutes) * time.Minute)
}

// abandoned reports whether a session is idle and not ended. One in which nobody has answered was brought from elsewhere, and stays.
func abandoned(s *state.Session, idleSince time.Time) bool {
	return s.Agent != "" && !s.LastAt.IsZero() && s.LastAt.Before(idleSince) && !s.Ended()
}

// closeTime is the longest that Close ends sessions.
const closeTime = 5 * time.Second

// EndIdle ends the idle sessions of the users in RAM, as far as there is time for it.
func (x *Room) EndIdle() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	left := x.desk.Minds.Users(func(d *mind.Mind) bool {
		since := x.idleSince(ctx)
		for _, s := range d.Sessions {
			if abandoned(&s, since) {
				return true
			}
		}
		return false
	})

	for _, user := range left {
		for more := true; more; {
			var err error
			if more, err = x.endIdleOf(ctx, user.Default()); err != nil {
				x.desk.Logger.WarnContext(ctx, "idle sessions were not ended: the user's next message does it", "user", user.UserPrefix(), "error", err)
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// endIdleOf ends some idle sessions of a user, outside turns, and reports whether there may be more.
func (x *Room) endIdleOf(ctx context.Context, user state.Scope) (more bool, err error) {
	ctx = x.desk.Under(x.desk.Knowing(ctx, user), user)
	leave, err := x.desk.Alone(ctx, user)
	if err != nil {
		return false, err
	}
	defer leave()
	e := &edits{x, &desk.Edits{Scope: user, Behind: true, By: state.By{Who: state.ByPipeline, Path: desk.EndPath}}}
	if more, err = e.endIdle(ctx); err == nil && more {
		err = e.finishParts(ctx)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil || !more { // without time the model has not answered, and the next turn asks it again
		return false, err
	}
	return true, e.x.desk.DecideAll(ctx, e.Edits)
}
