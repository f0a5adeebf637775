package vectors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLearnAndSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(state.Normal, "r1", "the wiper for the jeep")
	b.write(state.High, "r2", "the dentist on friday")
	must(t, b.Wait(t.Context(), anna(), "r1", "r2"))
	if got := b.found(t, "wiper jeep", 1); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("found %v, want r1", got)
	}
	b.write(state.Normal, "r1", "the train to brno")
	must(t, b.Wait(t.Context(), anna(), "r1"))
	if got := b.found(t, "train brno", 1); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("found %v after the change, want r1", got)
	}
	b.write(state.Normal, "r1", "")
	must(t, b.Settle(t.Context(), anna()))
	if got := b.entries(t); len(got) != 1 || got["r2"] == "" {
		t.Errorf("entries %v, want r2 alone: r1 is gone", got)
	}
	if s := b.Status(); s.Waiting != 0 || s.Failure != nil || s.Space.Dim != dim || s.Other != (index.Space{}) {
		t.Errorf("status %+v", s)
	}
}

func TestComparingMendsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 30 {
		b.write(state.Normal, fmt.Sprintf("r%02d", i), fmt.Sprintf("word%d and more", i))
	}
	must(t, b.Settle(t.Context(), anna()))
	must(t, b.Close())
	// while nobody looks: one document new, one changed, one gone
	b.library.set(anna(), "new", "a new one")
	b.library.set(anna(), "r03", "another text")
	b.library.set(anna(), "r04", "")
	before := b.bag.calls.Load()
	b.open(t)
	b.found(t, "anything", 1) // meets the owner
	must(t, b.Settle(t.Context(), anna()))
	got := b.entries(t)
	if len(got) != 30 || got["new"] == "" || got["r04"] != "" {
		t.Errorf("%d entries, new %q, r04 %q; want 30, some, none", len(got), got["new"], got["r04"])
	}
	if calls := b.bag.calls.Load() - before; calls > 4 { // the dimension, the query, the two documents
		t.Errorf("%d calls of the embedder; what is in step is not to be embedded again", calls)
	}
}

func TestUrgentComesFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.bag.gate = make(chan struct{})
	for i := range 40 {
		b.write(state.Background, fmt.Sprintf("old%02d", i), fmt.Sprintf("bulk %d", i))
	}
	b.write(state.Critical, "now", "needed at once")
	if waiting := b.Waiting(anna(), "now", "old39"); !waiting["now"] || !waiting["old39"] {
		t.Errorf("waiting: %v", waiting)
	}
	close(b.bag.gate)
	must(t, b.Settle(t.Context(), anna()))
	at := slices.IndexFunc(b.bag.asked, func(texts []string) bool { return slices.Contains(texts, "needed at once") })
	if at > 2 { // before it the dimension, and a batch that was under way
		t.Errorf("what is critical was embedded by call %d of %d", at, len(b.bag.asked))
	}
}

func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(b *bench, away bool){
		"embedder": func(b *bench, away bool) { b.bag.broken.Store(away) },
		"index":    func(b *bench, away bool) { b.shelf.broken.Store(away) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write(state.Normal, "r1", "first")
			must(t, b.Settle(t.Context(), anna()))
			broken(b, true)
			b.write(state.Critical, "r2", "second")
			if err := b.Wait(t.Context(), anna(), "r2"); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("waiting says %v, want unavailable", err)
			}
			if _, err := b.Search(t.Context(), anna(), "first", index.Query{Limit: 1}); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("search says %v, want unavailable", err)
			}
			if s := b.Status(); s.Waiting == 0 || s.Failure == nil || s.Since.IsZero() {
				t.Errorf("status %+v does not tell", s)
			}
			var pauses []time.Duration
			for len(pauses) < 4 {
				pauses = append(pauses, <-b.slept)
			}
			if !slices.IsSorted(pauses) || pauses[3] <= pauses[0] {
				t.Errorf("pauses %v do not grow", pauses)
			}
			broken(b, false)
			for b.Settle(t.Context(), anna()) != nil { // until the next attempt
			}
			if got := b.entries(t); len(got) != 2 {
				t.Errorf("entries %v, want both", got)
			}
		})
	}
}

// Who waits for a vector when the process ends is told so.
func TestNobodyWaitsForAClosedKeeper(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Close())
	b.write(state.High, "m1", "the wiper arrived")
	for name, err := range map[string]error{"Settle": b.Settle(t.Context(), anna()), "Wait": b.Wait(t.Context(), anna(), "m1")} {
		if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s = %v, want Unavailable that says it is closed", name, err)
		}
	}
}

func TestAnotherEmbedderIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(state.Normal, "r1", "first")
	must(t, b.Settle(t.Context(), anna()))
	k, err := vectors.Open(vectors.Config{Embedder: embedder(t, "other", &bag{salt: "x"}), Shelf: b.opened, Source: b.library.source, Now: time.Now})
	must(t, err)
	defer k.Close()
	must(t, k.Settle(t.Context(), anna()))
	if s := k.Status(); s.Other.Model != "bag" || s.Space.Model != "other" {
		t.Errorf("status %+v, want the live space named", s)
	}
	if n, err := k.Reindex(t.Context(), []index.Owner{anna()}, nil); err != nil || n != 1 {
		t.Errorf("reindexed %d: %v", n, err)
	}
	if s := k.Status(); s.Other != (index.Space{}) {
		t.Errorf("status %+v after reindexing", s)
	}
}

func TestOneRefusedTextHoldsUpNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.bag.refuses = "poison"
	for i := range 20 {
		b.write(state.Normal, fmt.Sprintf("r%02d", i), fmt.Sprintf("word%d", i))
	}
	b.write(state.Normal, "bad", "poison")
	must(t, b.Settle(t.Context(), anna()))
	if got := b.entries(t); len(got) != 20 {
		t.Errorf("%d entries, want all but the refused one", len(got))
	}
	if n, err := b.Reindex(t.Context(), []index.Owner{anna()}, nil); err != nil || n != 20 {
		t.Errorf("reindexed %d: %v", n, err)
	}
}

func TestAnIndexThatIsLostIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, notice := range map[string]func(b *bench) error{
		"by a reader": func(b *bench) error {
			_, err := b.Search(t.Context(), anna(), "word1", index.Query{Limit: 1})
			if !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("the search that meets the loss says %v", err)
			}
			return nil
		},
		"by reindexing": func(b *bench) error {
			n, err := b.Reindex(t.Context(), []index.Owner{anna()}, nil)
			if n != 5 {
				t.Errorf("reindexed %d", n)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i := range 5 {
				b.write(state.Normal, fmt.Sprintf("r%d", i), fmt.Sprintf("word%d", i))
			}
			must(t, b.Settle(t.Context(), anna()))
			b.shelf.gone.Store(b.shelf.opened.Load())
			must(t, notice(b))
			for b.Settle(t.Context(), anna()) != nil { // until the next attempt
			}
			if got := b.found(t, "word3", 1); !slices.Equal(got, []string{"r3"}) {
				t.Errorf("found %v", got)
			}
		})
	}
}

func TestDimensionsMustStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := vectors.Open(vectors.Config{}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("an empty Config: %v", err)
	}
	if _, err := b.Search(t.Context(), anna(), "", index.Query{Limit: 1}); err == nil {
		t.Error("an empty text was searched for")
	}
	if _, err := b.Search(t.Context(), index.Owner{}, "x", index.Query{Limit: 1}); err == nil {
		t.Error("nobody's vectors were searched")
	}
}

// TestAnySequenceEndsInStep makes any sequence of writes, deletions, failures and restarts, and compares.
func TestAnySequenceEndsInStep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		b := setup(t)
		want := map[string]string{}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			id := fmt.Sprintf("r%d", rapid.IntRange(0, 5).Draw(r, "id"))
			switch rapid.IntRange(0, 5).Draw(r, "do") {
			case 0:
				b.bag.broken.Store(true)
			case 1:
				b.bag.broken.Store(false)
			case 2:
				_ = b.Close()
				b.open(t)
			case 3:
				delete(want, id)
				b.write(state.Normal, id, "")
			default:
				want[id] = fmt.Sprintf("text %d", rapid.IntRange(0, 9).Draw(r, "text"))
				b.write(rapid.SampledFrom(state.Priorities()).Draw(r, "priority"), id, want[id])
			}
		}
		b.bag.broken.Store(false)
		for b.Settle(t.Context(), anna()) != nil {
		}
		got := b.entries(t)
		if len(got) != len(want) {
			r.Fatalf("entries %v, want those of %v", got, want)
		}
		for id, text := range want {
			if first := b.found(t, text, 6); !slices.Contains(first, id) {
				r.Fatalf("%s (%s) is not found: %v", id, text, first)
			}
		}
		_ = b.Close()
	})
}
