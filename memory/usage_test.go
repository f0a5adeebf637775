package memory_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// TestUsageIsTheHeap compares what a memory says it takes with what the heap is less by when it goes. It runs alone.
func TestUsageIsTheHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("weighs the heap, which takes a minute")
	}
	tokens := token.New()
	tokens.Count("load the vocabulary")
	for name, c := range map[string]struct {
		world func() *world
		fill  func(t *testing.T, w *world, m *memory.Memory)
	}{
		"records":                           {newWorld, func(t *testing.T, _ *world, m *memory.Memory) { records(t, m, 1500) }},
		"records, loose":                    {newServer, func(t *testing.T, _ *world, m *memory.Memory) { records(t, m, 300) }},
		"messages of one session":           {newWorld, func(t *testing.T, w *world, m *memory.Memory) { talk(t, w, m, 500, 1) }},
		"messages of ten sessions":          {newWorld, func(t *testing.T, w *world, m *memory.Memory) { talk(t, w, m, 4000, 10) }},
		"messages of ten sessions, loose":   {newServer, func(t *testing.T, w *world, m *memory.Memory) { talk(t, w, m, 2000, 10) }},
		"messages of a session each":        {newWorld, func(t *testing.T, w *world, m *memory.Memory) { talk(t, w, m, 1000, 1000) }},
		"messages of a session each, loose": {newServer, func(t *testing.T, w *world, m *memory.Memory) { talk(t, w, m, 300, 300) }},
		"long messages":                     {newWorld, long},
		"long messages, loose":              {newServer, long},
		"turns":                             {newWorld, turns},
		"recalls":                           {newWorld, recalls},
		"affairs":                           {newWorld, func(t *testing.T, w *world, m *memory.Memory) { affairs(t, w, m, 250) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.world()
			w.store = copying{w.store}
			open := func() *memory.Memory {
				m := w.memory(t, func(c *memory.Config) { c.Tokens = tokens })
				detects(t, m, state.Scope{User: "nobody"}.Default())
				return m
			}
			m := open()
			empty := weigh(t, &m)
			m = open()
			c.fill(t, w, m)
			about(t, "that has grown", &m, empty)
			m = open()
			about(t, "that was loaded", &m, empty)
			runtime.KeepAlive(w)
		})
	}
}

// about compares what a memory says with what it weighs more than an empty one.
func about(t *testing.T, what string, m **memory.Memory, empty int64) {
	t.Helper()
	const tolerance = .2
	detects(t, *m, in("s1"))
	if _, err := (*m).Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "tree7"}); err != nil {
		t.Fatal(err)
	}
	said := int64(0)
	for _, u := range (*m).Usage() {
		said += u.Bytes
	}
	took := weigh(t, m) - empty
	off := float64(said-took) / float64(took)
	t.Logf("a memory %s says %d KB, the heap %d KB: %+.0f %%", what, said>>10, took>>10, 100*off)
	if math.Abs(off) > tolerance {
		t.Errorf("a memory %s says %d bytes, the heap %d", what, said, took)
	}
}

// weigh closes a memory, lets it go, and tells what the heap is less by.
func weigh(t *testing.T, m **memory.Memory) int64 {
	must(t, (*m).Close())
	with := inUse()
	runtime.KeepAlive(*m)
	*m = nil
	return with - inUse()
}

// copying is a store that shares no bodies with its callers, as one on disk does.
type copying struct{ store.Store }

func (c copying) Get(ctx context.Context, col state.Collection, id string) (store.Doc, error) {
	doc, err := c.Store.Get(ctx, col, id)
	doc.Body = slices.Clone(doc.Body)
	return doc, err
}

func (c copying) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := c.Store.Scan(ctx, q)
	return copies(docs), err
}

func (c copying) Write(ctx context.Context, docs ...store.Doc) error {
	return c.Store.Write(ctx, copies(docs)...)
}

func copies(docs []store.Doc) []store.Doc {
	docs = slices.Clone(docs)
	for i := range docs {
		docs[i].ID, docs[i].Body = strings.Clone(docs[i].ID), slices.Clone(docs[i].Body)
	}
	return docs
}

// detects has a message judged, which has all that was said heard.
func detects(t *testing.T, m *memory.Memory, scope state.Scope) {
	t.Helper()
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: scope, Seq: 1 << 30})
	must(t, err)
	if _, err := m.Turn().Detect(t.Context(), v, state.Message{Seq: 1 << 30, Role: state.RoleUser, Text: "When does the tree arrive?"}, false); err != nil {
		t.Fatal(err)
	}
}

func sentence(n int) string {
	return fmt.Sprintf("On day %d we saw bird%d, tree%d and river%d near the old mill of village%d", n, n%700, n%311, n%97, n)
}

func records(t *testing.T, m *memory.Memory, n int) {
	t.Helper()
	var changes []memory.Change
	for i := range n {
		changes = append(changes, memory.Change{Kind: state.EventRecord, Content: sentence(i)})
	}
	if _, err := m.Write(t.Context(), in("s1"), changes...); err != nil {
		t.Fatal(err)
	}
}

// talk takes in messages of so many sessions.
func talk(t *testing.T, w *world, m *memory.Memory, n, sessions int) {
	t.Helper()
	for s := range sessions {
		var msgs []state.Message
		for i := s; i < n; i += sessions {
			msgs = append(msgs, state.Message{Role: state.RoleUser, Text: sentence(i), Affair: fmt.Sprint("a", i%7)})
		}
		w.pass(time.Minute)
		must(t, m.Turn().Ingest(t.Context(), in(fmt.Sprint("s", s)), msgs...))
	}
}

func long(t *testing.T, _ *world, m *memory.Memory) {
	t.Helper()
	for i := range 100 {
		text := ""
		for n := range 40 {
			text += sentence(i*40+n) + ". "
		}
		must(t, m.Turn().Ingest(t.Context(), in("s1"), state.Message{Role: state.RoleAssistant, Text: text}))
	}
}

func turns(t *testing.T, w *world, m *memory.Memory) {
	t.Helper()
	for i := range 200 {
		small := opens(fmt.Sprintf("Walk %d along the river", i))
		if i%10 > 0 {
			small = nil
		}
		w.turn(t, m, in("s1"), small, sentence(i))
	}
}

// affairs opens more affairs than are hot, of two messages each.
func affairs(t *testing.T, w *world, m *memory.Memory, n int) {
	t.Helper()
	for i := range n {
		w.turn(t, m, in("s1"), opens(fmt.Sprintf("Walk %d along the river", i)), sentence(i))
		w.turn(t, m, in("s1"), judges(state.Continue, "", "", .9), fmt.Sprintf("The guide of walk %d is person%d, it costs %d crowns.", i, i%311, 100+i))
	}
}

func recalls(t *testing.T, _ *world, m *memory.Memory) {
	t.Helper()
	records(t, m, 300)
	for i := range 300 {
		if _, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: fmt.Sprintf("tree%d and bird%d", i, i)}); err != nil {
			t.Fatal(err)
		}
	}
}
