package vectors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
)

// Count compares the owners' documents, as source reads them, with their entries in v, as a Keeper does before it mends;
// it changes nothing. v is nil for an index that holds nothing. It ends once limit documents are counted, at the end of an
// owner; 0 = never before the last. After an error the Tally is of what was counted until then, with More set.
func Count(
	ctx context.Context, v index.Vectors, source func(ctx context.Context, o index.Owner, ids []string) ([]Doc, error), owners []index.Owner, limit int,
) (t index.Tally, err error) {
	for _, o := range owners {
		if t.More = limit > 0 && t.Documents >= limit; t.More {
			return t, nil
		}
		docs, err := source(ctx, o, nil)
		var entries []index.Entry
		if err == nil && v != nil {
			entries, err = v.List(ctx, o)
		}
		if err != nil {
			t.More = true
			return t, fmt.Errorf("count vectors of %s/%s: %w", o.Client, o.User, err)
		}
		n, lacking, _ := difference(docs, entries)
		t.Documents, t.Made = t.Documents+n, t.Made+n-len(lacking)
	}
	return t, nil
}

// difference compares documents with the entries of an index: how many are to have a vector, which of them lack it or have that
// of another text, and which entries are of no document any more, by id. It uses up docs.
func difference(docs []Doc, entries []index.Entry) (n int, lacking []Doc, stale []string) {
	had := make(map[string]string, len(entries))
	for _, e := range entries {
		had[e.ID] = e.Hash
	}
	lacking = slices.DeleteFunc(docs, func(d Doc) bool {
		if d.Text == "" {
			return true
		}
		n++
		same := had[d.ID] == hash(d.Text)
		delete(had, d.ID)
		return same
	})
	return n, lacking, slices.Sorted(maps.Keys(had))
}
