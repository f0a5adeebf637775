package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// opened is a graph with its store and the configuration it was opened from.
type opened struct {
	*graph.Graph
	store  *keeping
	config config
	scope  state.Scope
	made   graph.Config // what the graph was made of
}

// Close ends the graph and closes its store.
func (o *opened) Close() error { return errors.Join(o.Graph.Close(), o.store.close()) }

// where returns the store's address as it may be printed.
func (o *opened) where() string { return masked(o.config.address()) }

// with opens a graph, does a command's work with it and closes it. Open is one of the four below.
func with(ctx context.Context, open func(context.Context) (*opened, error), do func(*opened) error) (err error) {
	g, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g)
}

// open resolves the configuration and opens the graph it names. It makes the store where there is none.
func (c *console) open(ctx context.Context) (*opened, error) { return c.openFor(ctx, true) }

// openThere opens the graph for what makes no store: where there is none it is NotFound.
func (c *console) openThere(ctx context.Context) (*opened, error) { return c.openFor(ctx, false) }

// openNamed opens as openThere does, with the session that a flag names by its number, title or the beginning of its id.
func (c *console) openNamed(ctx context.Context) (*opened, error) {
	return c.openFor(ctx, false, (*opened).takeNamed)
}

// openLog opens as openNamed does, for what works on the log of the session: the graph asks about what its unfinished turn has asked about.
func (c *console) openLog(ctx context.Context) (*opened, error) {
	return c.openFor(ctx, false, (*opened).takeNamed, (*opened).keepAsking)
}

// openFor opens the graph, and does what comes before the command's work.
func (c *console) openFor(ctx context.Context, makes bool, before ...func(*opened, context.Context) error) (*opened, error) {
	resolved, err := c.resolve()
	if err != nil {
		return nil, err
	}
	g, err := resolved.open(ctx, makes)
	if err != nil {
		return nil, err
	}
	for _, do := range before {
		if err := do(g, ctx); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// open opens the graph. A store that is not there is made, or NotFound.
func (c config) open(ctx context.Context, makes bool) (*opened, error) {
	// What the configuration alone can tell is refused first, before a store is opened or made.
	scope := c.scope()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := c.drivers(); err != nil {
		return nil, err
	}
	chat, small, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	embedder, shelf, err := c.meaning(ctx, nil)
	if err != nil {
		return nil, err
	}
	defined, err := c.agents()
	if err != nil {
		return nil, err
	}

	// Commands that only look back make no store.
	if !makes {
		if err := mustHoldStore(c.address(), "name another with --dir"); err != nil {
			return nil, err
		}
	}
	s, err := openStore(ctx, c.address(), c.get("encryption_keys"))
	if err != nil {
		return nil, err
	}

	book, err := c.openErasures(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}

	// What is set in the store for all holds too, where no flag or variable is nearer.
	start, fixed, err := settings.New(settings.Config{Store: s.Store, Operator: c.settings, Fixed: c.fixed()}).AtStart(ctx)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if set := c.starting(start); set.get("embedder") != c.get("embedder") {
		c = set
		if embedder, shelf, err = c.meaning(ctx, nil); err != nil { // what is set for all must not keep anybody from setting it anew
			c.without = noEmbedder(err)
			embedder, shelf = nil, nil
		}
	}

	// The graph does not close the store: who opened it does, also after an error.
	made := graph.Config{Store: s.Store, Model: chat, SmallModel: small, Settings: start, Fixed: fixed, Embedder: embedder, Shelf: shelf, Agents: defined, OpenModel: c.openModel, MayShare: c.mayShare, OwnTurns: true, Erasures: book}
	g, err := graph.New(ctx, made)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return &opened{g, s, c, scope, made}, nil
}

// keepAsking lets the graph ask about the tools that the session's unfinished turn has asked about, whatever the settings
// are by now: what a person was asked is not done without the answer, nor against it.
func (o *opened) keepAsking(ctx context.Context) error {
	// A turn that is over asks nothing.
	last, err := o.History(ctx, o.scope, checkpoint.Which{Limit: 1})
	if err != nil || len(last) == 0 || last[0].Done {
		return err
	}
	steps, err := o.History(ctx, o.scope, checkpoint.Which{Turn: last[0].Turn})
	if err != nil {
		return err
	}

	// Only our own tools can be asked about here: a host's are not there.
	var there []string // a host's own tools are not
	for _, t := range tools.New(o.Memory()) {
		info, err := t.Info(ctx)
		if err != nil {
			return err
		}
		there = append(there, info.Name)
	}
	for _, s := range steps {
		for _, a := range s.Asked {
			if name := tools.Canonical(a.Question.Tool); slices.Contains(there, name) {
				o.made.Approve = append(o.made.Approve, name)
			}
		}
	}
	if o.made.Approve == nil {
		return nil
	}

	return o.remake(ctx)
}

// remake makes the graph anew on the same store, of what made says now, and closes the other one.
func (o *opened) remake(ctx context.Context) error {
	g, err := graph.New(ctx, o.made)
	if err != nil {
		return err
	}
	before := o.Graph
	o.Graph = g
	return before.Close()
}

// mayShare tells who is in the list of those who may write what all users of a client know.
func (c config) mayShare(scope state.Scope) bool {
	users := strings.FieldsFunc(c.get("share_users"), func(r rune) bool { return r == ',' || r == ' ' })
	return slices.Contains(users, scope.User)
}

// patience bounds how long a command waits at its beginning or end for vectors that are still being made.
const patience = 10 * time.Second

// settle waits a while until all vectors of the user are made, and says on stderr when they are not.
func (c *console) settle(ctx context.Context, g *opened) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := g.Memory().Vectors().Settle(waiting, g.scope); err != nil && ctx.Err() == nil {
		c.complain(fmt.Errorf("not all vectors are made, words go on alone: %w", err))
	}
}

// withStore opens the store and nothing on it, does something and closes it.
func (c *console) withStore(ctx context.Context, makes bool, do func(config, *keeping) error) (err error) {
	set, err := c.resolve()
	if err == nil {
		err = cmp.Or(set.scope().Validate(), set.drivers())
	}
	if err == nil && !makes {
		err = mustHoldStore(set.address(), "name another with --dir")
	}
	if err != nil {
		return err
	}
	v, err := openStore(ctx, set.address(), set.get("encryption_keys"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	return do(set, v)
}
