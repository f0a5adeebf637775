package vectors

import (
	"context"
	"errors"
	"sync"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// shelf is opened at first use.
type shelf struct {
	open func(ctx context.Context) (index.Shelf, error)

	mu     sync.Mutex
	opened index.Shelf // nil until then
}

func (s *shelf) get(ctx context.Context) (index.Shelf, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	opened, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.opened = opened
	return opened, nil
}

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}

// side is one embedder and its space, opened at first use.
type side struct {
	embedder *embed.Embedder
	shelf    *shelf

	mu      sync.Mutex
	vectors index.Vectors // nil until opened
	space   index.Space
	other   index.Space // the live space, if it is another one
}

// open returns the vectors of the side. The first space on a shelf becomes the live one.
func (s *side) open(ctx context.Context) (index.Vectors, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vectors != nil {
		return s.vectors, nil
	}
	space, err := s.embedder.Space(ctx)
	if err != nil {
		return nil, err
	}
	shelf, err := s.shelf.get(ctx)
	if err != nil {
		return nil, err
	}
	live, promoted, err := shelf.Live(ctx)
	if err != nil {
		return nil, err
	}
	v, err := shelf.Open(ctx, space)
	if err != nil {
		return nil, err
	}
	if !promoted {
		if err := shelf.Promote(ctx, space); err != nil && !errors.Is(err, state.ErrConflict) {
			return nil, err
		}
		live = space
	}
	s.vectors, s.space = v, space
	if live != space {
		s.other = live
	}
	return v, nil
}

// lost forgets the vectors when the index says that their space is gone, so that the next use makes it again.
func (s *side) lost(err error) bool {
	if !errors.Is(err, state.ErrNotFound) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vectors = nil
	return true
}

// promote makes the side's space the live one.
func (s *side) promote(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	shelf, err := s.shelf.get(ctx)
	if err != nil {
		return err
	}
	if err := shelf.Promote(ctx, s.space); err != nil {
		return err
	}
	s.other = index.Space{}
	return nil
}

// known is the space and the live one if that is another, as far as they were seen.
func (s *side) known() (space, other index.Space) {
	if !s.mu.TryLock() { // somebody is opening it
		return
	}
	defer s.mu.Unlock()
	return s.space, s.other
}
