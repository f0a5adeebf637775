package milvus_test

import (
	"errors"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/state"
)

// clearing deletes what is of one prefix, the live space too, and nothing else.
func clearing(t *testing.T, address string) {
	first, second := open(t, address, milvus.Config{}), open(t, address, milvus.Config{})
	spaces := []index.Space{{Model: "a", Dim: 2}, {Model: "b", Dim: 3}}
	for _, shelf := range []*milvus.Shelf{first, second} {
		for _, space := range spaces {
			if _, err := shelf.Open(t.Context(), space); err != nil {
				t.Fatal(err)
			}
		}
		if err := shelf.Promote(t.Context(), spaces[0]); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // what is clear can be cleared
		if err := first.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if live, ok, err := first.Live(t.Context()); ok || err != nil {
		t.Errorf("live is %v, %v, want none", live, err)
	}
	for _, space := range spaces {
		if err := first.Promote(t.Context(), space); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("promote %v: %v, want it gone", space, err)
		}
	}
	if live, ok, err := second.Live(t.Context()); !ok || live != spaces[0] || err != nil {
		t.Errorf("of the other prefix %v is live (%v), want %v", live, err, spaces[0])
	}
	if err := second.Promote(t.Context(), spaces[1]); err != nil {
		t.Errorf("of the other prefix: %v", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{"localhost:19530": true, "https://cloud.example/db": true, "": false, "ftp://x": false, "u:p@h:1": false} {
		if err := (milvus.Config{Address: address}).Validate(); (err == nil) != valid || err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
