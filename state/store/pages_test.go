package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Every document comes once, whatever the size of a page, also when the reader deletes what he has read; an error ends it.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1, 3, 7, 8} {
		s := ram.New()
		var want, got []string
		for i := range 7 {
			want = append(want, fmt.Sprintf("a/%d", i))
			must(t, s.Write(t.Context(), store.Doc{Collection: state.Records, ID: want[i], Body: []byte{5, 0, 0, 0, 0}}))
		}
		for docs, err := range store.Pages(t.Context(), s.Scan, store.Query{Collection: state.Records, Prefix: "a/", Limit: limit}) {
			if err != nil || len(docs) == 0 || limit > 0 && len(docs) > limit {
				t.Fatalf("pages of %d: one of %d documents, %v", limit, len(docs), err)
			}
			for i := range docs {
				got = append(got, docs[i].ID)
				docs[i].Body = nil
			}
			must(t, s.Write(t.Context(), docs...))
			clear(docs)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, want %q", limit, got, want)
		}
	}

	calls, down := 0, errors.New("down")
	broken := func(context.Context, store.Query) ([]store.Doc, error) { calls++; return nil, down }
	for docs, err := range store.Pages(t.Context(), broken, store.Query{Limit: 1}) {
		if docs != nil || !errors.Is(err, down) {
			t.Errorf("%v, %v", docs, err)
		}
	}
	if calls != 1 {
		t.Errorf("asked %d times behind an error", calls)
	}
}
