package local_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state/statetest"
)

func eight() index.Space { return index.Space{Model: "test:eight", Dim: 8, Version: 1} }

func me() index.Owner { return index.Owner{Client: "c", User: "u"} }

func entry(id string, vector ...float32) index.Entry {
	return index.Entry{ID: id, Hash: "h", Kind: "message", Session: "s", At: time.UnixMilli(1000), Vector: slices.Concat(vector, make([]float32, 8-len(vector)))}
}

var must = statetest.Must

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
