package embedded

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// Graph is a graph with a store of its own.
type Graph struct {
	*graph.Graph
	store *sqlite.Store
}

// Open opens the memory in a folder, made when it is missing, with the offline model: no server, no key, no network.
// Other processes may have the same folder open.
func Open(ctx context.Context, dir string) (*Graph, error) {
	return OpenConfig(ctx, dir, graph.Config{})
}

// OpenConfig is Open with parts of one's own. The store is always the folder's; a nil Model is the offline one.
func OpenConfig(ctx context.Context, dir string, c graph.Config) (*Graph, error) {
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	c.Store = s
	if c.Model == nil {
		c.Model = offline.New()
	}
	g, err := graph.New(ctx, c)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Graph{g, s}, nil
}

// Store is the store in the folder, for reading its figures.
func (g *Graph) Store() *sqlite.Store { return g.store }

// Close ends the graph and closes its store.
func (g *Graph) Close() error { return errors.Join(g.Graph.Close(), g.store.Close()) }
