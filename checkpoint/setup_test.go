package checkpoint_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newWatch() *statetest.Clock {
	return &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
}

// process makes a log as a process of that name would have it.
func process(name string, s store.Store, w *statetest.Clock, shared bool) *checkpoint.Log {
	return checkpoint.New(checkpoint.Config{
		Store: as{s, store.Features{Atomic: s.Features().Atomic, Shared: shared}}, Now: w.Now, Lease: time.Minute, Memory: ledger{Store: s},
		After: func(time.Duration) <-chan time.Time { return nil },
		NewID: numbered(name),
	})
}

func numbered(name string) func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("%s-%d", name, n.Add(1)) }
}

// as is a store that says of itself what it is told to.
type as struct {
	store.Store
	can store.Features
}

func (s as) Features() store.Features { return s.can }

func thread(id string) state.Thread { return state.Thread{Client: "c", ID: id} }

func begin(t *testing.T, l *checkpoint.Log, id, turn string) *checkpoint.Turn {
	t.Helper()
	got, err := l.Begin(t.Context(), thread(id), turn)
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}
	return got
}

func take(t *testing.T, l *checkpoint.Log, id string) (*checkpoint.Turn, []checkpoint.Step) {
	t.Helper()
	got, past, err := l.Take(t.Context(), thread(id))
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	return got, past.Steps
}

func commit(t *testing.T, turn *checkpoint.Turn, c checkpoint.Commit) {
	t.Helper()
	if err := turn.Commit(t.Context(), c); err != nil {
		t.Fatalf("Commit: %v", err)
	}
}

// said is a part of a node that has one text field.
func said(node, text string) checkpoint.Part {
	part := checkpoint.Part{Node: node, Visit: 1}
	f := field.Of(text)
	if err := part.Deltas([]field.Named{{Name: "text", Field: &f}}); err != nil {
		panic(err)
	}
	return part
}

// ledger is a checkpoint.Memory that adds each effect's importance to the sum kept under its record's id.
type ledger struct {
	store.Store
	wrong error         // of each Merge
	told  *atomic.Int64 // documents that were written
}

// Look does nothing.
func (l ledger) Look(context.Context, state.Thread) (int64, error) { return 0, nil }

// Merge adds effects to their sums.
func (l ledger) Merge(ctx context.Context, effects []state.Effect) (checkpoint.Batch, error) {
	b, err := checkpointtest.Merge(l.merge).Merge(ctx, effects)
	return told{b, l.told}, err
}

// told counts the documents that it is told are written.
type told struct {
	checkpoint.Batch
	n *atomic.Int64
}

func (t told) Wrote(ctx context.Context) error {
	if t.n != nil {
		t.n.Add(int64(len(t.Docs()[0])))
	}
	return t.Batch.Wrote(ctx)
}

func (l ledger) merge(ctx context.Context, effects []state.Effect) ([]store.Doc, error) {
	if l.wrong != nil {
		return nil, l.wrong
	}
	var docs []store.Doc
	for _, e := range effects {
		doc, err := l.Get(ctx, state.Records, e.Scope.Key(e.Record.ID))
		if state.CodeOf(err) == state.NotFound {
			doc, err = store.Doc{Collection: state.Records, ID: e.Scope.Key(e.Record.ID), Body: balance(0)}, nil
		}
		if err != nil {
			return nil, err
		}
		doc.Body = balance(doc.Body.Lookup("n").Int64() + int64(e.Record.Importance))
		docs = append(docs, doc)
	}
	return docs, nil
}

func balance(n int64) bson.Raw {
	raw, err := bson.Marshal(bson.D{{Key: "n", Value: n}})
	if err != nil {
		panic(err)
	}
	return raw
}

func pay(id string) []state.Effect {
	return []state.Effect{{Scope: state.Scope{}.Default(), Record: &state.Record{ID: id, Importance: 1}}}
}

func paid(t *testing.T, s store.Store, id string) int64 {
	t.Helper()
	doc, err := s.Get(t.Context(), state.Records, state.Scope{}.Default().Key(id))
	if state.CodeOf(err) == state.NotFound {
		return 0
	}
	must(t, err)
	return doc.Body.Lookup("n").Int64()
}

var must, same = statetest.Must, statetest.Same
