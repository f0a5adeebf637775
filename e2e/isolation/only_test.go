package isolation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
)

// A user's only record is the first hit, by words and by vectors alone, though 10,000 of other users and clients are nearer.
func TestOnlyRecord(t *testing.T) {
	t.Parallel()
	const question = "where is the spare key of the garden house"
	c := setup(t, nil)
	mine := state.Scope{Client: "client-1", User: "anna", Session: "s1", Agent: "main"}
	receipts, err := c.memory.Write(t.Context(), mine, memory.Change{Content: "The second key hangs behind the blue flowerpot.", Priority: state.Critical})
	must(t, err)
	if !receipts[0].Durable || !receipts[0].Indexed {
		t.Fatalf("receipt: %+v", receipts[0])
	}
	others := []state.Scope{
		{Client: "client-1", User: "ben", Session: "s1", Agent: "main"}, {Client: "client-2", User: "anna", Session: "s1", Agent: "main"},
		{Client: "client-10", User: "anna", Session: "s1", Agent: "main"}, {Client: "client-1", User: "anna2", Session: "s1", Agent: "main"},
	}
	for n := range 40 {
		c.crowdIn(t, others[n%len(others)], question, n, 250)
	}
	for _, scope := range append(others, mine) {
		must(t, c.memory.Vectors().Settle(t.Context(), scope))
	}
	vector, err := c.embedder.Embed(t.Context(), question)
	must(t, err)
	vectors := c.vectors(t)
	for range 2 { // the second time from the cache
		hits, err := c.memory.Recall(t.Context(), memory.Query{Scope: mine, Text: question})
		if err != nil || len(hits) != 1 || hits[0].ID != receipts[0].ID || hits[0].Why.Fields.Near == 0 {
			t.Fatalf("recall: %+v, %v, want the only record", hits, err)
		}
	}
	hits, err := vectors.Search(t.Context(), index.Of(mine), index.Query{Vector: vector[0], Limit: 5})
	if err != nil || len(hits) != 1 || hits[0].ID != "records/"+receipts[0].ID {
		t.Errorf("by vectors: %+v, %v", hits, err)
	}
	nearer, err := vectors.Search(t.Context(), index.Of(others[0]), index.Query{Vector: vector[0], Limit: 5000})
	if err != nil || len(nearer) != 2500 || nearer[2499].Cosine <= hits[0].Cosine {
		t.Errorf("the others' are %d, %v; all should be nearer than %v", len(nearer), err, hits[0])
	}
}

// crowdIn writes records that are as near to a question as can be.
func (c *crowd) crowdIn(t *testing.T, scope state.Scope, question string, part, count int) {
	t.Helper()
	effects := make([]state.Effect, count)
	for i := range effects {
		r := state.Record{
			ID: fmt.Sprintf("rec-%d-%d", part, i), Client: scope.Client, User: scope.User, Session: scope.Session, Kind: state.FactRecord,
			Content: question, Trust: state.TrustAgent, Importance: 10, Pinned: true, RecordedAt: now(), ValidFrom: now(),
		}
		effects[i] = state.Effect{Scope: scope, Record: &r}
	}
	must(t, checkpointtest.Append(t.Context(), c.store, c.memory.Turn().Commits(), effects...))
}

// The same on a server, where one collection holds them all.
func TestOnlyRecordOnMilvus(t *testing.T) {
	t.Parallel()
	server := milvustest.Start(t)
	shelf, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, Prefix: "only"})
	must(t, err)
	t.Cleanup(func() { must(t, shelf.Close()) })
	vectors, err := shelf.Open(t.Context(), index.Space{Model: "test", Dim: 4})
	must(t, err)
	mine := index.Owner{Client: "client-1", User: "anna"}
	must(t, vectors.Put(t.Context(), mine, index.Entry{ID: "records/only", Kind: "fact", Vector: []float32{0, 1, 0, 0}}))
	others := []index.Owner{{Client: "client-1", User: "ben"}, {Client: "client-2", User: "anna"}, {Client: "anna", User: "client-1"}}
	entries := make([]index.Entry, 10_000)
	for n := range entries {
		entries[n] = index.Entry{ID: fmt.Sprintf("records/%d", n), Kind: "fact", Vector: []float32{1, float32(n) / 1e6, 0, 0}}
	}
	for i, some := range slices.Collect(slices.Chunk(entries, 2500)) {
		must(t, vectors.Put(t.Context(), others[i%len(others)], some...))
	}
	for _, q := range []index.Query{{Limit: 1}, {Limit: 10, Fresh: true}, {Limit: 10, Kinds: []string{"fact"}}, {Limit: 10, IDs: []string{"records/7", "records/only"}}} {
		q.Vector = []float32{1, 0, 0, 0}
		hits, err := vectors.Search(t.Context(), mine, q)
		if err != nil || len(hits) != 1 || hits[0].ID != "records/only" {
			t.Errorf("%+v: %+v, %v, want the only record", q, hits, err)
		}
	}
}
