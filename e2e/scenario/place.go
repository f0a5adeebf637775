package scenario

import (
	"context"
	"errors"
	"os"
	"time"

	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// place is where the store of a scenario is: in a folder, or in a database.
type place struct {
	Dir      string
	URI      string // "" = in Dir
	Database string
}

// stage is an open graph with what is closed after it.
type stage struct {
	*graph.Graph
	closeStore func() error
}

// Close ends the graph and closes its store.
func (s *stage) Close() error { return errors.Join(s.Graph.Close(), s.closeStore()) }

// place makes sure of the place that is configured; remove is to be called when the scenario is over.
func (c Config) place(ctx context.Context) (p place, remove func(context.Context) error, err error) {
	keep := func(context.Context) error { return nil }
	p = place{c.Dir, c.URI, c.Database}
	switch {
	case p.URI != "" && (p.Dir != "" || p.Database == ""):
		return p, nil, state.Errorf(state.Invalid, "place of scenarios", "a URI needs a Database, and no Dir")
	case p.URI != "":
		return p, p.drop, p.empty(ctx)
	case p.Dir != "":
		return p, keep, nil
	}

	p.Dir, err = os.MkdirTemp("", "mneme-scenario-")
	if err != nil {
		return p, nil, state.Errorf(state.Unavailable, "place of scenarios", "no temporary folder: %w", err)
	}
	return p, func(context.Context) error {
		_ = os.RemoveAll(p.Dir) // a leftover in the temporary folder harms nobody
		return nil
	}, nil
}

// closingStore is a store that is closed by who opened it.
type closingStore interface {
	store.Store
	Close() error
}

// openStore opens the store there.
func (p place) openStore(ctx context.Context) (closingStore, error) {
	if p.URI == "" {
		return sqlite.Open(ctx, sqlite.Config{Dir: p.Dir})
	}
	return mongo.Open(ctx, mongo.Config{URI: p.URI, Name: p.Database})
}

// open opens the graph there.
func (p place) open(ctx context.Context, c graph.Config) (*stage, error) {
	s, err := p.openStore(ctx)
	if err != nil {
		return nil, err
	}
	c.Store = s
	g, err := graph.New(ctx, c)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &stage{g, s.Close}, nil
}

// lease returns how long a turn that died there is safe from being taken over.
func (p place) lease() time.Duration {
	if p.URI == "" {
		return 0
	}
	return state.LeaseTTL
}

// empty refuses a database that holds something: it is dropped in the end.
func (p place) empty(ctx context.Context) (err error) {
	s, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	for _, c := range store.Collections() {
		docs, err := s.Scan(ctx, store.Query{Collection: c, Limit: 1})
		if err != nil {
			return err
		}
		if len(docs) > 0 {
			return state.Errorf(state.Conflict, "database "+p.Database, "is not empty, and a scenario's is dropped after it; name another")
		}
	}
	return nil
}

// drop removes the database.
func (p place) drop(ctx context.Context) error {
	client, err := mongodriver.Connect(options.Client().ApplyURI(p.URI))
	if err == nil {
		err = errors.Join(client.Database(p.Database).Drop(ctx), client.Disconnect(ctx))
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "database "+p.Database, "stays behind, drop it yourself: %w", err)
	}
	return nil
}
