package milvus_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/milvus-io/milvus/client/v2/entity"
	"github.com/milvus-io/milvus/client/v2/milvusclient"

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
		must(t, shelf.Promote(t.Context(), spaces[0]))
	}
	for range 2 { // what is clear can be cleared
		must(t, first.Clear(t.Context()))
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

// dropping leaves alone what is not certainly this shelf's: another prefix, a name like ours on a collection that says nothing, or
// that says another space, and our note under another name.
func dropping(t *testing.T, address string) {
	shelf, second := open(t, address, milvus.Config{}), open(t, address, milvus.Config{})
	live, old := index.Space{Model: "live", Dim: 2}, index.Space{Model: "old", Dim: 2}
	for _, s := range []*milvus.Shelf{shelf, second} {
		openSpace(t, s, live)
		openSpace(t, s, old)
		must(t, s.Promote(t.Context(), live))
	}
	foreign := map[string]string{
		milvus.Prefix(shelf) + "_v1_0123456789abcdef_2_0":             "somebody's",
		milvus.CollectionName(shelf, index.Space{Model: "x", Dim: 2}): `{"model":"y","dim":2,"version":0}`,
		milvus.Prefix(shelf) + "_v2_0123456789abcdef_2_0":             `{"model":"old","dim":2,"version":0}`,
		milvus.Prefix(shelf) + "_notes":                               `{"model":"old","dim":2,"version":0}`,
	}
	client := makeForeign(t, address, foreign)
	for _, want := range [][]index.Space{{old}, nil} {
		if dropped, err := shelf.Drop(t.Context()); err != nil || !slices.Equal(dropped, want) {
			t.Errorf("Drop = %v, %v, want %v", dropped, err, want)
		}
	}
	left, err := client.ListCollections(t.Context(), milvusclient.NewListCollectionOption())
	must(t, err)
	for name := range foreign {
		if !slices.Contains(left, name) {
			t.Errorf("%s is gone, and it is not ours", name)
		}
	}
	for s, there := range map[*milvus.Shelf]bool{shelf: false, second: true} {
		if slices.Contains(left, milvus.CollectionName(s, old)) != there || !slices.Contains(left, milvus.CollectionName(s, live)) {
			t.Errorf("collections %v: the live ones are to be there, the old one of %s %v", left, milvus.Prefix(s), there)
		}
	}
}

// makeForeign makes collections as others make them, by name and description.
func makeForeign(t *testing.T, address string, described map[string]string) *milvusclient.Client {
	t.Helper()
	client, err := milvusclient.New(t.Context(), &milvusclient.ClientConfig{Address: address})
	must(t, err)
	t.Cleanup(func() { _ = client.Close(context.Background()) })
	for name, text := range described {
		schema := entity.NewSchema().WithName(name).WithDescription(text).
			WithField(entity.NewField().WithName("id").WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
			WithField(entity.NewField().WithName("v").WithDataType(entity.FieldTypeFloatVector).WithDim(2))
		must(t, client.CreateCollection(t.Context(), milvusclient.NewCreateCollectionOption(name, schema)))
	}
	return client
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{"localhost:19530": true, "https://cloud.example/db": true, "": false, "ftp://x": false, "u:p@h:1": false} {
		if err := (milvus.Config{Address: address}).Validate(); (err == nil) != valid || err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
