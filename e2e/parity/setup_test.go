package parity_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// TestMain fails when a test leaves a goroutine behind. Two that the Milvus client's library starts with the process are its own.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

// pair is one memory twice. Each has a store of its own, and both have the same clock and draw the same ids.
type pair struct {
	local, milvus *side
	now           *atomic.Int64
}

// side is a memory and what it stands on.
type side struct {
	name  string
	store store.Store
	shelf func(ctx context.Context) (index.Shelf, error)
	now   *atomic.Int64
	ids   int
	m     *memory.Memory
}

// TestParity runs everything on one server, which takes its time to start; each part has a collection of its own there.
func TestParity(t *testing.T) {
	t.Parallel()
	address := milvustest.Start(t).Address
	for name, run := range map[string]func(*testing.T, *pair){
		"answers": answers, "many_documents": manyDocuments, "near_ties": nearTies, "lists": lists,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, setup(t, address, "parity_"+name))
		})
	}
}

// setup opens both sides, empty.
func setup(t *testing.T, address, prefix string) *pair {
	t.Helper()
	p := &pair{now: &atomic.Int64{}}
	p.at(time.Date(2025, 1, 1, 8, 0, 0, 0, time.UTC))
	p.local = &side{name: "local", store: ram.New(), now: p.now}
	p.local.shelf = func(context.Context) (index.Shelf, error) { return local.New(local.Config{Store: p.local.store}) }
	p.milvus = &side{name: "milvus", store: ram.New(), now: p.now}
	p.milvus.shelf = func(ctx context.Context) (index.Shelf, error) {
		return milvus.Open(ctx, milvus.Config{Address: address, Prefix: prefix, Timeout: time.Minute})
	}
	for _, s := range p.sides() {
		s.start(t)
		t.Cleanup(func() { s.stop(t) })
	}
	return p
}

func (p *pair) sides() []*side { return []*side{p.local, p.milvus} }

// at sets the clock of both.
func (p *pair) at(now time.Time) { p.now.Store(now.UnixMilli()) }

// start opens the memory, as a process does.
func (s *side) start(t *testing.T) {
	t.Helper()
	settings := state.DefaultSettings()
	var err error
	s.m, err = memory.New(memory.Config{
		Store: s.store, Settings: settings, Embedder: embedder(t),
		Now: func() time.Time { return time.UnixMilli(s.now.Load()).UTC() },
		NewID: func() string {
			s.ids++
			return fmt.Sprintf("id%06d", s.ids)
		},
		Shelf: func(ctx context.Context) (index.Shelf, error) {
			shelf, err := s.shelf(ctx)
			return patient{shelf}, err
		},
	})
	must(t, err)
}

func (s *side) stop(t *testing.T) {
	t.Helper()
	must(t, s.m.Close())
}

func embedder(t *testing.T) *embed.Embedder {
	t.Helper()
	model, err := hashed.New(hashed.Config{})
	must(t, err)
	e, err := embed.New(embed.Config{Model: model, Name: model.Name(), Dim: model.Dim()})
	must(t, err)
	return e
}

// open opens the shelf once more, for looking into it, and the vectors of the embedder there; leave closes it.
func (s *side) open(t *testing.T) (shelf index.Shelf, space index.Space, v index.Vectors, leave func()) {
	t.Helper()
	shelf, err := s.shelf(t.Context())
	must(t, err)
	space, err = embedder(t).Space(t.Context())
	must(t, err)
	v, err = shelf.Open(t.Context(), space)
	must(t, err)
	return shelf, space, v, func() { must(t, shelf.Close()) }
}

// indexed waits until everything of the user has its vector.
func (s *side) indexed(t *testing.T, scope state.Scope) {
	t.Helper()
	if err := s.m.Vectors().Settle(t.Context(), scope); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
}

// patient is a shelf whose searches end when they have an answer, and not at a deadline.
type patient struct{ index.Shelf }

func (p patient) Open(ctx context.Context, space index.Space) (index.Vectors, error) {
	v, err := p.Shelf.Open(ctx, space)
	return calm{v}, err
}

type calm struct{ index.Vectors }

func (c calm) Search(ctx context.Context, o index.Owner, q index.Query) ([]index.Hit, error) {
	return c.Vectors.Search(context.WithoutCancel(ctx), o, q)
}

// spoken is a context whose notes fail the test: nothing here may be done in a lesser way than hoped.
func spoken(t *testing.T) (ctx context.Context, check func()) {
	t.Helper()
	trace := &state.Trace{}
	return state.ContextWithTrace(t.Context(), trace), func() {
		t.Helper()
		for _, note := range trace.Notes() {
			t.Errorf("the trace says %q", note)
		}
	}
}

var must = statetest.Must
