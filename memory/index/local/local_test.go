package local_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/indextest"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func TestOnRAM(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(t *testing.T) index.Shelf { return openOn(t, ram.New()) })
}

func TestOnLoose(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(t *testing.T) index.Shelf { return openOn(t, ram.NewLoose()) })
}

func TestOnFolder(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(t *testing.T) index.Shelf { return openOn(t, openFolder(t, t.TempDir())) })
}

func TestWithoutInstructions(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(t *testing.T) index.Shelf {
		shelf := openOn(t, ram.New())
		shelf.PureGo()
		return shelf
	})
}

func openFolder(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func openOn(t testing.TB, s store.Store) *local.Shelf {
	t.Helper()
	shelf, err := local.New(local.Config{Store: s})
	must(t, err)
	t.Cleanup(func() { must(t, shelf.Close()) })
	return shelf
}
