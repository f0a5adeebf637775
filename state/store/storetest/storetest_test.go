package storetest_test

import (
	"testing"

	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func TestCountingKeepsThePromises(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return &store.Counting{Store: ram.New()} })
}

func TestWithoutTransactions(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return ram.NewLoose() })
}
