package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// door is a shelf that opens when it is let, and tells who stands before it.
type door struct {
	inner   index.Shelf
	arrived chan struct{} // one for each who connects
	let     chan struct{} // closed = open
	opened  atomic.Int64
}

func (d *door) open(ctx context.Context) (index.Shelf, error) {
	d.arrived <- struct{}{}
	select {
	case <-d.let:
		d.opened.Add(1)
		return d.inner, nil
	case <-ctx.Done():
		return nil, state.Errorf(state.Unavailable, "index", "does not answer: %w", ctx.Err())
	}
}

// behind starts a keeper whose index is behind a door. A pause is over at once.
func behind(t *testing.T, query time.Duration) (*vectors.Keeper, *door) {
	t.Helper()
	own, err := local.New(local.Config{Store: ram.New()})
	must(t, err)
	d := &door{inner: own, arrived: make(chan struct{}, 1000), let: make(chan struct{})}
	k, err := vectors.Open(vectors.Config{
		Embedder: embedder(t, "bag", &bag{}), Shelf: d.open, Now: time.Now, Query: query,
		Source: func(context.Context, index.Owner, []string) ([]vectors.Doc, error) {
			return []vectors.Doc{{ID: "r1", Text: "the wiper"}}, nil
		},
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	must(t, err)
	t.Cleanup(func() { _ = k.Close() })
	return k, d
}

// within fails the test if what is to return soon does not; the rest of the package never waits that long.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second): // a worker connects for up to 30
		t.Fatalf("%s waits for somebody else's connecting", what)
	}
}

func bob() index.Owner { return index.Owner{Client: "c", User: "bob"} }

func TestNobodyWaitsLongerThanHisDeadlineForAnothersConnecting(t *testing.T) {
	t.Parallel()
	k, d := behind(t, 30*time.Millisecond)
	k.Learn(anna(), state.Normal, "r1")
	<-d.arrived // a worker connects
	within(t, "a search", func() {
		if _, err := k.Search(t.Context(), bob(), "wiper", index.Query{Limit: 1}); !errors.Is(err, state.ErrUnavailable) {
			t.Errorf("Search = %v, want it to go on by words", err)
		}
	})
	within(t, "a status", func() {
		if s := k.Status(); s.Space != (index.Space{}) || s.Waiting == 0 {
			t.Errorf("Status = %+v", s)
		}
	})
	close(d.let)
	for k.Settle(t.Context(), anna()) != nil { // the search's failure is told once
	}
	if n := d.opened.Load(); n != 1 {
		t.Errorf("connected %d times, want the worker's attempt to have gone on", n)
	}
}

func TestOneConnectsForAll(t *testing.T) {
	t.Parallel()
	k, d := behind(t, time.Minute)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			o := index.Owner{Client: "c", User: fmt.Sprint("u", i%8)}
			if _, err := k.Search(t.Context(), o, "wiper", index.Query{Limit: 1}); err != nil {
				t.Errorf("Search: %v", err)
			}
		})
	}
	<-d.arrived
	close(d.let)
	all.Wait()
	if n := d.opened.Load(); n != 1 {
		t.Errorf("connected %d times, want once", n)
	}
}

func TestAnotherGoesOnForWhoGaveUp(t *testing.T) {
	t.Parallel()
	k, d := behind(t, time.Minute)
	ctx, giveUp := context.WithCancel(t.Context())
	var first, second sync.WaitGroup
	first.Go(func() {
		if _, err := k.Search(ctx, anna(), "wiper", index.Query{Limit: 1}); !errors.Is(err, state.ErrUnavailable) {
			t.Errorf("who gave up got %v", err)
		}
	})
	<-d.arrived
	second.Go(func() {
		if _, err := k.Search(t.Context(), bob(), "wiper", index.Query{Limit: 1}); err != nil {
			t.Errorf("who waited got %v", err)
		}
	})
	giveUp()
	first.Wait()
	close(d.let)
	second.Wait()
}

func TestCloseWhileConnecting(t *testing.T) {
	t.Parallel()
	k, d := behind(t, time.Minute)
	k.Learn(anna(), state.Normal, "r1")
	<-d.arrived
	within(t, "Close", func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := k.Search(t.Context(), bob(), "wiper", index.Query{Limit: 1}); !errors.Is(err, state.ErrUnavailable) || len(d.arrived) > 0 {
		t.Errorf("after Close, Search = %v, and %d connect", err, len(d.arrived))
	}
}
