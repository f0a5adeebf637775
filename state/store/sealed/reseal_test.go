package sealed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// fill writes n documents of user u with the key k1, in a collection that the keyring's keys seal.
func fill(t *testing.T, below store.Store, n int) {
	t.Helper()
	s := wrap(t, below, "k1")
	for i := range n {
		d := affair(t, fmt.Sprintf("c/u/%03d", i), fmt.Sprint("title ", i))
		d.Collection = state.Orders
		write(t, s, d)
	}
}

func everything() store.Query { return store.Query{Collection: state.Orders} }

// wantResealed fails the test unless all n documents can be read with the key k2 alone.
func wantResealed(t *testing.T, below store.Store, n int) {
	t.Helper()
	docs, err := wrap(t, below, "k2").Scan(t.Context(), everything())
	if len(docs) != n || err != nil {
		t.Fatalf("with the new key alone: %d documents, %v, want %d", len(docs), err, n)
	}
	for i, d := range docs {
		if want := fmt.Sprint("title ", i); d.Body.Lookup("title").StringValue() != want {
			t.Errorf("%s came back as %s, want %s", d.ID, d.Body, want)
		}
	}
}

func TestReseal(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *ram.Store{"folder": ram.New, "server": ram.NewLoose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			below := open()
			fill(t, below, 100)
			s := wrap(t, below, "k2", "k1")
			got, err := s.Reseal(t.Context(), everything())
			if diff := cmp.Diff(sealed.Resealed{Seen: 100, Stale: 100, Last: "c/u/099"}, got); diff != "" || err != nil {
				t.Errorf("Reseal: %v (-want +got):\n%s", err, diff)
			}
			wantResealed(t, below, 100)
			counting := &store.Counting{Store: below}
			got, err = wrap(t, counting, "k2", "k1").Reseal(t.Context(), everything())
			if diff := cmp.Diff(sealed.Resealed{Seen: 100, Last: "c/u/099"}, got); diff != "" || err != nil {
				t.Errorf("again: %v (-want +got):\n%s", err, diff)
			}
			if c := counting.Counts(); c.Docs != 0 {
				t.Errorf("again wrote %d documents, want none", c.Docs)
			}
		})
	}
}

// TestResealInParts: a limit, a cursor, a prefix.
func TestResealInParts(t *testing.T) {
	t.Parallel()
	below := ram.New()
	fill(t, below, 100)
	s := wrap(t, below, "k2", "k1")
	q, calls := everything(), 0
	for {
		q.Limit = 45
		got, err := s.Reseal(t.Context(), q)
		must(t, err)
		calls++
		if q.After = got.Last; got.Seen < q.Limit {
			break
		}
	}
	if calls != 3 {
		t.Errorf("%d calls of 45 for 100 documents, want 3", calls)
	}
	wantResealed(t, below, 100)
	got, err := s.Reseal(t.Context(), store.Query{Collection: state.Orders, Prefix: "c/u/01", Reverse: true})
	if diff := cmp.Diff(sealed.Resealed{Seen: 10, Last: "c/u/010"}, got); diff != "" || err != nil {
		t.Errorf("a prefix in reverse: %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.Reseal(t.Context(), store.Query{Collection: state.Orders, Limit: -1}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("a negative limit: %v, want an error that is ErrInvalid", err)
	}
}

func TestResealStopsAtWhatItCannotRead(t *testing.T) {
	t.Parallel()
	below := ram.New()
	fill(t, below, 70)
	bad, err1 := below.Get(t.Context(), state.Orders, "c/u/050")
	other, err2 := below.Get(t.Context(), state.Orders, "c/u/001")
	must(t, errors.Join(err1, err2))
	bad.Body = other.Body
	write(t, below, bad)
	s := wrap(t, below, "k2", "k1")
	got, err := s.Reseal(t.Context(), everything())
	wantRefused(t, "Reseal", err, bad.ID)
	if got.Last != "c/u/031" || !strings.HasPrefix(fmt.Sprint(err), "reseal orders: ") {
		t.Errorf("Reseal = %+v, %v, want all before the page with the bad one", got, err)
	}
	got, err = s.Reseal(t.Context(), store.Query{Collection: state.Orders, After: bad.ID})
	if got.Stale != 19 || err != nil {
		t.Errorf("behind it: %+v, %v, want 19 documents", got, err)
	}
	_, err = wrap(t, below, "k2").Reseal(t.Context(), everything())
	var unknown *sealed.UnknownKeyError
	if !errors.As(err, &unknown) {
		t.Errorf("without the old key: %v, want an *UnknownKeyError", err)
	}
}

func TestResealIsCancelled(t *testing.T) {
	t.Parallel()
	below := ram.New()
	fill(t, below, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := wrap(t, below, "k2", "k1").Reseal(ctx, everything())
	if !errors.Is(err, context.Canceled) || got != (sealed.Resealed{}) {
		t.Errorf("Reseal = %+v, %v, want context.Canceled", got, err)
	}
}

// TestResealBesideWriters: every raise of every counter survives, whoever was first.
func TestResealBesideWriters(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *ram.Store{"folder": ram.New, "server": ram.NewLoose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			below := open()
			fill(t, below, 40)
			s := wrap(t, below, "k2", "k1")
			var wg sync.WaitGroup
			for g := range 4 {
				wg.Go(func() {
					for i := range 50 {
						touch(t, s, fmt.Sprintf("c/u/%03d", (g*7+i)%40))
					}
				})
			}
			for range 10 {
				if _, err := s.Reseal(t.Context(), everything()); err != nil {
					t.Errorf("Reseal: %v", err)
				}
			}
			wg.Wait()
			wantResealed(t, below, 40)
			total := int64(0)
			docs, _ := s.Scan(t.Context(), everything())
			for _, d := range docs {
				total += d.Rev
			}
			if least, most := int64(40+200), int64(40+200+40); total < least || total > most {
				t.Errorf("revisions add up to %d, want %d to %d", total, least, most)
			}
		})
	}
}

// touch replaces a document by itself, again until nobody was first.
func touch(t *testing.T, s store.Store, id string) {
	for {
		d, err := s.Get(t.Context(), state.Orders, id)
		if err == nil {
			err = s.Write(t.Context(), d)
		}
		if err == nil {
			return
		}
		if !errors.Is(err, state.ErrConflict) {
			t.Errorf("touch %s: %v", id, err)
			return
		}
	}
}

func TestResealLosesRaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rival func(t *testing.T, below store.Store, d store.Doc) // what another process does first
		want  error
	}{
		{"against a deletion", func(t *testing.T, below store.Store, d store.Doc) {
			_, _ = below.Delete(t.Context(), d.Collection, d.ID)
		}, nil},
		{"against a writer with the new key", func(t *testing.T, below store.Store, d store.Doc) {
			touch(t, wrap(t, below, "k2", "k1"), d.ID)
		}, nil},
		{"for ever against a writer with the old key", func(t *testing.T, below store.Store, d store.Doc) {
			touch(t, wrap(t, below, "k1", "k2"), d.ID)
		}, state.ErrConflict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			below := ram.New()
			fill(t, below, 1)
			r := storetest.Wrap(below, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
				for _, d := range c.Docs {
					tt.rival(t, below, d)
				}
				return do(ctx)
			})
			_, err := wrap(t, r, "k2", "k1").Reseal(t.Context(), everything())
			if !errors.Is(err, tt.want) {
				t.Errorf("Reseal = %v, want %v", err, tt.want)
			}
		})
	}
}
