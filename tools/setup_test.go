package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/tools"
)

// bench is a memory with two affairs, "Unicorn University" (a-unicorn) active in session s1 and "Objednávka dílu z
// eBay" (a-objednávka) parked, and the tools over it.
type bench struct {
	store  *ram.Store
	memory *memory.Memory
	tools  map[string]tool.InvokableTool
	scope  state.Scope
}

func setup(t *testing.T, change func(*state.Settings)) *bench {
	t.Helper()
	settings := state.DefaultSettings()
	if change != nil {
		change(&settings)
	}
	var n atomic.Int64
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	b := &bench{store: ram.New(), tools: map[string]tool.InvokableTool{}, scope: state.Scope{Client: "c1", User: "u1", Session: "s1", Agent: "main"}}
	var err error
	b.memory, err = memory.New(memory.Config{
		Store: b.store, Settings: settings, Now: func() time.Time { return now },
		NewID: func() string { return fmt.Sprintf("id%d", n.Add(1)) },
	})
	must(t, err)
	for _, x := range tools.New(b.memory) {
		info, err := x.Info(t.Context())
		must(t, err)
		b.tools[info.Name] = x
	}
	b.open(t, "Objednávka dílu z eBay", state.Facts{{Label: "objednávka", Value: "07-14244-53150"}}, "sledovat doručení")
	b.open(t, "Unicorn University", nil)
	b.commit(t,
		state.Effect{Scope: b.scope, Affair: &state.AffairEdit{ID: "a-unicorn", Status: state.Active, Session: "s1", At: now}},
		state.Effect{Scope: b.scope, Session: &state.Session{
			Client: "c1", User: "u1", ID: "s1", Part: 1, PartFrom: 1, PartAt: now, Active: "a-unicorn", StartedAt: now, LastSwitchAt: now,
		}})
	return b
}

// open puts a parked affair into the store.
func (b *bench) open(t *testing.T, title string, facts state.Facts, pending ...string) {
	t.Helper()
	at := time.Date(2026, 2, 15, 20, 0, 0, 0, time.UTC)
	a := state.Affair{
		ID: "a-" + strings.ToLower(strings.Fields(title)[0]), Client: b.scope.Client, User: b.scope.User, Title: title, Status: state.Parked,
		KeyFacts: facts, PendingActions: pending, CreatedAt: at, UpdatedAt: at,
	}
	b.commit(t, state.Effect{Scope: b.scope, Affair: &state.AffairEdit{ID: a.ID, Create: &a, At: at}})
}

func (b *bench) commit(t *testing.T, effects ...state.Effect) {
	t.Helper()
	must(t, checkpointtest.Append(t.Context(), b.store, b.memory.Turn().Commits(), effects...))
}

// inTurn is the context of a tool call in a turn filed under affair.
func (b *bench) inTurn(ctx context.Context, affair string) context.Context {
	ctx = state.ContextWithScope(ctx, b.scope)
	return memory.ContextWithOrigin(ctx, memory.Origin{Scope: b.scope, Affair: affair, Turn: "t1", Message: "m1", Seq: 1, Tool: "x", Call: "2/0/call-1"})
}

// call runs a tool in a turn filed under the active affair and outside a step, so that it is durable at once.
func (b *bench) call(t *testing.T, name, args string) (string, error) {
	t.Helper()
	x := b.tools[tools.Canonical(name)]
	if x == nil {
		t.Fatalf("there is no tool %s", name)
	}
	return x.InvokableRun(b.inTurn(t.Context(), "a-unicorn"), args)
}

var must = statetest.Must
