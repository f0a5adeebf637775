package memory

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Look brings what is known of a thread's user up to the head of his feed. A turn begins with it, and looks no more: it has
// one state of the world, and its own commits. It is part of checkpoint.Memory.
func (m *Memory) Look(ctx context.Context, thread state.Thread) error {
	user, session, _ := strings.Cut(thread.ID, "/")
	if session == "" || strings.Contains(session, "/") {
		return nil // no session: the graph of a host, or what runs inside a turn
	}
	d, err := m.attend(ctx, state.Scope{Client: thread.Client, User: user, Session: session}.Default(), true)
	if err == nil {
		d.mu.Unlock()
	}
	return err
}

// mind returns the user's mind, locked; the caller unlocks it. It is up to date, but inside a step it is what the
// turn saw when it began, and the turn's own commits since.
func (m *Memory) mind(ctx context.Context, scope state.Scope) (*mind, error) {
	return m.attend(ctx, scope, state.EffectsFrom(ctx) == nil)
}

// attend returns the user's mind, locked, and brings it up to the head of the feed when fresh is asked for.
func (m *Memory) attend(ctx context.Context, scope state.Scope, fresh bool) (*mind, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := settled(ctx); err != nil {
		return nil, err
	}
	d := m.lock(scope)
	if d.loaded && !fresh && !d.behind {
		return d, nil
	}
	if err := m.update(ctx, d); err != nil {
		d.mu.Unlock()
		return nil, err
	}
	return d, nil
}

// update brings a mind up to the head of the feed. The caller holds it.
func (m *Memory) update(ctx context.Context, d *mind) error {
	if err := m.refresh(ctx, d); err != nil {
		d.loaded = false
		return err
	}
	d.behind = false
	m.account(d)
	return nil
}

// settled waits until what the turn has written so far is done: with durability async it may be on its way.
func settled(ctx context.Context) error {
	if e := state.EffectsFrom(ctx); e != nil && e.Settle != nil {
		return e.Settle()
	}
	return nil
}

// lock returns the user's mind, locked, as it is.
func (m *Memory) lock(scope state.Scope) *mind {
	key := scope.UserPrefix()
	for {
		m.mu.Lock()
		d := m.minds[key]
		if d == nil {
			d = &mind{scope: state.Scope{Client: scope.Client, User: scope.User}}
			m.minds[key] = d
		}
		m.mu.Unlock()

		d.mu.Lock()
		m.mu.Lock()
		stands := m.minds[key] == d
		m.mu.Unlock()
		if stands {
			return d
		}
		d.mu.Unlock() // it was dropped while we waited
	}
}
