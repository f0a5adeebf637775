package milvus

import (
	"context"
	"strings"

	"github.com/milvus-io/milvus/client/v2/milvusclient"
)

// Validate refuses a Config that no server can be reached with (state.ErrInvalid), without asking one.
func (c Config) Validate() error {
	_, err := c.resolve()
	return err
}

// Clear deletes everything of the shelf's prefix: all spaces, the live one too. It is for what was a trial from the start;
// nobody may use the shelf meanwhile. Collections of other prefixes, and what others made, stay.
func (s *Shelf) Clear(ctx context.Context) error {
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
	var names []string
	err = s.call(ctx, "list collections", func(ctx context.Context) (err error) {
		names, err = s.client.ListCollections(ctx, milvusclient.NewListCollectionOption())
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if !s.made(name) {
			continue
		}
		err := s.call(ctx, "drop collection "+name, func(ctx context.Context) error {
			return s.client.DropCollection(ctx, milvusclient.NewDropCollectionOption(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// made reports whether a collection has a name as those of this shelf have.
func (s *Shelf) made(name string) bool {
	rest, ours := strings.CutPrefix(name, s.cfg.Prefix+"_v")
	return ours && strings.Count(rest, "_") == 3 && strings.Trim(rest, "0123456789abcdef_") == ""
}
