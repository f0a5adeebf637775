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
	open   func(ctx context.Context) (index.Shelf, error)
	opened *once[index.Shelf]
}

func (s *shelf) get(ctx context.Context) (index.Shelf, error) { return s.opened.get(ctx, s.open) }

func (s *shelf) close() error {
	if opened := s.opened.end(); opened != nil {
		return (*opened).Close()
	}
	return nil
}

// side is one embedder and its space, opened at first use.
type side struct {
	embedder *embed.Embedder
	shelf    *shelf
	vectors  *once[index.Vectors]

	mu    sync.Mutex  // never held while anybody is asked
	space index.Space // zero until it was opened
	other index.Space // the live space, if it is another one
}

func newSide(e *embed.Embedder, s *shelf) *side {
	return &side{embedder: e, shelf: s, vectors: newOnce[index.Vectors]()}
}

// open returns the vectors of the side. The first space on a shelf becomes the live one.
func (s *side) open(ctx context.Context) (index.Vectors, error) { return s.vectors.get(ctx, s.connect) }

func (s *side) connect(ctx context.Context) (index.Vectors, error) {
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
	s.saw(space, live)
	return v, nil
}

// saw notes the side's space and the live one.
func (s *side) saw(space, live index.Space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.space, s.other = space, index.Space{}
	if live != space {
		s.other = live
	}
}

// lost forgets the vectors when the index says that their space is gone, so that the next use makes it again.
func (s *side) lost(err error) bool {
	if !errors.Is(err, state.ErrNotFound) {
		return false
	}
	s.vectors.forget()
	return true
}

// promote makes the side's space, which was opened, the live one.
func (s *side) promote(ctx context.Context) error {
	shelf, err := s.shelf.get(ctx)
	if err != nil {
		return err
	}
	space, _ := s.known()
	if err := shelf.Promote(ctx, space); err != nil {
		return err
	}
	s.saw(space, space)
	return nil
}

// known returns the space and the live one if that is another, as far as they were seen.
func (s *side) known() (space, other index.Space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.space, s.other
}
