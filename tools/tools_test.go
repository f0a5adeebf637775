package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/tools"
)

// bench is a memory with two affairs: "Unicorn University" active in session s1, "Objednávka dílu z eBay" parked.
type bench struct {
	memory *memory.Memory
	tools  map[string]tool.InvokableTool
	scope  state.Scope
	active state.Affair
	parked state.Affair
}

func setup(t *testing.T, change func(*state.Settings)) *bench {
	t.Helper()
	n := 0
	settings := state.DefaultSettings()
	if change != nil {
		change(&settings)
	}
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	m, err := memory.New(memory.Config{
		Store: ram.New(), Settings: settings, Now: func() time.Time { return now },
		NewID: func() string { n++; return fmt.Sprintf("id%d", n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{memory: m, tools: map[string]tool.InvokableTool{}, scope: state.Scope{Client: "c1", User: "u1", Session: "s1", Agent: "main"}}
	for _, x := range tools.New(m) {
		info, err := x.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.tools[info.Name] = x
	}
	b.parked = b.open(t, "Objednávka dílu z eBay", state.Facts{{Label: "objednávka", Value: "07-14244-53150"}}, "sledovat doručení")
	b.active = b.open(t, "Unicorn University", nil)
	if _, err := m.ResumeAffair(t.Context(), b.scope, b.active.ID); err != nil {
		t.Fatal(err)
	}
	return b
}

// open puts a parked affair into the store.
func (b *bench) open(t *testing.T, title string, facts state.Facts, pending ...string) state.Affair {
	t.Helper()
	at := time.Date(2026, 2, 15, 20, 0, 0, 0, time.UTC)
	a := state.Affair{
		ID: "a-" + strings.ToLower(strings.Fields(title)[0]), Client: b.scope.Client, User: b.scope.User, Title: title, Status: state.Parked,
		KeyFacts: facts, PendingActions: pending, CreatedAt: at, UpdatedAt: at,
	}
	sink := &state.Effects{}
	sink.Add(state.Effect{Scope: b.scope, Affair: &state.AffairEdit{ID: a.ID, Create: &a, At: at}})
	b.commit(t, sink)
	return a
}

func (b *bench) commit(t *testing.T, sink *state.Effects) {
	t.Helper()
	docs, err := b.memory.Apply(t.Context(), sink.Take())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.memory.Settings().Validate(); err != nil {
		t.Fatal(err)
	}
	if err := b.store().Write(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	b.memory.Applied(docs)
}
