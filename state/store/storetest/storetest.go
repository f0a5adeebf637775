package storetest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Run runs the suite on a driver. Open returns an empty store, a new one at each call, and closes it with
// t.Cleanup. What the driver cannot do it says in its Features, which choose among the cases.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	atomic := open(t).Features().Atomic
	groups := []group{
		{"write", writeCases()}, {"refuse", refuseCases()}, {"scan", scanCases()}, {"delete", deleteCases()},
		{"own memory", aliasCases()}, {"body", bodyCases()}, {"context", contextCases()}, {"many", concurrencyCases()},
		{"model", modelCases()},
	}

	if atomic {
		groups = append(groups, group{"atomic", atomicCases()})
	} else {
		groups = append(groups, group{"loose", looseCases()})
	}

	for _, g := range groups {
		for _, c := range g.cases {
			t.Run(g.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, open(t))
			})
		}
	}
}

// check is one named case.
type check struct {
	name string
	run  func(t *testing.T, s store.Store)
}

type group = struct {
	name  string
	cases []check
}

// doc returns a document of the affairs with a small body that holds n.
func doc(id string, rev int64, n int) store.Doc {
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev, Body: body(bson.D{{Key: "n", Value: int64(n)}})}
}

// gone returns the deletion of a document of the affairs.
func gone(id string, rev int64) store.Doc {
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev}
}

func body(d bson.D) bson.Raw {
	b, err := bson.Marshal(d)
	if err != nil {
		panic(err) // the suite's own documents
	}
	return b
}

// write fails the test if the documents cannot be written.
func write(t *testing.T, s store.Store, docs ...store.Doc) {
	t.Helper()
	if err := s.Write(t.Context(), docs...); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// fill inserts a small document under each id.
func fill(t *testing.T, s store.Store, ids ...string) {
	t.Helper()
	for i, id := range ids {
		write(t, s, doc(id, 0, i))
	}
}

// want fails the test unless the store holds exactly this document at this revision.
func want(t *testing.T, s store.Store, d store.Doc) {
	t.Helper()
	got, err := s.Get(t.Context(), d.Collection, d.ID)
	if err != nil {
		t.Fatalf("Get %s: %v", d.ID, err)
	}
	if !bytes.Equal(d.Body, got.Body) && len(d.Body) > 1<<10 {
		t.Fatalf("Get %s: a body of %d bytes came back changed, as %d bytes", d.ID, len(d.Body), len(got.Body))
	}
	d.Body, got.Body = clip(d.Body), clip(got.Body)
	if diff := cmp.Diff(d, got); diff != "" {
		t.Fatalf("Get %s (-want +got):\n%s", d.ID, diff)
	}
}

// clip keeps what of a body is worth showing, and no more than can be compared in no time.
func clip(b bson.Raw) bson.Raw { return b[:min(len(b), 1<<10)] }

// wantAbsent fails the test if there is such a document among the affairs.
func wantAbsent(t *testing.T, s store.Store, id string) {
	t.Helper()
	if d, err := s.Get(t.Context(), state.Affairs, id); !errors.Is(err, state.ErrNotFound) {
		t.Fatalf("Get %q = revision %d, error %v; want an error that is ErrNotFound", id, d.Rev, err)
	}
}

// wantConflict fails the test unless err names this document of the affairs as the one that lost.
func wantConflict(t *testing.T, err error, id string) {
	t.Helper()
	var conflict *store.ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, state.ErrConflict) || state.CodeOf(err) != state.Conflict {
		t.Fatalf("error = %v; want a *ConflictError that is ErrConflict", err)
	}
	if conflict.Collection != state.Affairs || conflict.ID != id {
		t.Fatalf("conflict names %s %q, want affairs %q", conflict.Collection, conflict.ID, id)
	}
}

// wantIDs fails the test unless the query selects these ids in this order.
func wantIDs(t *testing.T, s store.Store, q store.Query, ids ...string) {
	t.Helper()
	if q.Collection == "" {
		q.Collection = state.Affairs
	}

	docs, err := s.Scan(t.Context(), q)
	if err != nil {
		t.Fatalf("Scan %+v: %v", q, err)
	}
	if docs == nil {
		t.Fatalf("Scan %+v = nil, want an empty slice", q)
	}

	got := make([]string, 0, len(docs))
	for _, d := range docs {
		got = append(got, d.ID)
	}
	if diff := cmp.Diff(append([]string{}, ids...), got); diff != "" {
		t.Fatalf("Scan %+v (-want +got):\n%s", q, diff)
	}
}

// done returns a context that was cancelled before the call.
func done(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
