package desk

import (
	"context"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// What all users of a client know is kept under a user of its own (state.ClientUser), whose id no scope can have, with its own feed,
// mind and vectors. Only Share writes there, outside turns. Its feed is looked at beside the user's
// when a turn begins, once in 30 seconds, so another process's Share is seen that much later.

// sharedEvery is how old what is known of other processes' Share may be. What this process shares is known at once.
const sharedEvery = 30 * time.Second

// mostClients bounds of how many clients is kept whether they share anything.
const mostClients = 4096

// sharing is what is known of clients: whether their users share anything, and when that was looked at last.
type sharing struct {
	mu      sync.Mutex
	clients map[string]sharedLook
}

type sharedLook struct {
	at    time.Time
	there bool
}

// get returns what is known of a client.
func (s *sharing) get(client string) (l sharedLook, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, known = s.clients[client]
	return l, known
}

// put notes what is known of a client.
func (s *sharing) put(client string, l sharedLook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil || len(s.clients) >= mostClients {
		s.clients = map[string]sharedLook{}
	}
	s.clients[client] = l
}

// OfClient returns the scope under which a client's users share.
func OfClient(scope state.Scope) state.Scope {
	return state.Scope{Client: scope.Client, Project: scope.Project, User: state.ClientUser}
}

// NoteShared says that the users of a client share something.
func (k *Desk) NoteShared(client string) { k.sharing.put(client, sharedLook{k.Now(), true}) }

// lookAtShared brings what is known of the client's sharing up to date when that was long ago: one reading. A failure leaves it as it was,
// with a note.
func (k *Desk) lookAtShared(ctx context.Context, scope state.Scope) {
	last, known := k.sharing.get(scope.Client)
	now := k.Now()
	if age := now.Sub(last.at); known && age >= 0 && age < sharedEvery {
		return
	}
	err := k.refreshShared(ctx, OfClient(scope), &last)
	if err != nil {
		state.TraceFrom(ctx).Note("shared knowledge of client %s: as it was known before, since it could not be read: %v", scope.Client, err)
	}
	last.at = now
	k.sharing.put(scope.Client, last)
}

// refreshShared looks whether there is anything, and at what is new.
func (k *Desk) refreshShared(ctx context.Context, shared state.Scope, last *sharedLook) error {
	if !last.there {
		head, err := ledger.Head(ctx, k.Base, shared)
		if err != nil || head.Seq == 0 {
			return err
		}
	}
	d, err := k.Minds.Attend(ctx, shared, true)
	if err != nil {
		return err
	}
	d.Unlock()
	last.there = true
	return nil
}

// SharedMind returns what the client's users share, locked, and nil when they share nothing. Inside a step it is what was known when the turn
// began.
func (k *Desk) SharedMind(ctx context.Context, scope state.Scope) (*mind.Mind, error) {
	last, known := k.sharing.get(scope.Client)
	if !known || state.EffectsFrom(ctx) == nil {
		k.lookAtShared(ctx, scope)
		last, _ = k.sharing.get(scope.Client)
	}
	if !last.there {
		return nil, nil
	}
	return k.Minds.Attend(ctx, OfClient(scope), false)
}
