package crash_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

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
			if err := os.CopyFS(filepath.Join(to, "store"), os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(to, "store")
		},
	}, {
		name:  "mongo",
		slow:  true,
		fresh: func(t *testing.T) string { t.Helper(); return mongotest.Shared(t) },
		open: func(ctx context.Context, at string) (opened, error) {
			return mongo.Open(ctx, mongo.Config{URI: at})
		},
		copy: copyDatabase,
	}}
}

// copyDatabase copies every document as it lies there, revisions included.
func copyDatabase(t *testing.T, from string) string {
	t.Helper()
	to := mongotest.Shared(t)
	source, target := database(t, from), database(t, to)
	names, err := source.ListCollectionNames(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var docs []bson.Raw
		cursor, err := source.Collection(name).Find(t.Context(), bson.D{})
		if err == nil {
			err = cursor.All(t.Context(), &docs)
		}
		if err == nil && len(docs) > 0 {
			_, err = target.Collection(name).InsertMany(t.Context(), docs)
		}
		if err != nil {
			t.Fatalf("copy of %s: %v", name, err)
		}
	}
	return to
}

// database is the one that a URI names, until the test ends.
func database(t *testing.T, uri string) *mongodriver.Database {
	t.Helper()
	client, err := mongodriver.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	return client.Database(strings.TrimPrefix(u.Path, "/"))
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
