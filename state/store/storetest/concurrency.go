package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func concurrencyCases() []check {
	return []check{
		{"16 goroutines count with compare-and-swap and lose nothing", casCounter},
		{"of concurrent inserts of one id exactly one wins", oneWinner},
		{"writers of different documents do not disturb each other", noDisturbance},
		{"scans during writes and deletions", scansDuringWrites},
	}
}

// casCounter lets every goroutine raise one counter: read, write at the revision read, again if
// somebody was first.
func casCounter(t *testing.T, s store.Store) {
	const goroutines, each = 16, 20
	write(t, s, doc("n", 0, 0))
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				if !raise(t, s) {
					return
				}
			}
		})
	}
	wg.Wait()
	want(t, s, doc("n", goroutines*each+1, goroutines*each))
}

func raise(t *testing.T, s store.Store) bool {
	for {
		d, err := s.Get(t.Context(), state.Affairs, "n")
		if err != nil {
			t.Errorf("Get: %v", err)
			return false
		}

		n, _ := d.Body.Lookup("n").AsInt64OK()
		err = s.Write(t.Context(), doc("n", d.Rev, int(n)+1))
		switch {
		case err == nil:
			return true
		case !errors.Is(err, state.ErrConflict):
			t.Errorf("Write: %v", err)
			return false
		}
	}
}

func oneWinner(t *testing.T, s store.Store) {
	for round := range 10 {
		id := fmt.Sprint("step/", round)
		var winners, losers atomic.Int64
		var winner atomic.Int64
		var wg sync.WaitGroup

		// All insert the same document at the same time.
		for g := range 16 {
			wg.Go(func() {
				switch err := s.Write(t.Context(), doc(id, 0, g)); {
				case err == nil:
					winners.Add(1)
					winner.Store(int64(g))
				case errors.Is(err, state.ErrConflict):
					losers.Add(1)
				default:
					t.Errorf("Write: %v", err)
				}
			})
		}
		wg.Wait()

		if winners.Load() != 1 || losers.Load() != 15 {
			t.Fatalf("%d won and %d lost, want 1 and 15", winners.Load(), losers.Load())
		}
		want(t, s, doc(id, 1, int(winner.Load())))
	}
}

func noDisturbance(t *testing.T, s store.Store) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				if err := s.Write(t.Context(), doc(fmt.Sprintf("g%d/%02d", g, i), 0, i), doc(fmt.Sprintf("g%d", g), int64(i), i)); err != nil {
					t.Errorf("Write: %v", err)
				}
			}
		})
	}

	wg.Wait()
	for g := range 8 {
		want(t, s, doc(fmt.Sprintf("g%d", g), 20, 19))
	}
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil || len(docs) != 8*21 {
		t.Errorf("%d documents, %v, want %d", len(docs), err, 8*21)
	}
}

func scansDuringWrites(t *testing.T, s store.Store) {
	// Documents come and go between others that stay.
	fill(t, s, "a", "m", "z")
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 30 {
			if err := s.Write(t.Context(), doc(fmt.Sprintf("k/%02d", i), 0, i)); err != nil {
				t.Errorf("Write: %v", err)
			}
			if i%10 != 9 {
				continue
			}
			if n, err := s.Delete(t.Context(), state.Affairs, "k/"); err != nil || n != 10 {
				t.Errorf("Delete = %d, %v, want 10", n, err)
			}
		}
	})

	// A scan sees those that stay, and any number of the others.
	for range 50 {
		for _, reverse := range []bool{false, true} {
			docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Reverse: reverse})
			if err != nil || len(docs) < 3 || len(docs) > 13 {
				t.Fatalf("Scan = %d documents, %v, want 3 to 13", len(docs), err)
			}
		}
	}
	wg.Wait()
	wantIDs(t, s, store.Query{}, "a", "m", "z")
}
