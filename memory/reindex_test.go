package memory_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
)

// shelfOf is where the world's vectors are kept.
func (w *world) shelfOf(t *testing.T) index.Shelf {
	t.Helper()
	shelf, err := local.New(local.Config{Store: w.store})
	must(t, err)
	return shelf
}

// embedding opens a memory that makes vectors.
func (w *world) embedding(t *testing.T) *memory.Memory {
	t.Helper()
	model, err := hashed.New(hashed.Config{Dim: 64})
	must(t, err)
	return w.embeddingBy(t, model, "hashed-64")
}

func (w *world) embeddingBy(t *testing.T, model embedding.Embedder, name string) *memory.Memory {
	t.Helper()
	e, err := embed.New(embed.Config{Model: model, Name: name})
	must(t, err)
	m := w.memory(t, func(c *memory.Config) {
		c.Embedder, c.Shelf = e, func(context.Context) (index.Shelf, error) { return w.shelfOf(t), nil }
	})
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// alike is a model to which all texts mean the same.
type alike struct{}

func (alike) EmbedStrings(_ context.Context, texts []string, _ ...embedding.Option) ([][]float64, error) {
	out := make([][]float64, len(texts))
	for i := range out {
		out[i] = []float64{1, 2, 2}
	}
	return out, nil
}

// What is found near by its vector keeps its cosine when its subject or its words find it too.
func TestACosineStandsBesideWords(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.embeddingBy(t, alike{}, "alike")
	first := write(t, m, in("s1"), memory.Change{Subject: "note", Content: "He finds early meetings tiring"})
	must(t, m.Vectors().Settle(t.Context(), in("s1")))
	if r := write(t, m, in("s1"), memory.Change{Subject: "note", Content: "Conferences before dawn exhaust him"}); r.Outcome != state.Repeated || r.ID != first.ID {
		t.Errorf("%+v, want what is said again in other words", r)
	}
}

// counted is what CountVectors says of the live space.
func (w *world) counted(t *testing.T, limit int) index.Tally {
	t.Helper()
	shelf := w.shelfOf(t)
	live, ok, err := shelf.Live(t.Context())
	must(t, err)
	var v index.Vectors
	if ok {
		if v, err = shelf.Open(t.Context(), live); err != nil {
			t.Fatal(err)
		}
	}
	got, err := memory.CountVectors(t.Context(), w.store, v, limit)
	must(t, err)
	return got
}

func TestCountVectorsIsWhatReindexFinds(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"transactions": newWorld(), "none": newServer()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			silent := w.memory(t, nil) // makes no vectors
			if got := w.counted(t, 0); got != (index.Tally{}) {
				t.Errorf("an empty store: %+v", got)
			}
			users := []state.Scope{in("s"), {Client: "c2", User: "u1", Session: "s", Agent: "main"}}
			for _, scope := range users {
				w.turn(t, silent, scope, nil, "The boiler is serviced in October.")
			}
			before := w.counted(t, 0)
			if before.Documents < 4 || before.Made != 0 || before.More {
				t.Errorf("before any vector: %+v", before)
			}
			if got := w.counted(t, 1); !got.More || got.Documents != before.Documents/2 {
				t.Errorf("with a limit: %+v, want one user's %d", got, before.Documents/2)
			}
			made, err := w.embedding(t).Vectors().Reindex(t.Context(), nil)
			if want := (index.Tally{Documents: made, Made: made}); err != nil || made != before.Documents || w.counted(t, 0) != want {
				t.Errorf("after making %d (%v): %+v", made, err, w.counted(t, 0))
			}
			w.turn(t, silent, users[1], nil, "The gutter leaks.")
			after := w.counted(t, 0)
			if after.Made > made || after.Made >= after.Documents {
				t.Errorf("after a turn without vectors: %+v, made before %d", after, made)
			}
			made, err = w.embedding(t).Vectors().Reindex(t.Context(), nil)
			if want := (index.Tally{Documents: made, Made: made}); err != nil || made != after.Documents || w.counted(t, 0) != want {
				t.Errorf("after making %d again (%v): %+v, expected %d", made, err, w.counted(t, 0), after.Documents)
			}
		})
	}
}

func TestReindexNeedsAnEmbedder(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	if n, err := m.Vectors().Reindex(t.Context(), nil); n != 0 || !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Reindex = %d, %v", n, err)
	}
}

// hearing notes what it is asked to embed.
type hearing struct {
	alike
	mu    sync.Mutex
	texts map[string]bool
}

func (h *hearing) EmbedStrings(ctx context.Context, texts []string, opts ...embedding.Option) ([][]float64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, text := range texts {
		h.texts[text] = true
	}
	return h.alike.EmbedStrings(ctx, texts, opts...)
}

// A message is embedded by who said it, where it has a name, and its own beginning: not by what was said around it.
func TestWhatIsEmbedded(t *testing.T) {
	t.Parallel()
	w, model := newWorld(), &hearing{texts: map[string]bool{}}
	m := w.embeddingBy(t, model, "hearing")
	err := m.Turn().Ingest(t.Context(), in("s1"),
		state.Message{Speaker: "Nora", Text: "Where is the van?"}, state.Message{Role: state.RoleUser, Text: "At the garage. ```go run .``` Since Friday."})
	must(t, err)
	must(t, m.Vectors().Settle(t.Context(), in("s1")))
	delete(model.texts, "dimension") // asked once, to learn how long vectors are
	want := map[string]bool{"Nora: Where is the van?": true, "At the garage. Since Friday.": true}
	same(t, "embedded", want, model.texts)
}
