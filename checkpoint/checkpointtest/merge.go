package checkpointtest

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Append makes effects durable that no turn decided.
func Append(ctx context.Context, s store.Store, m checkpoint.Memory, effects ...state.Effect) error {
	if len(effects) == 0 {
		return nil
	}
	log := checkpoint.New(checkpoint.Config{Store: s, Memory: m})
	return errors.Join(log.Append(ctx, effects[0].Scope.WritesThread(), effects), log.Close())
}

// Write has put write what a batch holds, again when another writer was faster, and releases it.
func Write(ctx context.Context, b checkpoint.Batch, put func(ctx context.Context, docs ...store.Doc) error) error {
	defer b.Release()
	for {
		var err error
		for _, docs := range b.Docs() {
			if err = put(ctx, docs...); err != nil {
				break
			}
		}
		if err == nil {
			return b.Wrote(ctx)
		}
		if err := b.Again(ctx, err); err != nil {
			return err
		}
	}
}

// Merge is a checkpoint.Memory for tests of the log that keeps nothing in RAM: it merges effects into their documents, which are records, read from
// the store each time.
type Merge func(ctx context.Context, effects []state.Effect) ([]store.Doc, error)

// Look does nothing.
func (Merge) Look(context.Context, state.Thread) (int64, error) { return 0, nil }

// Merge merges effects.
func (m Merge) Merge(ctx context.Context, effects []state.Effect) (checkpoint.Batch, error) {
	b := &batch{merge: m, effects: effects}
	return b, b.Again(ctx, nil)
}

type batch struct {
	merge   Merge
	effects []state.Effect
	docs    []store.Doc
}

// Docs returns the records.
func (b *batch) Docs() [][]store.Doc { return [][]store.Doc{b.docs} }

// Wrote tells nobody.
func (b *batch) Wrote(context.Context) error { return nil }

// Release does nothing: nobody waits.
func (b *batch) Release() {}

// Again merges again where another writer was faster at a record.
func (b *batch) Again(ctx context.Context, failed error) (err error) {
	if at := (*store.ConflictError)(nil); failed != nil && (!errors.As(failed, &at) || at.Collection != state.Records) {
		return failed
	}
	b.docs, err = b.merge(ctx, b.effects)
	return err
}
