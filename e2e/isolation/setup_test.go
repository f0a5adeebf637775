package isolation_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/tools"
)

func TestMain(m *testing.M) {
	// Two goroutines of a pool that the client's library opens when it is linked.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

const dim = 64

// crowd is many owners in one store, one index and one process.
type crowd struct {
	store    store.Store
	shelf    index.Shelf
	embedder *embed.Embedder
	graph    *graph.Graph
	memory   *memory.Memory
	tools    map[string]tool.InvokableTool
	owners   []*owner
	ids      *numbers
}

// numbers gives ids: such as every owner has, or such as only this one.
type numbers struct {
	n     atomic.Int64
	form  atomic.Pointer[string]
	every atomic.Int64 // which of them are the owner's alone
}

func (x *numbers) next() string {
	n := x.n.Add(1)
	if every := x.every.Load(); every > 0 && n%every == 0 {
		return fmt.Sprintf(*x.form.Load(), n)
	}
	return fmt.Sprintf("rec-%d", n)
}

// begin starts anew, at a number.
func (x *numbers) begin(form string, every, at int64) {
	x.form.Store(&form)
	x.every.Store(every)
	x.n.Store(at)
}

// owner is one user of one client.
type owner struct {
	number int
	scope  state.Scope
	turn   string // id of its finished turn
	alone  picture
}

// own is an id that no other owner has.
func (o *owner) own(kind string, n int) string {
	return fmt.Sprintf("%s-%s-%d", kind, idMark(o.number), n)
}

func now() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }

// setup opens an empty crowd. A nil shelf is the local one, in the store.
func setup(t *testing.T, shelf index.Shelf) *crowd {
	t.Helper()
	c := &crowd{store: ram.New(), shelf: shelf, tools: map[string]tool.InvokableTool{}, ids: &numbers{}}
	var err error
	if shelf == nil {
		if c.shelf, err = local.New(local.Config{Store: c.store}); err != nil {
			t.Fatal(err)
		}
	}
	model, err := hashed.New(hashed.Config{Dim: dim})
	must(t, err)
	words := token.New()
	c.embedder, err = embed.New(embed.Config{Model: model, Name: model.Name(), Tokens: words})
	must(t, err)
	c.graph, err = graph.New(t.Context(), graph.Config{
		Store: c.store, Model: offline.New(), Embedder: c.embedder, Shelf: func(context.Context) (index.Shelf, error) { return c.shelf, nil },
		Tokens: words, Now: now, NewID: c.ids.next, Tools: []tool.InvokableTool{bell{}}, Approve: []string{"ring"},
	})
	must(t, err)
	c.memory = c.graph.Memory()
	t.Cleanup(func() { must(t, c.graph.Close()) })
	for _, x := range tools.New(c.memory) {
		info, err := x.Info(t.Context())
		must(t, err)
		c.tools[info.Name] = x
	}
	return c
}

// bell is a tool that a person has to approve.
type bell struct{}

func (bell) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "ring", Desc: "Rings a bell."}, nil
}

func (bell) InvokableRun(context.Context, string, ...tool.Option) (string, error) {
	return "rung", nil
}

// join adds an owner with so many records, and what else a user has: affairs, two sessions, a turn and one that waits.
func (c *crowd) join(t *testing.T, client int, user string, records int) *owner {
	t.Helper()
	o := &owner{number: len(c.owners), scope: state.Scope{
		Client: "client-" + idMark(client), Project: "alpha", User: user, Agent: "main", Session: "s1",
	}}
	c.owners = append(c.owners, o)
	c.ids.begin("rec-"+idMark(o.number)+"-%d", 3, 0)
	for from := 0; from < records; from += 10 {
		c.write(t, o, from, min(from+10, records))
	}
	c.open(t, o)
	for i, session := range []string{"s1", o.own("s", 0)} {
		c.ingest(t, o, session, 6+i)
	}
	c.ids.begin("turn-"+idMark(o.number)+"-%d", 1, 0)
	c.talk(t, o)
	c.ids.begin("", 0, 1_000_000)
	must(t, c.memory.Vectors().Settle(t.Context(), o.scope))
	return o
}

// write keeps records, all of one call.
func (c *crowd) write(t *testing.T, o *owner, from, to int) {
	t.Helper()
	var changes []memory.Change
	for n := from; n < to; n++ {
		kind := state.Categories()[n%3]
		changes = append(changes, memory.Change{
			Kind: kind, Subject: fmt.Sprintf("invoice %d", 4000+n), Author: "author " + silent(o.number),
			Content: fmt.Sprintf("Invoice %d for the brake pads is due on day %d, says %s to %s.", 4000+n, n%28+1, silent(o.number), asked(o.number)),
		})
	}
	_, err := c.memory.Write(t.Context(), o.scope, changes...)
	must(t, err)
}

// open opens affairs: one that is active, one that is parked and one that is archived.
func (c *crowd) open(t *testing.T, o *owner) {
	t.Helper()
	var effects []state.Effect
	for i, id := range []string{"affair-1", o.own("affair", 2), "affair-3"} {
		a := state.Affair{
			ID: id, Client: o.scope.Client, User: o.scope.User, Title: fmt.Sprintf("Brake pads %d %s %s", i, asked(o.number), silent(o.number)),
			Summary: "The pads of " + silent(o.number) + " are on their way.", Status: []state.Status{state.Parked, state.Parked, state.Archived}[i],
			KeyFacts: state.Facts{{Label: "order", Value: "07-14244 " + silent(o.number)}}, PendingActions: []string{"call " + silent(o.number)},
			CreatedAt: now(), UpdatedAt: now(),
		}
		effects = append(effects, state.Effect{Scope: o.scope, Affair: &state.AffairEdit{ID: id, Create: &a, At: now()}})
	}
	must(t, checkpointtest.Append(t.Context(), c.store, c.memory.Turn().Commits(), effects...))
	_, err := c.memory.Sessions().Edit(t.Context(), o.scope, sessions.Change{New: true})
	must(t, err)
	_, err = c.memory.Affairs().Move(t.Context(), o.scope, "affair-1", state.Active, "")
	must(t, err)
}

// ingest takes messages into a session, every second one under an id that only this owner has.
func (c *crowd) ingest(t *testing.T, o *owner, session string, count int) {
	t.Helper()
	scope := o.scope
	scope.Session = session
	var said []state.Message
	for n := range count {
		msg := state.Message{
			Role: state.RoleUser, Speaker: "Anna", Affair: "affair-1",
			Text: fmt.Sprintf("The brake pads of invoice %d have come, %s told %s.", 5000+n, silent(o.number), asked(o.number)),
		}
		if n%2 == 0 {
			msg.ID = o.own("m", n)
		}
		said = append(said, msg)
	}
	must(t, c.memory.Turn().Ingest(t.Context(), scope, said...))
}

// talk has a turn, and one in another session that waits for a person.
func (c *crowd) talk(t *testing.T, o *owner) {
	t.Helper()
	reply, err := c.graph.Invoke(t.Context(), graph.Request{
		Scope: o.scope, Text: fmt.Sprintf("I ordered brake pads, order number 07-14244-%d, for %s and %s.", 53150+o.number, asked(o.number), silent(o.number)),
	})
	must(t, err)
	o.turn = reply.Turn
	waits := o.scope
	waits.Session = "w1"
	reply, err = c.graph.Invoke(t.Context(), graph.Request{
		Scope: waits, Text: "Ring for " + silent(o.number), Model: scripted.New([]scripted.Step{scripted.Call("ring", `{"for":"`+silent(o.number)+`"}`)}, offline.New()),
	})
	must(t, err)
	if len(reply.Waits) == 0 {
		t.Fatalf("nobody is asked before the bell rings: %+v", reply)
	}
}

var must = statetest.Must
