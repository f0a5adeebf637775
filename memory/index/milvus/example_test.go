package milvus_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
)

// A server on this machine, a space for one embedder, and one user's entries in it.
func Example() {
	ctx := context.Background()
	shelf, err := milvus.Open(ctx, milvus.Config{Address: "localhost:19530"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = shelf.Close() }()
	vectors, err := shelf.Open(ctx, index.Space{Model: "openai:text-embedding-3-small", Dim: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	jan := index.Owner{Client: "acme", User: "jan"}
	err = vectors.Put(ctx, jan,
		index.Entry{ID: "r1", Kind: "fact", Vector: []float32{1, 0, 0}},
		index.Entry{ID: "r2", Kind: "fact", Vector: []float32{0, 1, 0}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	hits, err := vectors.Search(ctx, jan, index.Query{Vector: []float32{2, 1, 0}, Limit: 1, Fresh: true})
	fmt.Println(hits, err)
}
