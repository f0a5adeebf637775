package milvus

import (
	"cmp"
	"context"
	"slices"

	"github.com/milvus-io/milvus/client/v2/column"
	"github.com/milvus-io/milvus/client/v2/entity"
	milvusindex "github.com/milvus-io/milvus/client/v2/index"
	"github.com/milvus-io/milvus/client/v2/milvusclient"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

const (
	spare    = 32    // hits asked for beyond the limit, so that equal ones at the end can be ordered here
	maxHits  = 16384 // the server's limit
	leastEF  = 128   // how many candidates the server's graph search keeps; at least as many as hits
	rounding = 2e-6  // how far two sums of the same products in single precision may lie apart
)

// found is a hit before it is one.
type found struct {
	index.Hit
	key string
}

// Search asks the server for the nearest and orders them here: servers cut equal ones as they like.
func (v *Vectors) Search(ctx context.Context, o index.Owner, q index.Query) ([]index.Hit, error) {
	// What cannot find anything is not sent.
	if err := q.Validate(v.space, o); err != nil {
		return nil, err
	}
	mine, err := owned(o)
	if err != nil {
		return nil, err
	}
	if q.IDs != nil && len(q.IDs) == 0 {
		return nil, nil
	}
	if mine, err = mine.searched(o, q); err != nil {
		return nil, err
	}

	// A fresh search waits for what was written just before; others take what the server has.
	ask := request{owner: o, filter: mine, level: entity.ClBounded, vector: index.Unit(q.Vector)}
	if q.Fresh {
		ask.level = entity.ClStrong
	}

	// All that are as near as the last one are fetched, and put in order here, so that the order is the same each time.
	rows, err := v.nearest(ctx, ask, q.Limit)
	if err != nil {
		return nil, err
	}
	if err := v.settle(ctx, ask, rows); err != nil {
		return nil, err
	}

	hits := make([]index.Hit, min(len(rows), q.Limit))
	for i := range hits {
		hits[i] = rows[i].Hit
	}
	return hits, nil
}

// request is what all requests of one search have in common.
type request struct {
	owner  index.Owner
	filter filter
	level  entity.ConsistencyLevel
	vector []float32 // of length 1
}

// nearest returns the best rows, at least limit if there are so many, and with them all that are as near as the last of
// those, as far as rounding lets us know. Only when more than maxHits are equally near are some left out.
func (v *Vectors) nearest(ctx context.Context, ask request, limit int) ([]found, error) {
	for n := min(limit+spare, maxHits); ; n = min(4*n, maxHits) {
		rows, err := v.top(ctx, ask, n)
		if err != nil || len(rows) <= limit {
			return rows, err
		}
		last := rows[limit-1].Cosine - rounding
		if rows[len(rows)-1].Cosine < last || len(rows) < n || n == maxHits {
			end := slices.IndexFunc(rows, func(r found) bool { return r.Cosine < last })
			if end < 0 {
				end = len(rows)
			}
			return rows[:end], nil
		}
	}
}

// top returns one search: the n rows the server thinks nearest, in order.
func (v *Vectors) top(ctx context.Context, ask request, n int) ([]found, error) {
	const op = "search vectors"
	expression, err := ask.filter.expression()
	if err != nil {
		return nil, err
	}
	option := milvusclient.NewSearchOption(v.name, n, []entity.Vector{entity.FloatVector(ask.vector)}).
		WithANNSField(fieldVector).WithFilter(expression).WithOutputFields(fieldID).WithConsistencyLevel(ask.level).
		WithSearchParam("metric_type", string(entity.COSINE))
	if v.shelf.cfg.Index == IndexHNSW {
		option = option.WithAnnParam(milvusindex.NewHNSWAnnParam(max(n, leastEF)))
	}
	var sets []milvusclient.ResultSet
	err = v.do(ctx, op, func(ctx context.Context) (err error) {
		sets, err = v.shelf.client.Search(ctx, option)
		return err
	})
	if err != nil || len(sets) == 0 || sets[0].ResultCount == 0 {
		return nil, err
	}
	set := sets[0]
	ids := set.GetColumn(fieldID)
	if set.Err != nil || set.IDs == nil || ids == nil || ids.Len() != set.IDs.Len() || len(set.Scores) != ids.Len() {
		return nil, state.Errorf(state.Internal, op, "the server's answer is not whole: %w", cmp.Or(set.Err, errIncomplete))
	}
	rows := make([]found, 0, len(set.Scores))
	seen := make(map[string]bool, len(set.Scores))
	for i, score := range set.Scores {
		id, key, err := names(ask.owner, ids, set.IDs, i)
		if err != nil {
			return nil, err
		}
		if !seen[key] { // a server may show a row at its old and its new place while it is replaced
			seen[key] = true
			rows = append(rows, found{index.Hit{ID: id, Cosine: min(max(score, -1), 1)}, key})
		}
	}
	sortRows(rows)
	return rows, nil
}

// names reads id and key of a row, and makes sure that it is the owner's.
func names(o index.Owner, ids, keys column.Column, i int) (id, key string, err error) {
	if id, err = text(ids, i); err != nil {
		return "", "", err
	}
	if key, err = keys.GetAsString(i); err != nil {
		return "", "", state.Errorf(state.Internal, "milvus", "the server's answer has no keys: %w", err)
	}
	return id, key, mine(o, key, id)
}

func sortRows(rows []found) {
	slices.SortFunc(rows, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID))
	})
}

// settle puts rows into their order where the server's cosines, which are sums in an order it chooses, lie too near each
// other to tell: it gets their vectors and adds up exactly. Few searches have such rows.
func (v *Vectors) settle(ctx context.Context, ask request, rows []found) error {
	keys := unsettled(rows)
	if len(keys) == 0 {
		return nil
	}
	exact, err := v.cosines(ctx, ask, keys)
	if err != nil {
		return err
	}
	for i, r := range rows {
		if cosine, ok := exact[r.key]; ok {
			rows[i].Cosine = cosine
		}
	}
	sortRows(rows)
	return nil
}

// unsettled returns the keys of rows that lie within the rounding of a neighbour, but are not equal to it.
func unsettled(rows []found) []string {
	var keys []string
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n-1].Cosine-rows[n].Cosine <= rounding {
			n++
		}
		if n > 1 {
			for _, r := range rows[:n] {
				keys = append(keys, r.key)
			}
		}
		rows = rows[n:]
	}
	return keys
}

// cosines computes the cosines of rows. A row that is gone by now is not among them.
func (v *Vectors) cosines(ctx context.Context, ask request, keys []string) (map[string]float32, error) {
	exact := make(map[string]float32, len(keys))
	for some := range slices.Chunk(keys, min(maxList, v.batch())) {
		set, err := v.query(ctx, ask.filter.in(fieldKey, some), ask.level, 0, fieldKey, fieldVector)
		if err != nil {
			return nil, err
		}
		if set.ResultCount == 0 {
			continue
		}
		vectors, ok := set.GetColumn(fieldVector).(*column.ColumnFloatVector)
		key := set.GetColumn(fieldKey)
		if !ok || key == nil || key.Len() != vectors.Len() {
			return nil, state.Errorf(state.Internal, "search vectors", "the server's answer is not whole: %w", errIncomplete)
		}
		for i, vector := range vectors.Data() {
			k, err := key.GetAsString(i)
			if err != nil {
				return nil, state.Errorf(state.Internal, "search vectors", "the server's answer has no keys: %w", err)
			}
			exact[k] = dot(ask.vector, vector)
		}
	}
	return exact, nil
}

// dot multiplies vectors of length 1.
func dot(a, b []float32) float32 {
	sum := 0.0
	for i, x := range b[:min(len(a), len(b))] {
		sum += float64(x) * float64(a[i])
	}
	return float32(min(max(sum, -1), 1))
}
