package storetest_test

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// oneByOne is a store without transactions: each document of a Write on its own, in order.
type oneByOne struct{ *ram.Store }

// Write stops at the first document that cannot be written.
func (s oneByOne) Write(ctx context.Context, docs ...store.Doc) error {
	if err := store.ValidateWrite(docs); err != nil {
		return err
	}
	for _, d := range docs {
		if err := s.Store.Write(ctx, d); err != nil {
			return err
		}
	}
	return s.Store.Write(ctx)
}

func TestCountingKeepsThePromises(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return &store.Counting{Store: ram.New()} })
}

func TestSequential(t *testing.T) {
	t.Parallel()
	storetest.Suite{Sequential: true, Open: func(*testing.T) store.Store { return oneByOne{ram.New()} }}.Run(t)
}
