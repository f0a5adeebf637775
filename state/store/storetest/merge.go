package storetest

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Merge is a memory for tests of the log (checkpoint.Memory) that keeps nothing in RAM: it merges effects into their
// documents, which are records, read from the store each time.
type Merge func(ctx context.Context, effects []state.Effect) ([]store.Doc, error)

// Look does nothing.
func (Merge) Look(context.Context, state.Thread) (int64, error) { return 0, nil }

// Apply merges effects and has the documents written, again when another writer was faster at a record.
func (m Merge) Apply(ctx context.Context, effects []state.Effect, write func(context.Context, ...store.Doc) error) (err error) {
	for range 16 {
		docs, wrong := m(ctx, effects)
		if wrong != nil {
			return wrong
		}
		err = write(ctx, docs...)
		if at := (*store.ConflictError)(nil); !errors.As(err, &at) || at.Collection != state.Records {
			return err
		}
	}
	return err
}
