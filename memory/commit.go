package memory

import (
	"context"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Commits returns what the log of turns looks at when one begins, and has merge its effects: see checkpoint.Config.
func (t Turn) Commits() checkpoint.Memory { return t.m.desk }

// Together makes what is written under do's context durable together, once do returns; with an error nothing is written. Inside a turn it goes
// with the turn's step.
func (t Turn) Together(ctx context.Context, do func(ctx context.Context) error) error {
	if state.EffectsFrom(ctx) != nil {
		return do(ctx)
	}
	effects := &state.Effects{}
	if err := do(state.ContextWithEffects(ctx, effects)); err != nil {
		return err
	}
	if list := effects.Take(); len(list) > 0 {
		return t.m.desk.Commit(ctx, list)
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
			err = m.Turn().Together(ctx, func(ctx context.Context) error {
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
