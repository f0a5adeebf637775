package crash_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// opened is a store that its opener closes.
type opened interface {
	store.Store
	Close() error
}

// driver is a kind of store that can be left by a process that dies. Where a store is, is a text: a folder, or the
// address of a database. Another store joins the tests with a line in drivers.
type driver struct {
	name  string
	slow  bool                           // a quarter of the places is tried, unless asked for more
	fresh func(t *testing.T) (at string) // a place for a new store, removed with the test
	open  func(ctx context.Context, at string) (opened, error)
	copy  func(t *testing.T, from string) (at string) // of a store that nobody has open
}

// drivers are those that the tests run on.
func drivers() []driver {
	return []driver{{
		name:  "sqlite",
		fresh: func(t *testing.T) string { t.Helper(); return t.TempDir() },
		open: func(ctx context.Context, at string) (opened, error) {
			return sqlite.Open(ctx, sqlite.Config{Dir: at})
		},
		copy: func(t *testing.T, from string) string {
			t.Helper()
			to := t.TempDir()
			must(t, os.CopyFS(filepath.Join(to, "store"), os.DirFS(from)))
			return filepath.Join(to, "store")
		},
	}, {
		name:  "mongo",
		slow:  true,
		fresh: func(t *testing.T) string { t.Helper(); return mongotest.Shared(t) },
		open: func(ctx context.Context, at string) (opened, error) {
			return mongo.Open(ctx, mongo.Config{URI: at})
		},
		copy: func(t *testing.T, from string) string { t.Helper(); return mongotest.Copy(t, from) },
	}}
}

func driverNamed(name string) driver {
	for _, d := range drivers() {
		if d.name == name {
			return d
		}
	}
	return driver{open: func(context.Context, string) (opened, error) {
		return nil, state.Errorf(state.Invalid, "store", "driver %q is not known", name)
	}}
}
