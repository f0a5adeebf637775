package milvus

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/milvus-io/milvus/client/v2/milvusclient"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Shelf keeps vectors on a Milvus server. Made by Open; safe for concurrent use. A process has one per server and
// prefix, since it is what keeps writers of one collection apart.
type Shelf struct {
	cfg    Config
	client *milvusclient.Client

	mu    sync.Mutex
	turns map[string]chan struct{} // by name of the collection: who holds what is in it may write
}

var _ index.Shelf = (*Shelf)(nil)

// Open connects and asks the server who it is and what is live. Errors: state.ErrInvalid for a bad Config;
// state.ErrUnavailable when no server answers within ConnectTimeout; state.ErrDenied when it refuses the user. After an error
// nothing is left open, and no error shows the password.
func Open(ctx context.Context, cfg Config) (*Shelf, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	s := &Shelf{cfg: cfg, turns: map[string]chan struct{}{}}
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer cancel()
	if s.client, err = milvusclient.New(quiet(ctx), cfg.client()); err != nil {
		return nil, state.Errorf(state.Unavailable, "connect to milvus at "+cfg.Address,
			"no server answers: %w; check that it runs, that the address is right, and whether it wants TLS", err)
	}
	if err := s.greet(ctx); err != nil {
		_ = s.Close() // err says what is wrong
		return nil, err
	}
	return s, nil
}

// greet finds out what kind of server it is, and whether it lets us in.
func (s *Shelf) greet(ctx context.Context) error {
	var version string
	err := s.call(ctx, "connect", func(ctx context.Context) (err error) {
		version, err = s.client.GetServerVersion(ctx, milvusclient.NewGetServerVersionOption())
		return err
	})
	if err != nil {
		return err
	}
	if s.cfg.Index == "" {
		s.cfg.Index = IndexHNSW
		if strings.HasPrefix(version, "milvus_lite") {
			s.cfg.Index = IndexFlat
		}
	}
	s.cfg.Logger.DebugContext(ctx, "milvus connected", "address", s.cfg.Address, "version", version, "index", s.cfg.Index)
	_, _, err = s.Live(ctx)
	return err
}

// Close ends the connection.
func (s *Shelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Close(context.Background())
}

// Live returns the space whose collection the alias names.
func (s *Shelf) Live(ctx context.Context) (index.Space, bool, error) {
	return s.describe(ctx, s.alias())
}

// Open makes the collection of a space unless it is there, and has the server load it.
func (s *Shelf) Open(ctx context.Context, space index.Space) (index.Vectors, error) {
	if err := space.Validate(); err != nil {
		return nil, err
	}
	v := s.vectors(space)
	leave, err := s.enter(ctx, v.name)
	if err != nil {
		return nil, err
	}
	defer leave()
	for _, step := range []func(context.Context) error{v.ensureCollection, v.ensureIndex, v.load} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Promote points the alias at the collection of a space; state.ErrNotFound if there is none.
func (s *Shelf) Promote(ctx context.Context, space index.Space) error {
	if err := space.Validate(); err != nil {
		return err
	}
	leave, err := s.enter(ctx, s.alias())
	if err != nil {
		return err
	}
	defer leave()
	name := s.collection(space)
	if _, there, err := s.describe(ctx, name); err != nil {
		return err
	} else if !there {
		return state.Errorf(state.NotFound, "promote vector space", "%s is not there; open and fill it first", space)
	}
	for try := 0; ; try++ {
		live, aliased, err := s.Live(ctx)
		if err != nil || aliased && live == space {
			return err
		}
		err = s.call(ctx, "promote vector space", func(ctx context.Context) error {
			if aliased {
				return s.client.AlterAlias(ctx, milvusclient.NewAlterAliasOption(s.alias(), name))
			}
			return s.client.CreateAlias(ctx, milvusclient.NewCreateAliasOption(name, s.alias()))
		})
		if err == nil || errors.Is(err, state.ErrUnavailable) || try > 0 {
			return err
		}
		// Another process may have made or dropped the alias in between: look again, once.
	}
}

// enter waits until nobody else in this process writes to what has that name. The server that tests run against loses
// acknowledged rows when two write at once, and Milvus itself is served better by few large writes.
func (s *Shelf) enter(ctx context.Context, name string) (leave func(), err error) {
	s.mu.Lock()
	turn, ok := s.turns[name]
	if !ok {
		turn = make(chan struct{}, 1)
		s.turns[name] = turn
	}
	s.mu.Unlock()
	if ctx.Err() == nil {
		select {
		case turn <- struct{}{}:
			return func() { <-turn }, nil
		case <-ctx.Done():
		}
	}
	return nil, state.Errorf(state.Unavailable, "milvus "+name, "given up before it was this writer's turn: %w", ctx.Err())
}
