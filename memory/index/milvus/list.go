package milvus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/milvus-io/milvus/client/v2/column"
	"github.com/milvus-io/milvus/client/v2/entity"
	"github.com/milvus-io/milvus/client/v2/milvusclient"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// errIncomplete is the cause of an answer that lacks what was asked for.
var errIncomplete = errors.New("fields are missing")

const (
	pageRows = 8192    // asked for in one request; a page that is full is asked for again in parts
	keySpace = 1 << 16 // pages are ranges of the first four digits of the keys
	parts    = 16      // of a range that is too large
)

// List reads everything of the owner with strong consistency, in ranges of keys. The library's iterator is not used: on
// milvus-lite it repeats rows and misses others without a word, and no server promises an order for pages by number.
func (v *Vectors) List(ctx context.Context, o index.Owner) ([]index.Entry, error) {
	mine, err := owned(o)
	if err != nil {
		return nil, err
	}
	entries := map[string]index.Entry{}
	if err := v.collect(ctx, o, mine, 0, keySpace, entries); err != nil {
		return nil, err
	}
	list := make([]index.Entry, 0, len(entries))
	for _, e := range entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b index.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// collect reads the entries whose keys begin with digits from lo up to, but not including, hi.
func (v *Vectors) collect(ctx context.Context, o index.Owner, all filter, lo, hi int, into map[string]index.Entry) error {
	f := all
	if lo > 0 {
		f = f.from(fieldKey, fmt.Sprintf("%04x", lo))
	}
	if hi < keySpace {
		f = f.before(fieldKey, fmt.Sprintf("%04x", hi))
	}
	set, err := v.query(ctx, f, entity.ClStrong, pageRows, fieldKey, fieldID, fieldHash, fieldKind, fieldSession, fieldAt)
	if err != nil {
		return err
	}
	if set.ResultCount < pageRows {
		return readEntries(o, set, into)
	}
	step := (hi - lo) / parts
	if step == 0 {
		return state.Errorf(state.Internal, "list vectors", "too many entries begin with the same key: over %d", pageRows)
	}
	for part := range parts {
		if err := v.collect(ctx, o, all, lo+part*step, lo+(part+1)*step, into); err != nil {
			return err
		}
	}
	return nil
}

// query returns fields of the rows that meet a filter, in any order; limit 0 = all.
func (v *Vectors) query(ctx context.Context, f filter, level entity.ConsistencyLevel, limit int, fields ...string) (milvusclient.ResultSet, error) {
	var set milvusclient.ResultSet
	expression, err := f.expression()
	if err != nil {
		return set, err
	}
	option := milvusclient.NewQueryOption(v.name).WithFilter(expression).WithOutputFields(fields...).WithConsistencyLevel(level)
	if limit > 0 {
		option = option.WithLimit(limit)
	}
	err = v.do(ctx, "read vectors", func(ctx context.Context) (err error) {
		set, err = v.shelf.client.Query(ctx, option)
		return err
	})
	return set, err
}

// readEntries adds the rows of an answer, by key.
func readEntries(o index.Owner, set milvusclient.ResultSet, into map[string]index.Entry) error {
	// Every column has to be there, as long as the answer says.
	if set.ResultCount == 0 {
		return nil
	}
	columns := make([]column.Column, 0, 6)
	for _, field := range []string{fieldKey, fieldID, fieldHash, fieldKind, fieldSession, fieldAt} {
		c := set.GetColumn(field)
		if c == nil || c.Len() != set.ResultCount {
			return state.Errorf(state.Internal, "list vectors", "the server's answer is not whole: %w", errIncomplete)
		}
		columns = append(columns, c)
	}

	// Each row is an entry.
	for i := range set.ResultCount {
		id, key, err := names(o, columns[1], columns[0], i)
		if err != nil {
			return err
		}
		e := index.Entry{ID: id}
		for j, to := range []*string{&e.Hash, &e.Kind, &e.Session} {
			if *to, err = text(columns[2+j], i); err != nil {
				return err
			}
		}
		ms, err := columns[5].GetAsInt64(i)
		if err != nil {
			return state.Errorf(state.Internal, "list vectors", "the time of an entry is no number: %w", err)
		}
		e.At = time.UnixMilli(ms).UTC()
		into[key] = e
	}
	return nil
}

// text reads what plain wrote.
func text(c column.Column, i int) (string, error) {
	written, err := c.GetAsString(i)
	if err == nil {
		written, err = spoken(written)
	}
	if err != nil {
		return "", state.Errorf(state.Internal, "milvus", "field %s of a row cannot be read: %w; somebody else wrote it", c.Name(), err)
	}
	return written, nil
}
