package memory

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Merge merges effects into their documents: see ledger.Ledger.Merge. It is part of checkpoint.Memory.
func (m *Memory) Merge(ctx context.Context, effects []state.Effect) (checkpoint.Batch, error) {
	return m.ledger.Merge(ctx, effects)
}

// commit makes effects durable outside a turn; none is no commit.
func (m *Memory) commit(ctx context.Context, effects []state.Effect) error {
	if len(effects) == 0 {
		return nil
	}
	return m.journal.Append(ctx, effects[0].Scope.WritesThread(), m.date(ctx, effects))
}

// Together makes what is written under do's context durable together, once do returns; with an error nothing is written. Inside a turn it goes
// with the turn's step.
func (m *Memory) Together(ctx context.Context, do func(ctx context.Context) error) error {
	if state.EffectsFrom(ctx) != nil {
		return do(ctx)
	}
	effects := &state.Effects{}
	if err := do(state.ContextWithEffects(ctx, effects)); err != nil {
		return err
	}
	if list := effects.Take(); len(list) > 0 {
		return m.commit(ctx, list)
	}
	return nil
}

// mostTogether is how many edits Many makes durable together.
const mostTogether = 256

// Many carries out n edits in few commits, in order, and tells done what became of each; its error ends the work. Where one of several is
// refused they go on one by one, so do is called again for an edit that was not made durable.
func (m *Memory) Many(ctx context.Context, n int, do func(ctx context.Context, i int) error, done func(i int, err error) error) error {
	for from, size := 0, 1; from < n; {
		to := min(from+size, n)
		var err error
		if to == from+1 {
			err = do(ctx, from)
		} else {
			err = m.Together(ctx, func(ctx context.Context) error {
				for i := from; i < to; i++ {
					if err := do(ctx, i); err != nil {
						return err
					}
				}
				return nil
			})
		}

		// What is refused is known of one edit only; what was taken in lets more go together.
		if size = min(2*size, mostTogether); err != nil {
			size = 1
			if to > from+1 {
				continue
			}
		}
		for ; from < to; from++ {
			if err := done(from, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// date lets effects outside turns say what was known of memory when they were decided.
func (m *Memory) date(ctx context.Context, effects []state.Effect) []state.Effect {
	effects = slices.Clone(effects)
	for i, e := range effects {
		if e.Seen == 0 {
			effects[i].Seen = knownOf(ctx, e.Scope)
		}
	}
	return effects
}

type knownKey struct{ user string }

// knowing notes in the context what is known of a user's memory now, for what is decided under it and takes its time.
func (m *Memory) knowing(ctx context.Context, scope state.Scope) context.Context {
	key := knownKey{scope.UserPrefix()}
	if state.EffectsFrom(ctx) != nil || ctx.Value(key) != nil {
		return ctx
	}
	d, err := m.mind(ctx, scope)
	if err != nil {
		return ctx // what comes next finds it too
	}
	defer d.Unlock()
	return context.WithValue(ctx, key, d.Seq+1)
}

func knownOf(ctx context.Context, scope state.Scope) int64 {
	seen, _ := ctx.Value(knownKey{scope.UserPrefix()}).(int64)
	return seen
}

// decide hands effects to the turn's step, or commits them at once outside a turn.
func (m *Memory) decide(ctx context.Context, effects ...state.Effect) error {
	by := madeBy(ctx)
	for i := range effects {
		sign(&effects[i], by)
	}
	if err := m.fence(ctx, effects); err != nil {
		return err
	}
	if sink := state.EffectsFrom(ctx); sink != nil {
		sink.Add(effects...)
		return nil
	}
	return m.commit(ctx, effects)
}
