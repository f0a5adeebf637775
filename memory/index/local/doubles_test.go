package local_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// flaky passes everything on to the store it wraps, except what a test wants otherwise. A nil function is no wish.
type flaky struct {
	store.Store
	mu     sync.Mutex
	before func(ctx context.Context, docs []store.Doc) error // of a Write; an error stands for the call
	after  func(docs []store.Doc) error                      // of a Write that was made
	scan   func(ctx context.Context) error
}

func (f *flaky) wishes() (func(context.Context, []store.Doc) error, func([]store.Doc) error, func(context.Context) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.before, f.after, f.scan
}

// wish sets the functions by an edit that no call runs into.
func (f *flaky) wish(edit func(f *flaky)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit(f)
}

func (f *flaky) Write(ctx context.Context, docs ...store.Doc) error {
	before, after, _ := f.wishes()
	if before != nil {
		if err := before(ctx, docs); err != nil {
			return err
		}
	}
	if err := f.Store.Write(ctx, docs...); err != nil {
		return err
	}
	if after != nil {
		return after(docs)
	}
	return nil
}

func (f *flaky) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if _, _, scan := f.wishes(); scan != nil {
		if err := scan(ctx); err != nil {
			return nil, err
		}
	}
	return f.Store.Scan(ctx, q)
}

func lost() error { return state.Errorf(state.Unavailable, "write", "the answer was lost") }

func eight() index.Space { return index.Space{Model: "test:eight", Dim: 8, Version: 1} }

func me() index.Owner { return index.Owner{Client: "c", User: "u"} }

func entry(id string, vector ...float32) index.Entry {
	return index.Entry{ID: id, Hash: "h", Kind: "message", Session: "s", At: time.UnixMilli(1000), Vector: slices.Concat(vector, make([]float32, 8-len(vector)))}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openSpace(t testing.TB, shelf index.Shelf, s index.Space) index.Vectors {
	t.Helper()
	v, err := shelf.Open(t.Context(), s)
	must(t, err)
	return v
}

// found is what a search along the first axis finds.
func found(t testing.TB, v index.Vectors, o index.Owner) []string {
	t.Helper()
	hits, err := v.Search(t.Context(), o, index.Query{Vector: entry("", 1).Vector, Limit: 100})
	must(t, err)
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func wantFound(t testing.TB, v index.Vectors, ids ...string) {
	t.Helper()
	if got := found(t, v, me()); !slices.Equal(got, append([]string{}, ids...)) {
		t.Errorf("Search found %q, want %q", got, ids)
	}
}
