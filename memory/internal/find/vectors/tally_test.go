package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/state"
)

func TestCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 10 {
		b.write(state.Normal, fmt.Sprintf("r%d", i), fmt.Sprintf("word%d", i))
	}
	must(t, b.Settle(t.Context(), anna()))
	// what this process has not heard of: two new, one changed, one gone, and another user's
	b.library.set(anna(), "new1", "a new one")
	b.library.set(anna(), "new2", "another new one")
	b.library.set(anna(), "r3", "another text")
	b.library.set(anna(), "r4", "")
	b.library.set(bob(), "x1", "of bob")
	live, _, err := b.shelf.Live(t.Context())
	must(t, err)
	v, err := b.shelf.Open(t.Context(), live)
	must(t, err)
	away := state.Errorf(state.Unavailable, "store", "is away")
	broken := func(ctx context.Context, o index.Owner, ids []string) ([]vectors.Doc, error) {
		if o == bob() {
			return nil, away
		}
		return b.library.source(ctx, o, ids)
	}
	both := []index.Owner{anna(), bob()}
	before, calls := b.entries(t), b.bag.calls.Load()
	for _, tt := range []struct {
		name   string
		v      index.Vectors
		source func(context.Context, index.Owner, []string) ([]vectors.Doc, error)
		owners []index.Owner
		limit  int
		want   index.Tally
		err    error
	}{
		{"nobody", v, b.library.source, nil, 5, index.Tally{}, nil},
		{"all", v, b.library.source, both, 0, index.Tally{Documents: 12, Made: 8}, nil},
		{"a limit that is not reached", v, b.library.source, both, 12, index.Tally{Documents: 12, Made: 8}, nil},
		{"a limit within the first owner", v, b.library.source, both, 5, index.Tally{Documents: 11, Made: 8, More: true}, nil},
		{"a limit within the last owner", v, b.library.source, both[:1], 5, index.Tally{Documents: 11, Made: 8}, nil},
		{"an index that holds none", nil, b.library.source, both, 0, index.Tally{Documents: 12}, nil},
		{"a store that goes away", v, broken, both, 0, index.Tally{Documents: 11, Made: 8, More: true}, away},
	} {
		got, err := vectors.Count(t.Context(), tt.v, tt.source, tt.owners, tt.limit)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %v; want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
	if after := b.entries(t); len(after) != len(before) || after["r3"] != before["r3"] || b.bag.calls.Load() != calls {
		t.Errorf("counting changed something: %v, then %v", before, after)
	}
	if n, err := b.Reindex(t.Context(), both, nil); n != 12 || err != nil {
		t.Fatalf("reindexed %d: %v", n, err)
	}
	if got, err := vectors.Count(t.Context(), v, b.library.source, both, 0); got != (index.Tally{Documents: 12, Made: 12}) || err != nil {
		t.Errorf("after reindexing: %+v, %v", got, err)
	}
}

// TestReindexOfASpaceThatIsDropped has somebody tidy up, in another process, while the space of another embedder is filled.
func TestReindexOfASpaceThatIsDropped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		b.write(state.Normal, fmt.Sprintf("r%d", i), fmt.Sprintf("word%d", i))
	}
	must(t, b.Settle(t.Context(), anna()))
	tidy, err := local.New(local.Config{Store: b.store})
	must(t, err)
	var dropped []index.Space
	k, err := vectors.Open(vectors.Config{
		Embedder: embedder(t, "other", &bag{salt: "other"}), Shelf: b.opened, Source: b.library.source, Now: time.Now,
	})
	must(t, err)
	defer k.Close()
	made, err := k.Reindex(t.Context(), []index.Owner{anna()}, func(int, int, int) {
		if dropped == nil {
			dropped, err = tidy.Drop(t.Context())
			if err != nil || len(dropped) != 1 || dropped[0].Model != "other" {
				t.Errorf("Drop = %v, %v, want the space that is being filled", dropped, err)
			}
		}
	})
	if err != nil || made != 5 {
		t.Fatalf("made %d: %v", made, err)
	}
	if got := b.entries(t); len(got) != 5 {
		t.Errorf("%d entries in the new space, want 5", len(got))
	}
	if live, _, err := b.shelf.Live(t.Context()); err != nil || live.Model != "other" {
		t.Errorf("live is %v: %v", live, err)
	}
}
