package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Apply merges effects into their documents and has write write them: see ledger.Ledger.Apply. It is part of checkpoint.Memory.
func (m *Memory) Apply(ctx context.Context, effects []state.Effect, write func(ctx context.Context, docs ...store.Doc) error) error {
	return m.ledger.Apply(ctx, effects, write)
}

// commit makes effects durable outside a turn. Where the store has no transactions that is a step of the user's own thread.
func (m *Memory) commit(ctx context.Context, effects []state.Effect) error {
	if m.journal == nil {
		return m.Apply(ctx, effects, m.c.Store.Write)
	}
	for range commitTries {
		if err := m.journal.Append(ctx, effects[0].Scope.WritesThread(), effects); state.CodeOf(err) != state.Conflict {
			return err
		}
	}
	return m.journal.Append(ctx, effects[0].Scope.WritesThread(), effects)
}

// commitTries bounds how often a step of the user's own thread meets another one.
const commitTries = 16

// decide hands effects to the turn's step, or commits them at once outside a turn.
func (m *Memory) decide(ctx context.Context, effects ...state.Effect) error {
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return nil
	}
	return m.commit(ctx, effects)
}

// keeper is what the ledger sees of the minds.
type keeper struct{ *Memory }

var _ ledger.Minds = keeper{}

// Held are the documents that the user's mind holds, if it is loaded.
func (m keeper) Held(ctx context.Context, user state.Scope) (ledger.Reader, int64, error) {
	d := m.lock(user)
	defer d.mu.Unlock()
	if !d.loaded {
		return nil, 0, nil
	}
	if d.behind {
		if err := m.update(ctx, d); err != nil {
			return nil, 0, err
		}
	}
	return d.docs, d.seq, nil
}

// Stale has the user's mind read what it has missed before its next use, and the document that a Write has met.
func (m keeper) Stale(user state.Scope, met *store.ConflictError) {
	d := m.lock(user)
	defer d.mu.Unlock()
	d.behind = true
	if met == nil || !slices.Contains(kept(), met.Collection) || !strings.HasPrefix(met.ID, user.UserPrefix()) {
		return
	}
	if d.doubted == nil {
		d.doubted = map[ledger.Ref]bool{}
	}
	d.doubted[ledger.Ref{Collection: met.Collection, ID: met.ID}] = true
}

// Wrote takes documents that were just written into the minds, so that no one reads them back.
func (m keeper) Wrote(docs ...store.Doc) { m.applied(docs) }
