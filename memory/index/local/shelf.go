package local

import (
	"context"
	"sync"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a shelf stands on. Store is required.
type Config struct {
	// Store keeps the entries, in its collections vectors and meta. Nobody else writes there.
	Store store.Store
	// Bytes bounds the memory of all blocks together; 0 = 512 MiB. Blocks in use and the one used last may exceed it.
	Bytes int64
	// Exact computes every cosine, in owners of any size. Without it a search of 8,192 entries or more may miss one of a
	// hundred, and takes a tenth of the time.
	Exact bool
}

const (
	defaultBytes = 512 << 20
	sketchFrom   = 8_192 // living rows from which the signs choose first
	sketchDim    = 64    // fewer bits tell too little
)

// Shelf keeps vectors in a store and searches them in memory. Made by New; safe for concurrent use.
type Shelf struct {
	store      store.Store
	shared     bool
	exact      bool
	sketchFrom int // rows
	sketchDim  int
	dot        func(a, b []float32) float32
	blocks     *table

	turn chan struct{} // held while the list of spaces is changed
	mu   sync.Mutex
	open map[index.Space]*vectors
}

var _ index.Shelf = (*Shelf)(nil)

// New returns the shelf of a store. It reads nothing yet. A Config without a store, or with Bytes below zero, is
// state.ErrInvalid.
func New(cfg Config) (*Shelf, error) {
	switch {
	case cfg.Store == nil:
		return nil, state.Errorf(state.Invalid, "open vectors", "names no store")
	case cfg.Bytes < 0:
		return nil, state.Errorf(state.Invalid, "open vectors", "Bytes is %d; give a size, or 0 for %d", cfg.Bytes, defaultBytes)
	case cfg.Bytes == 0:
		cfg.Bytes = defaultBytes
	}
	s := &Shelf{
		store: cfg.Store, shared: cfg.Store.Features().Shared, exact: cfg.Exact, sketchFrom: sketchFrom, sketchDim: sketchDim,
		dot: dot, blocks: newTable(cfg.Bytes), turn: make(chan struct{}, 1), open: map[index.Space]*vectors{},
	}
	if vek.Info().Acceleration {
		s.dot = vek32.Dot
	}
	return s, nil
}

// sketchAt returns the number of rows from which vectors of a dimension are sketched; 0 = never.
func (s *Shelf) sketchAt(dim int) int {
	if s.exact || dim < s.sketchDim {
		return 0
	}
	return s.sketchFrom
}

// Close lets go of the memory. The store stays open; who opened it closes it.
func (s *Shelf) Close() error {
	s.blocks.clear()
	return nil
}

// Open returns the vectors of a space, the same at each call until the space is dropped.
func (s *Shelf) Open(ctx context.Context, space index.Space) (index.Vectors, error) {
	if err := admit(ctx, space.Validate()); err != nil {
		return nil, err
	}
	if v := s.opened(space); v != nil {
		return v, nil
	}
	if err := lock(ctx, s.turn); err != nil {
		return nil, err
	}
	defer unlock(s.turn)
	if v := s.opened(space); v != nil {
		return v, nil
	}
	if err := s.enter(ctx, space); err != nil {
		return nil, err
	}
	v := newVectors(s, space)
	s.mu.Lock()
	s.open[space] = v
	s.mu.Unlock()
	return v, nil
}

func (s *Shelf) opened(space index.Space) *vectors {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[space]
}

// Live returns the space that was promoted last.
func (s *Shelf) Live(ctx context.Context) (index.Space, bool, error) {
	if err := admit(ctx, nil); err != nil {
		return index.Space{}, false, err
	}
	l, err := s.list(ctx)
	if err != nil {
		return index.Space{}, false, err
	}
	space, ok := l.live()
	return space, ok, nil
}

// Promote makes a space the live one; one that nobody opened, or that was dropped, is state.ErrNotFound.
func (s *Shelf) Promote(ctx context.Context, space index.Space) error {
	if err := admit(ctx, space.Validate()); err != nil {
		return err
	}
	if err := lock(ctx, s.turn); err != nil {
		return err
	}
	defer unlock(s.turn)
	there := false
	err := s.change(ctx, func(l *spaceList) error {
		e := l.find(space)
		if there = e != nil && !e.Leaving; there {
			l.Live = keyOf(space)
		}
		return nil
	})
	if err == nil && !there {
		s.shut(space) // another process dropped it: the next Open enters it anew
		err = state.Errorf(state.NotFound, "promote "+space.String(), "the space is not there; open it first")
	}
	return err
}

// Drop deletes all spaces but the live one and those to be kept, and their entries, in writes of some hundred documents. Calls on
// their Vectors are state.ErrNotFound from then on. When it fails half way those that it did not come to are no longer there to
// be promoted; Drop or Open finish the work.
func (s *Shelf) Drop(ctx context.Context, keep ...index.Space) (dropped []index.Space, err error) {
	// What to keep is checked, and no other change of the shelf runs beside.
	for _, space := range keep {
		if err := space.Validate(); err != nil {
			return nil, err
		}
	}
	if err := admit(ctx, nil); err != nil {
		return nil, err
	}
	if err := lock(ctx, s.turn); err != nil {
		return nil, err
	}
	defer unlock(s.turn)

	// The list loses them first, so that nobody promotes or opens what is about to go.
	var leaving []index.Space
	err = s.change(ctx, func(l *spaceList) error {
		leaving, err = l.leave(keep)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, space := range leaving {
		s.shut(space)
	}

	// Then their entries go, and last what says that there is something left to sweep.
	for _, space := range leaving {
		if err := s.sweep(ctx, space); err != nil {
			return dropped, err
		}
		err := s.change(ctx, func(l *spaceList) error {
			l.remove(space)
			return nil
		})
		if err != nil {
			return dropped, err
		}
		dropped = append(dropped, space)
	}
	return dropped, nil
}

// shut refuses what is asked of a space's Vectors from now on.
func (s *Shelf) shut(space index.Space) {
	s.mu.Lock()
	v := s.open[space]
	delete(s.open, space)
	s.mu.Unlock()
	if v != nil {
		v.drop()
	}
}

// lock takes a turn that is held while somebody reads or writes the store.
func lock(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return store.Cancelled(ctx)
	}
}

func unlock(turn chan struct{}) { <-turn }

// admit lets a call in whose context still stands and whose arguments are valid.
func admit(ctx context.Context, invalid error) error {
	if invalid != nil {
		return invalid
	}
	if ctx.Err() != nil {
		return store.Cancelled(ctx)
	}
	return nil
}
