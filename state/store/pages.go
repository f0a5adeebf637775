package store

import (
	"context"
	"iter"
)

// Pages returns the documents of a query, Limit at a time, each page as it stood when it was read; Limit 0 is one page of all. Pages without
// documents are left out. An error ends it. Who ranges over it may change the pages that he is given, and what is behind them in the store.
func Pages(ctx context.Context, scan func(context.Context, Query) ([]Doc, error), q Query) iter.Seq2[[]Doc, error] {
	return func(yield func([]Doc, error) bool) {
		for {
			docs, err := scan(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			n := len(docs)
			if n == 0 {
				return
			}
			q.After = docs[n-1].ID
			if !yield(docs, nil) || n < q.Limit || q.Limit == 0 {
				return
			}
		}
	}
}
