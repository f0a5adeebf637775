package embedded

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/settings"
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

// OpenConfig is Open with parts of one's own. The store is always the folder's; a nil Model is the offline one. What the folder's global
// settings document says of a process counts from now on, where Settings and Fixed do not say otherwise; an embedding_model in it is the host's to open,
// and the Logger is told if it has not.
func OpenConfig(ctx context.Context, dir string, c graph.Config) (*Graph, error) {
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return nil, err
	}

	c.Store = s
	if c.Model == nil {
		c.Model = offline.New()
	}
	if c.Settings, c.Fixed, err = settings.New(settings.Config{Store: s, Now: c.Now, Operator: c.Settings, Fixed: c.Fixed}).AtStart(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}

	g, err := graph.New(ctx, c)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}

	if name := c.Settings.EmbeddingModel; name != "" && c.Embedder == nil && c.Logger != nil {
		c.Logger.Warn("the setting embedding_model has no effect here: this host opens no embedder; give one in graph.Config.Embedder", "embedding_model", name)
	}
	return &Graph{g, s}, nil
}

// Store returns the store in the folder, for reading its figures.
func (g *Graph) Store() *sqlite.Store { return g.store }

// Close ends the graph and closes its store.
func (g *Graph) Close() error { return errors.Join(g.Graph.Close(), g.store.Close()) }
