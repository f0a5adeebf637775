package milvus_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/indextest"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
)

func TestSuite(t *testing.T) {
	server := milvustest.Start(t)
	indextest.Run(t, func(t *testing.T) index.Shelf { return open(t, server.Address, milvus.Config{}) })
}

// open opens an empty shelf with a prefix of its own.
func open(t *testing.T, address string, cfg milvus.Config) *milvus.Shelf {
	t.Helper()
	cfg.Address, cfg.Prefix = address, "t"+strings.ToLower(rand.Text()[:12])
	shelf, err := milvus.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shelf.Close(); err != nil {
			t.Error(err)
		}
	})
	return shelf
}
