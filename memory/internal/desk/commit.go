package desk

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Merge merges effects into their documents: see ledger.Ledger.Merge. It is part of checkpoint.Memory.
func (k *Desk) Merge(ctx context.Context, effects []state.Effect) (checkpoint.Batch, error) {
	return k.ledger.Merge(ctx, effects)
}

// Commit makes effects durable outside a turn; none is no commit.
func (k *Desk) Commit(ctx context.Context, effects []state.Effect) error {
	if len(effects) == 0 {
		return nil
	}
	return k.journal.Append(ctx, effects[0].Scope.WritesThread(), k.date(ctx, effects))
}

// date lets effects outside turns say what was known of memory when they were decided.
func (k *Desk) date(ctx context.Context, effects []state.Effect) []state.Effect {
	effects = slices.Clone(effects)
	for i, e := range effects {
		if e.Seen == 0 {
			effects[i].Seen = knownOf(ctx, e.Scope)
		}
	}
	return effects
}

// Knowing notes in the context what is known of a user's memory now, for what is decided under it and takes its time.
func (k *Desk) Knowing(ctx context.Context, scope state.Scope) context.Context {
	if state.EffectsFrom(ctx) != nil || knownOf(ctx, scope) != 0 {
		return ctx
	}
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return ctx // what comes next finds it too
	}
	defer d.Unlock()
	return grant(ctx, func(g *granted) { g.known = append(slices.Clip(g.known), known{scope.UserPrefix(), d.Seq + 1}) })
}

// knownOf returns what was known of a user's memory when what is done under the context began, 0 = nothing was noted.
func knownOf(ctx context.Context, scope state.Scope) int64 {
	user := scope.UserPrefix()
	for _, k := range CallFrom(ctx).known {
		if k.user == user {
			return k.seen
		}
	}
	return 0
}

// Decide hands effects to the turn's step, or commits them at once outside a turn.
func (k *Desk) Decide(ctx context.Context, effects ...state.Effect) error {
	Sign(effects, MadeBy(ctx))
	if err := k.fence(ctx, effects); err != nil {
		return err
	}
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return nil
	}
	return k.Commit(ctx, effects)
}

// Alone keeps other calls of Write off the user's memory from judging to committing, outside a turn. A turn's step cannot wait
// so long.
func (k *Desk) Alone(ctx context.Context, scope state.Scope) (leave func(), err error) {
	if state.EffectsFrom(ctx) != nil {
		return func() {}, nil
	}
	return k.ledger.Alone(ctx, "write "+scope.UserPrefix())
}
