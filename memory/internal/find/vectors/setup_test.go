package vectors_test

import (
	"context"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

const dim = 512

// bag embeds a text as the bag of its words, and fails while it is told to.
type bag struct {
	salt    string
	broken  atomic.Bool
	refuses string // a text that is not taken
	calls   atomic.Int64
	gate    chan struct{} // nil = open; else each call takes a token

	mu    sync.Mutex
	asked [][]string // the texts of each call
}

func (b *bag) EmbedStrings(ctx context.Context, texts []string, _ ...embedding.Option) ([][]float64, error) {
	b.calls.Add(1)
	b.mu.Lock()
	b.asked = append(b.asked, slices.Clone(texts))
	b.mu.Unlock()
	if b.gate != nil {
		select {
		case <-b.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if b.broken.Load() {
		return nil, state.Errorf(state.Unavailable, "embedder", "is away")
	}
	if b.refuses != "" && slices.Contains(texts, b.refuses) {
		return nil, state.Errorf(state.Invalid, "embedder", "does not take %q", b.refuses)
	}
	out := make([][]float64, len(texts))
	for i, s := range texts {
		out[i] = make([]float64, dim)
		for _, w := range strings.Fields(s) {
			h := fnv.New64a()
			_, _ = h.Write([]byte(b.salt + w))
			n := h.Sum64()
			out[i][n%dim]++
			out[i][n>>32%dim] += .5
		}
	}
	return out, nil
}

// shelf is a local index over a store that may be kept between keepers, and fails while it is told to.
type shelf struct {
	index.Shelf
	broken atomic.Bool
	opened atomic.Int64 // how often a space was opened
	gone   atomic.Int64 // what was opened up to this time is gone
}

func (s *shelf) Open(ctx context.Context, space index.Space) (index.Vectors, error) {
	v, err := s.Shelf.Open(ctx, space)
	return &brittle{v, s, s.opened.Add(1)}, err
}

// brittle fails with its shelf.
type brittle struct {
	index.Vectors
	shelf *shelf
	time  int64
}

func (b *brittle) List(ctx context.Context, o index.Owner) ([]index.Entry, error) {
	if b.time <= b.shelf.gone.Load() {
		return nil, state.Errorf(state.NotFound, "index", "is gone")
	}
	return b.Vectors.List(ctx, o)
}

func (b *brittle) Put(ctx context.Context, o index.Owner, entries ...index.Entry) error {
	if b.shelf.broken.Load() {
		return state.Errorf(state.Unavailable, "index", "is away")
	}
	return b.Vectors.Put(ctx, o, entries...)
}

func (b *brittle) Search(ctx context.Context, o index.Owner, q index.Query) ([]index.Hit, error) {
	switch {
	case b.time <= b.shelf.gone.Load():
		return nil, state.Errorf(state.NotFound, "index", "is gone")
	case b.shelf.broken.Load():
		return nil, state.Errorf(state.Unavailable, "index", "is away")
	}
	return b.Vectors.Search(ctx, o, q)
}

// library is where documents are read from.
type library struct {
	mu    sync.Mutex
	texts map[index.Owner]map[string]string
	reads int
}

func (l *library) set(o index.Owner, id, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.texts[o] == nil {
		l.texts[o] = map[string]string{}
	}
	if text == "" {
		delete(l.texts[o], id)
		return
	}
	l.texts[o][id] = text
}

func (l *library) source(_ context.Context, o index.Owner, ids []string) ([]vectors.Doc, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	var out []vectors.Doc
	for id, text := range l.texts[o] {
		if ids == nil || slices.Contains(ids, id) {
			out = append(out, vectors.Doc{ID: id, Text: text, Kind: "fact"})
		}
	}
	return out, nil
}

// bench is a keeper with all it works with.
type bench struct {
	*vectors.Keeper
	bag     *bag
	shelf   *shelf
	library *library
	store   *ram.Store
	slept   chan time.Duration // what pauses were slept
}

func anna() index.Owner { return index.Owner{Client: "c", User: "anna"} }

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{bag: &bag{}, library: &library{texts: map[index.Owner]map[string]string{}}, store: ram.New(), slept: make(chan time.Duration, 1000)}
	b.open(t)
	return b
}

// open starts the keeper, on the store there is.
func (b *bench) open(t *testing.T) {
	t.Helper()
	own, err := local.New(local.Config{Store: b.store})
	must(t, err)
	b.shelf = &shelf{Shelf: own}
	b.Keeper, err = vectors.Open(vectors.Config{
		Embedder: embedder(t, "bag", b.bag), Shelf: b.opened, Source: b.library.source, Now: time.Now, Batch: 8,
		Sleep: func(ctx context.Context, pause time.Duration) error {
			select {
			case b.slept <- pause:
			default: // nobody counts any more
			}
			runtime.Gosched()
			return ctx.Err()
		},
	})
	must(t, err)
	k := b.Keeper
	t.Cleanup(func() { _ = k.Close() })
}

func (b *bench) opened(context.Context) (index.Shelf, error) { return b.shelf, nil }

func embedder(t *testing.T, name string, b *bag) *embed.Embedder {
	t.Helper()
	e, err := embed.New(embed.Config{Model: b, Name: name, CacheBytes: -1})
	must(t, err)
	return e
}

// write puts a document in the library and tells the keeper.
func (b *bench) write(p state.Priority, id, text string) {
	b.library.set(anna(), id, text)
	b.Learn(anna(), p, id)
}

// found are the ids nearest to a text.
func (b *bench) found(t *testing.T, text string, limit int) []string {
	t.Helper()
	hits, err := b.Search(t.Context(), anna(), text, index.Query{Limit: limit})
	must(t, err)
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// entries are the owner's entries in the live space.
func (b *bench) entries(t *testing.T) map[string]string {
	t.Helper()
	live, ok, err := b.shelf.Live(t.Context())
	if err != nil || !ok {
		t.Fatalf("no live space: %v", err)
	}
	v, err := b.shelf.Open(t.Context(), live)
	must(t, err)
	list, err := v.List(t.Context(), anna())
	must(t, err)
	out := map[string]string{}
	for _, e := range list {
		out[e.ID] = e.Hash
	}
	return out
}

var must = statetest.Must
