package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// spaceList is the document that says which spaces there are, under listID in the collection meta.
type spaceList struct {
	Live   string       `bson:"live"` // key of the live space; "" = none
	Spaces []spaceEntry `bson:"spaces"`
}

type spaceEntry struct {
	Key     string `bson:"key"`
	Model   string `bson:"model"`
	Dim     int    `bson:"dim"`
	Version int    `bson:"version"`
	Leaving bool   `bson:"leaving,omitempty"` // is being dropped
}

const (
	listID   = "vectors"
	attempts = 100 // of a change that others get ahead of
	sweepBy  = 500 // documents per write when a space is dropped
)

func (e spaceEntry) space() index.Space {
	return index.Space{Model: e.Model, Dim: e.Dim, Version: e.Version}
}

func (l *spaceList) find(space index.Space) *spaceEntry {
	i := slices.IndexFunc(l.Spaces, func(e spaceEntry) bool { return e.space() == space })
	if i < 0 {
		return nil
	}
	return &l.Spaces[i]
}

func (l *spaceList) live() (index.Space, bool) {
	for _, e := range l.Spaces {
		if e.Key == l.Live {
			return e.space(), true
		}
	}
	return index.Space{}, false
}

// leave marks all spaces but the live one and those to be kept, and returns those that are marked, in order.
func (l *spaceList) leave(keep []index.Space) (leaving []index.Space, err error) {
	live, ok := l.live()
	if !ok {
		return nil, state.Errorf(state.Conflict, "drop vector spaces", "none is live, so all may be needed; promote one first")
	}
	for i := range l.Spaces {
		e := &l.Spaces[i]
		if space := e.space(); space != live && !slices.Contains(keep, space) {
			e.Leaving = true
			leaving = append(leaving, space)
		}
	}
	slices.SortFunc(leaving, index.Space.Compare)
	return leaving, nil
}

// remove takes a space out, unless another process brought it back.
func (l *spaceList) remove(space index.Space) {
	l.Spaces = slices.DeleteFunc(l.Spaces, func(e spaceEntry) bool { return e.space() == space && e.Leaving })
}

// list reads the document; one that is not there is an empty list.
func (s *Shelf) list(ctx context.Context) (spaceList, error) {
	l, _, err := s.listAt(ctx)
	return l, err
}

func (s *Shelf) listAt(ctx context.Context) (l spaceList, rev int64, err error) {
	d, err := s.store.Get(ctx, state.Meta, listID)
	if errors.Is(err, state.ErrNotFound) {
		return l, 0, nil
	}
	if err != nil {
		return l, 0, fmt.Errorf("read the list of vector spaces: %w", err)
	}
	if err := bson.Unmarshal(d.Body, &l); err != nil {
		return l, 0, state.Errorf(state.Internal, "read the list of vector spaces", "document %s of %s is damaged: %w", listID, state.Meta, err)
	}
	return l, d.Rev, nil
}

// change reads the list, lets edit change it and writes it back if it did, again if somebody else was first.
func (s *Shelf) change(ctx context.Context, edit func(*spaceList) error) error {
	for range attempts {
		l, rev, err := s.listAt(ctx)
		if err != nil {
			return err
		}
		before := spaceList{l.Live, slices.Clone(l.Spaces)}
		if err := edit(&l); err != nil {
			return err
		}
		if l.Live == before.Live && slices.Equal(l.Spaces, before.Spaces) {
			return nil
		}
		body, err := bson.Marshal(l)
		if err != nil {
			return state.Errorf(state.Internal, "write the list of vector spaces", "%w", err)
		}
		err = s.store.Write(ctx, store.Doc{Collection: state.Meta, ID: listID, Rev: rev, Body: body})
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
	return state.Errorf(state.Unavailable, "write the list of vector spaces", "others changed it %d times; try again", attempts)
}

// enter puts a space on the list, if need be after finishing its deletion.
func (s *Shelf) enter(ctx context.Context, space index.Space) error {
	l, err := s.list(ctx)
	if err != nil {
		return err
	}
	if e := l.find(space); e != nil && e.Leaving {
		if err := s.sweep(ctx, space); err != nil {
			return err
		}
	}
	return s.change(ctx, func(l *spaceList) error {
		e := l.find(space)
		if e != nil {
			e.Leaving = false
			return nil
		}
		l.Spaces = append(l.Spaces, spaceEntry{Key: keyOf(space), Model: space.Model, Dim: space.Dim, Version: space.Version})
		return nil
	})
}

// sweep deletes the documents of a space, owner by owner: the key begins with the owner, and between two owners one
// document is read to find the next.
func (s *Shelf) sweep(ctx context.Context, space index.Space) error {
	after := ""
	for {
		docs, err := s.store.Scan(ctx, store.Query{Collection: state.Vectors, After: after, Limit: 1})
		if err != nil {
			return fmt.Errorf("drop %s: %w", space, err)
		}
		if len(docs) == 0 {
			return nil
		}
		parts := strings.SplitN(docs[0].ID, "/", 3)
		if len(parts) < 3 {
			return state.Errorf(state.Internal, "drop "+space.String(), "document %q of %s does not name client, user and space", docs[0].ID, state.Vectors)
		}
		owner := parts[0] + "/" + parts[1] + "/"
		if err := s.sweepPrefix(ctx, owner+keyOf(space)); err != nil {
			return fmt.Errorf("drop %s: %w", space, err)
		}
		after = owner + "\U0010FFFF" // behind every key of a space, which is made of hexadecimal digits
	}
}

// sweepPrefix deletes what begins with prefix, some hundred documents at a time, until nothing is left.
func (s *Shelf) sweepPrefix(ctx context.Context, prefix string) error {
	for {
		docs, err := s.store.Scan(ctx, store.Query{Collection: state.Vectors, Prefix: prefix, Limit: sweepBy})
		if err != nil || len(docs) == 0 {
			return err
		}
		for i := range docs {
			docs[i].Body = nil
		}
		if err := s.store.Write(ctx, docs...); err != nil && !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
}
