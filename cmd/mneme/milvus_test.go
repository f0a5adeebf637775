package main

import (
	"testing"

	"github.com/milvus-io/milvus/client/v2/milvusclient"
)

// collections lists what a server holds.
func collections(t *testing.T, address string) []string {
	t.Helper()
	client, err := milvusclient.New(t.Context(), &milvusclient.ClientConfig{Address: address})
	must(t, err)
	defer func() { _ = client.Close(t.Context()) }()
	names, err := client.ListCollections(t.Context(), milvusclient.NewListCollectionOption())
	must(t, err)
	return names
}
