package local_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func ExampleNew() {
	ctx := context.Background()
	shelf, err := local.New(local.Config{Store: ram.New()}) // a sqlite store keeps them
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shelf.Close()
	vectors, err := shelf.Open(ctx, index.Space{Model: "three numbers", Dim: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	anna := index.Owner{Client: "shop", User: "anna"}
	err = vectors.Put(ctx, anna,
		index.Entry{ID: "m1", Kind: "message", Vector: []float32{1, 0, 0}},
		index.Entry{ID: "m2", Kind: "message", Vector: []float32{3, 4, 0}},
		index.Entry{ID: "f1", Kind: "fact", Vector: []float32{0, 0, 2}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	hits, err := vectors.Search(ctx, anna, index.Query{Vector: []float32{5, 0, 0}, Limit: 2})
	fmt.Println(hits, err)
	hits, err = vectors.Search(ctx, anna, index.Query{Vector: []float32{5, 0, 0}, Limit: 2, Kinds: []string{"fact"}})
	fmt.Println(hits, err)
	hits, err = vectors.Search(ctx, index.Owner{Client: "shop", User: "ben"}, index.Query{Vector: []float32{5, 0, 0}, Limit: 2})
	fmt.Println(hits, err)
	// Output:
	// [{m1 1} {m2 0.6}] <nil>
	// [{f1 0}] <nil>
	// [] <nil>
}
