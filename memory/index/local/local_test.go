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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openOn(t testing.TB, s store.Store) *local.Shelf {
	t.Helper()
	shelf, err := local.New(local.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shelf.Close(); err != nil {
			t.Error(err)
		}
	})
	return shelf
}
