package milvus

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/milvus-io/milvus/client/v2/milvusclient"
	"github.com/milvus-io/milvus/pkg/v2/util/merr"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Vectors are the entries of one space: a collection of the server. Made by Shelf.Open; safe for concurrent use.
type Vectors struct {
	shelf *Shelf
	space index.Space
	name  string // of the collection, never of the alias
}

var _ index.Vectors = (*Vectors)(nil)

func (s *Shelf) vectors(space index.Space) *Vectors {
	return &Vectors{shelf: s, space: space, name: s.collection(space)}
}

const (
	maxRows  = 500     // in one request to write
	maxBytes = 4 << 20 // in one request, of vectors; the server takes 64 MB
	maxList  = 1000    // values of an "in [...]"; longer ones are slow to parse
)

// Put writes the entries in batches, one after the other. An error may leave those before it written.
func (v *Vectors) Put(ctx context.Context, o index.Owner, entries ...index.Entry) error {
	if err := v.space.Check(o, entries...); err != nil {
		return err
	}
	rows, err := rowsOf(o, entries)
	if err != nil || len(rows) == 0 {
		return err
	}
	leave, err := v.shelf.enter(ctx, v.name)
	if err != nil {
		return err
	}
	defer leave()
	for batch := range slices.Chunk(rows, v.batch()) {
		err := v.do(ctx, "put vectors", func(ctx context.Context) error {
			_, err := v.shelf.client.Upsert(ctx, v.columns(o, batch))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns how many rows go into a request.
func (v *Vectors) batch() int { return max(1, min(maxRows, maxBytes/(4*v.space.Dim))) }

// do is call for what needs the collection in the server's memory. A server that was started again holds none: then it is
// loaded and the request made once more.
func (v *Vectors) do(ctx context.Context, op string, request func(context.Context) error) error {
	err := v.shelf.call(ctx, op, request)
	if !errors.Is(err, merr.ErrCollectionNotLoaded) {
		return err
	}
	if err := v.load(ctx); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return v.shelf.call(ctx, op, request)
}

// row is an entry as the server keeps it.
type row struct {
	key, id, hash, kind, session string
	at                           int64
	vector                       []float32
}

// rowsOf makes the rows of entries, of two with one ID the later. They share no memory with the entries.
func rowsOf(o index.Owner, entries []index.Entry) ([]row, error) {
	rows, at := make([]row, 0, len(entries)), make(map[string]int, len(entries))
	for _, e := range entries {
		r := row{
			key: rowKey(o, e.ID), id: plain(e.ID), hash: plain(e.Hash), kind: plain(e.Kind), session: plain(e.Session),
			at: e.At.UnixMilli(), vector: index.Unit(e.Vector),
		}
		for _, text := range []struct{ name, is string }{{"id", r.id}, {"hash", r.hash}, {"kind", r.kind}, {"session", r.session}} {
			if len(text.is) > maxText {
				return nil, state.Errorf(state.Invalid, "vector", "has a %s of %d bytes; %d are possible, counting three for each that is not a letter or digit",
					text.name, len(text.is), maxText)
			}
		}
		if i, twice := at[r.key]; twice {
			rows[i] = r
			continue
		}
		at[r.key] = len(rows)
		rows = append(rows, r)
	}
	return rows, nil
}

// columns returns a request to insert rows or replace those of the same key.
func (v *Vectors) columns(o index.Owner, rows []row) milvusclient.UpsertOption {
	text := func(of func(row) string) []string {
		column := make([]string, len(rows))
		for i, r := range rows {
			column[i] = of(r)
		}
		return column
	}
	at, vectors := make([]int64, len(rows)), make([][]float32, len(rows))
	for i, r := range rows {
		at[i], vectors[i] = r.at, r.vector
	}
	return milvusclient.NewColumnBasedInsertOption(v.name).
		WithVarcharColumn(fieldKey, text(func(r row) string { return r.key })).
		WithVarcharColumn(fieldClient, text(func(row) string { return plain(o.Client) })).
		WithVarcharColumn(fieldUser, text(func(row) string { return plain(o.User) })).
		WithVarcharColumn(fieldID, text(func(r row) string { return r.id })).
		WithVarcharColumn(fieldHash, text(func(r row) string { return r.hash })).
		WithVarcharColumn(fieldKind, text(func(r row) string { return r.kind })).
		WithVarcharColumn(fieldSession, text(func(r row) string { return r.session })).
		WithInt64Column(fieldAt, at).
		WithFloatVectorColumn(fieldVector, v.space.Dim, vectors)
}

// Delete takes entries out, a thousand in a request. The server finds them with strong consistency, so that it sees what
// was put just before.
func (v *Vectors) Delete(ctx context.Context, o index.Owner, ids ...string) error {
	if len(ids) == 0 {
		return state.Errorf(state.Invalid, "delete vectors", "names no ids")
	}
	mine, err := owned(o)
	if err != nil {
		return err
	}
	leave, err := v.shelf.enter(ctx, v.name)
	if err != nil {
		return err
	}
	defer leave()

	// Keys are sent in lists that the server takes.
	for keys := range slices.Chunk(rowKeys(o, ids), maxList) {
		expression, err := mine.in(fieldKey, keys).expression()
		if err != nil {
			return err
		}
		err = v.do(ctx, "delete vectors", func(ctx context.Context) error {
			_, err := v.shelf.client.Delete(ctx, milvusclient.NewDeleteOption(v.name).WithExpr(expression))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
