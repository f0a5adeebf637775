package desk

import (
	"context"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// ScopeOf returns the scope of a session.
func ScopeOf(s state.Session) state.Scope {
	return state.Scope{Client: s.Client, User: s.User, Session: s.ID}
}

// Look brings what is known of a thread's user up to the head of his feed. A turn begins with it, and looks no more: it has
// one state of the world, and its own commits. It is part of checkpoint.Memory.
func (k *Desk) Look(ctx context.Context, thread state.Thread) (seen int64, err error) {
	user, session, _ := strings.Cut(thread.ID, "/")
	if session == "" || strings.Contains(session, "/") {
		return 0, nil // no session: the graph of a host, or what runs inside a turn
	}
	scope := state.Scope{Client: thread.Client, User: user, Session: session}.Default()
	var both sync.WaitGroup // the client's feed is read beside the user's: no turn waits for it
	both.Go(func() { k.lookAtShared(ctx, scope) })
	d, err := k.Attend(ctx, scope, true)
	if err == nil {
		seen = d.Seq + 1
		d.Unlock()
	}
	both.Wait()
	return seen, err
}

// Mind returns the user's mind, locked; the caller unlocks it. It is up to date, but inside a step it is what the
// turn saw when it began, and the turn's own commits since.
func (k *Desk) Mind(ctx context.Context, scope state.Scope) (*mind.Mind, error) {
	return k.Attend(ctx, scope, state.EffectsFrom(ctx) == nil)
}

// Attend returns the user's mind, locked, and brings it up to the head of the feed when fresh is asked for.
func (k *Desk) Attend(ctx context.Context, scope state.Scope, fresh bool) (*mind.Mind, error) {
	if err := CheckScope(ctx, scope); err != nil {
		return nil, err
	}
	if err := Settled(ctx); err != nil {
		return nil, err
	}

	k.repairWrites(ctx, scope)
	d, err := k.Minds.Attend(ctx, scope, fresh)
	if err != nil || !fresh || !d.Owes || CallFrom(ctx).erasing {
		return d, err
	}

	d.Unlock() // what is to be erased nobody sees
	if err := k.Owed(ctx, scope); err != nil {
		return nil, err
	}
	return k.Minds.Attend(ctx, scope, fresh)
}

// repairWrites carries out what a process that died has left of the user's own thread, before his mind is read. Who has the thread does
// so himself. It is on no turn's bill: the turn did not cause it.
func (k *Desk) repairWrites(ctx context.Context, scope state.Scope) {
	if k.Store.Features().Atomic || k.Minds.Has(scope) {
		return
	}
	t, err := k.journal.Begin(state.ContextWithTrace(ctx, nil), scope.WritesThread(), "repair") // nothing is written under that name
	switch {
	case err == nil:
		t.Release()
	case state.CodeOf(err) != state.Conflict:
		state.TraceFrom(ctx).Note("what was written outside turns may wait to be carried out: %v", err)
	}
}

// Settled waits until what the turn has written so far is done: with durability async it may be on its way.
func Settled(ctx context.Context) error {
	if e := state.EffectsFrom(ctx); e != nil && e.Settle != nil {
		return e.Settle()
	}
	return nil
}

// Cleared returns what is out of sight of the user's sessions.
func (k *Desk) Cleared(ctx context.Context, scope state.Scope) (mind.Cleared, error) {
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return d.Cleared, nil
}

// Joined returns what was merged of the user's affairs.
func (k *Desk) Joined(ctx context.Context, scope state.Scope) (mind.Joined, error) {
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return d.Joined, nil
}

// Complete brings affairs of a view that are only recognised there up to all that they hold, and takes archived ones in. An id
// that is "" or of no affair is passed over. The list of a view is the turn's own.
func (k *Desk) Complete(ctx context.Context, v state.View, ids ...string) (state.View, error) {
	d, err := k.Mind(ctx, ScopeOf(v.Session))
	if err != nil {
		return v, err
	}
	defer d.Unlock()
	return d.Complete(ctx, v, ids...)
}

// Session returns a session as it is known now, whatever a turn saw when it began; the zero session for none.
func (k *Desk) Session(ctx context.Context, scope state.Scope) (state.Session, error) {
	d, err := k.Attend(ctx, scope, true)
	if err != nil {
		return state.Session{}, err
	}
	defer d.Unlock()
	return d.Sessions[scope.Session], nil
}

// SessionEnd returns the session as the store has it, and the number of its last message: see mind.Mind.SessionEnd.
func (k *Desk) SessionEnd(ctx context.Context, scope state.Scope) (state.Session, int64, error) {
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return state.Session{}, 0, err
	}
	defer d.Unlock()
	return d.SessionEnd(ctx, scope.Session)
}

// Own returns the user's own valid records, the oldest first: preferences, and what is said of him.
func (k *Desk) Own(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	now := k.Now()
	var out []state.Record
	for _, r := range d.Own {
		if r.Valid(now) && !r.Trust.Foreign() && r.About != state.AboutAffair && r.About != state.AboutProject {
			out = append(out, r)
		}
	}
	return out, nil
}
