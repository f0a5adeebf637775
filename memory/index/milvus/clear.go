package milvus

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/milvus-io/milvus/client/v2/milvusclient"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Validate refuses a Config that no server can be reached with (state.ErrInvalid), without asking one.
func (c Config) Validate() error {
	_, err := c.resolve()
	return err
}

// Drop deletes the collections of all spaces but the live one and those to be kept. A collection goes only if it says of
// itself what space it is of and has the name this shelf gives that space: those of other prefixes, of another layout, and what
// others made, stay.
func (s *Shelf) Drop(ctx context.Context, keep ...index.Space) (dropped []index.Space, err error) {
	// What to keep is checked, and no other change of the shelf runs beside.
	for _, space := range keep {
		if err := space.Validate(); err != nil {
			return nil, err
		}
	}
	leave, err := s.enter(ctx, s.alias())
	if err != nil {
		return nil, err
	}
	defer leave()

	// Without a live space nothing says which one is needed.
	live, ok, err := s.Live(ctx)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, state.Errorf(state.Conflict, "drop vector spaces", "none is live, so all may be needed; promote one first")
	}

	// The others go one by one; what has gone is reported also when one fails.
	spaces, err := s.spaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		if space == live || slices.Contains(keep, space) {
			continue
		}
		if err := s.dropSpace(ctx, space); err != nil {
			return dropped, err
		}
		dropped = append(dropped, space)
	}
	return dropped, nil
}

// spaces lists the spaces whose collections this shelf, or one like it, made.
func (s *Shelf) spaces(ctx context.Context) ([]index.Space, error) {
	names, err := s.made(ctx)
	if err != nil {
		return nil, err
	}
	var found []index.Space
	for _, name := range names {
		space, there, err := s.describe(ctx, name)
		switch {
		case errors.Is(err, state.ErrConflict): // somebody else's
		case err != nil:
			return nil, err
		case there && s.collection(space) == name:
			found = append(found, space)
		}
	}
	slices.SortFunc(found, index.Space.Compare)
	return found, nil
}

// dropSpace deletes one collection; one that is gone meanwhile is passed over.
func (s *Shelf) dropSpace(ctx context.Context, space index.Space) error {
	name := s.collection(space)
	leave, err := s.enter(ctx, name)
	if err != nil {
		return err
	}
	defer leave()
	err = s.call(ctx, "drop vector space "+space.String(), func(ctx context.Context) error {
		return s.client.DropCollection(ctx, milvusclient.NewDropCollectionOption(name))
	})
	switch {
	case errors.Is(err, state.ErrNotFound):
		return nil
	case err == nil || errors.Is(err, state.ErrUnavailable):
		return err
	}
	if live, ok, liveErr := s.Live(ctx); liveErr == nil && ok && live == space { // the server refuses to drop what an alias names
		return state.Errorf(state.Conflict, "drop vector space", "%s became the live one meanwhile: %w", space, err)
	}
	return err
}

// Clear deletes everything of the shelf's prefix: all spaces, the live one too. It is for what was a trial from the start;
// nobody may use the shelf meanwhile. Collections of other prefixes, and what others made, stay.
func (s *Shelf) Clear(ctx context.Context) error {
	// The alias goes first: the server does not drop a collection that has one.
	leave, err := s.enter(ctx, s.alias())
	if err != nil {
		return err
	}
	defer leave()
	if _, aliased, err := s.Live(ctx); err != nil {
		return err
	} else if aliased {
		err := s.call(ctx, "drop alias "+s.alias(), func(ctx context.Context) error {
			return s.client.DropAlias(ctx, milvusclient.NewDropAliasOption(s.alias()))
		})
		if err != nil {
			return err
		}
	}

	// Then every collection that has a name of this shelf's kind.
	names, err := s.made(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		err := s.call(ctx, "drop collection "+name, func(ctx context.Context) error {
			return s.client.DropCollection(ctx, milvusclient.NewDropCollectionOption(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// made lists the collections that have names as those of this shelf have.
func (s *Shelf) made(ctx context.Context) (names []string, err error) {
	err = s.call(ctx, "list collections", func(ctx context.Context) (err error) {
		names, err = s.client.ListCollections(ctx, milvusclient.NewListCollectionOption())
		return err
	})
	return slices.DeleteFunc(names, func(name string) bool { return !s.names(name) }), err
}

// names reports whether a collection has a name as those of this shelf have.
func (s *Shelf) names(name string) bool {
	rest, ours := strings.CutPrefix(name, s.cfg.Prefix+"_v")
	return ours && strings.Count(rest, "_") == 3 && strings.Trim(rest, "0123456789abcdef_") == ""
}
