package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

// An affair that is resolved keeps a last summary and key facts, as one that is parked. What is resolved is archived by a turn's
// CarryOut once it was left untouched for archive_after_days, or when more affairs are in sight than may be hot: sixteen a turn at
// most, in the turn's commit, with a note in the trace. To name it opens it again.

// List lists the user's affairs as the scope's session sees them, last touched first; archived ones only
// with archived. One that is active in another session is PARKED here, and its Session names the other one. They are shared and must not be changed in place.
func (f Affairs) List(ctx context.Context, scope state.Scope, archived bool) ([]*state.Affair, error) {
	scope = scope.Default()
	d, err := f.m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return d.All(ctx, scope.Session, archived)
}

// Get finds one of the user's affairs by id, by four or more characters that only its id begins with, or by a title that only
// one has (case and diacritics do not count, and a part of it is enough), and tells which others it is related to. None is
// state.ErrNotFound, several are state.ErrConflict; the error lists the candidates.
func (f Affairs) Get(ctx context.Context, scope state.Scope, name string) (state.Affair, error) {
	scope = scope.Default()
	a, err := f.m.named(ctx, scope, name)
	if err != nil {
		return a, err
	}
	related, err := f.Related(ctx, scope, a.ID, 2, relatedMost)
	for _, r := range related {
		if r.Affair != nil {
			a.Related = append(a.Related, r.ID)
		}
	}
	return a, err
}

// relatedMost is how many links an affair shows.
const relatedMost = 12

// named finds an affair. Numbers are those of a printed list: who prints one resolves them. Only the one found is read in the store.
func (m *Memory) named(ctx context.Context, scope state.Scope, name string) (state.Affair, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return state.Affair{}, err
	}
	defer d.Unlock()
	if d.Knows(name) {
		return d.WholeAsSeen(ctx, name, scope.Session)
	}

	items := pick.Affairs(d.Everyone(scope.Session))
	for i := range items {
		items[i].Number = 0
	}
	id, err := pick.One("affair", name, items)
	if err != nil {
		return state.Affair{}, err
	}
	return d.WholeAsSeen(ctx, id, scope.Session)
}

// Move takes an affair, named as for Get, to another status, with everything that follows from it in the session: made
// ACTIVE it is the session's, and what was active there is parked; PARKED or RESOLVED it gets a summary, and RESOLVED its tasks and deadlines of its own name are done; ARCHIVED it is out of
// sight, and nothing is deleted. A summary that is given takes the place of the extracted one, also of an affair that is parked
// already. It returns once the summary can be recalled, by words and, outside a turn, by its meaning, unless the embedder is late.
// An illegal move is state.ErrInvalid and names the legal ones; a session that was never used takes no affair: state.ErrNotFound, Sessions.Edit
// with New begins it.
func (f Affairs) Move(ctx context.Context, scope state.Scope, name string, to state.Status, summary string) (state.Affair, error) {
	scope = scope.Default()
	ctx = f.m.desk.Under(ctx, scope)

	// Which affair is meant, and whether it can be moved at all.
	c, err := f.m.checked(ctx, AffairChange{Summary: &summary})
	if err != nil {
		return state.Affair{}, err
	}
	a, err := f.Get(ctx, scope, name)
	if err != nil {
		return a, err
	}
	if a.MergedInto != "" {
		return a, merged(a)
	}
	if origin := desk.CallFrom(ctx); to == state.Resolved {
		if err := mayMove(origin, a); err != nil {
			return a, err
		}
	}
	if to == state.Archived && a.Status == state.Parked && a.Session != "" {
		return a, state.Errorf(state.Conflict, "archive affair "+a.ID, "it is active in session %s; park or resolve it there first", a.Session)
	}

	// An affair that is there already changes its summary at most.
	now := f.m.c.Now()
	moved, err := affair.Move(a, to, scope.Session, now)
	switch {
	case err == nil && a.Status == to && *c.Summary != "" && *c.Summary != a.Summary:
		return f.Edit(ctx, scope, a.ID, c)
	case err != nil || a.Status == to:
		return moved, err
	}

	// The move is made on a view of the session, so that what follows from it comes along.
	if err := f.m.suggestions.Gate(ctx, scope, affairWish{ID: a.ID, To: to, Summary: *c.Summary}.wish(a.Title)); err != nil {
		return a, err
	}
	session, err := f.m.Sessions().Get(ctx, scope)
	if err == nil && to == state.Active && session.ID == "" {
		err = f.m.begun(ctx, scope)
	}
	if err != nil {
		return a, err
	}
	e := &edits{f.m, &desk.Edits{Scope: scope, By: desk.MadeBy(ctx)}}
	e.View.Affairs, err = f.List(ctx, scope, true)
	if err != nil {
		return a, err
	}
	e.View.Session = parts.Open(session, scope, now)
	if err := e.move(ctx, a, to, *c.Summary); err != nil {
		return a, err
	}
	if err := f.m.desk.Decide(ctx, e.Effects...); err != nil {
		return a, err
	}

	// The summary is to be found by its meaning when this returns.
	if setAside(to) {
		f.m.awaitVector(ctx, scope, a.ID)
	}
	after, _ := e.View.Affair(a.ID)
	return after, nil
}

// begun refuses a session that was never used: its name may be mistyped, and what becomes active in it leaves the session that has it.
func (m *Memory) begun(ctx context.Context, scope state.Scope) error {
	s, last, err := m.desk.SessionEnd(ctx, scope)
	if err == nil && s.ID == "" && last == 0 {
		err = m.sessions.Missing(ctx, scope)
	}
	return err
}

// move gives an affair another status, and the session that has it or gets it the pointer.
func (e *edits) move(ctx context.Context, a state.Affair, to state.Status, summary string) error {
	last := e.View.Session.Messages + 1
	switch to {
	case state.Active:
		if err := e.park(ctx, last); err != nil {
			return err
		}
		if err := e.takeUp(ctx, a.ID); err != nil {
			return err
		}
		affair.TakeUp(&e.View.Session, a.ID, e.m.c.Now())
	case state.Parked, state.Resolved:
		if err := e.setAside(ctx, a, to, last); err != nil {
			return err
		}
		if summary != "" {
			e.edit(state.AffairEdit{ID: a.ID, Summary: summary})
		}
	default:
		e.edit(state.AffairEdit{ID: a.ID, Status: to})
	}

	switch { // the session is left as it is where another affair is active: a call beside this one may have switched it
	case to == state.Active:
	case e.View.Session.Active == a.ID:
		e.View.Session.Active = ""
	default:
		return nil
	}
	e.Add(state.Effect{Session: &e.View.Session})
	return nil
}

// awaitVector waits, outside a turn, until an affair's summary is found by its meaning too. One that is late is noted.
func (m *Memory) awaitVector(ctx context.Context, scope state.Scope, id string) {
	if m.desk.Vectors == nil || state.EffectsFrom(ctx) != nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, state.Critical.Within())
	defer cancel()
	if err := m.desk.Vectors.Wait(within, index.Of(scope), mind.DocID(state.Affairs, id)); err != nil {
		state.TraceFrom(ctx).Note("affair %s: found by words, its vector is late: %v", id, err)
	}
}
