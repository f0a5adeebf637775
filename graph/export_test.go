package graph_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// checkpoints are the checkpoints of a host's own.
type checkpoints struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (c *checkpoints) Get(_ context.Context, id string) ([]byte, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, ok := c.kept[id]
	return body, ok, nil
}

func (c *checkpoints) Set(_ context.Context, id string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string][]byte{}
	}
	c.kept[id] = body
	return nil
}

// host is a graph of a host's with two of ours in it: the second is told what the first has answered.
func host(t *testing.T, first, second *graph.Graph, kept compose.CheckPointStore) compose.Runnable[string, string] {
	t.Helper()
	h := compose.NewGraph[string, string]()
	request := func(session string) *compose.Lambda {
		return compose.InvokableLambda(func(_ context.Context, text string) (graph.Request, error) {
			who, _, _ := strings.Cut(text, ": ")
			return graph.Request{Scope: state.Scope{User: who, Session: session}, Text: text}, nil
		})
	}
	answer := compose.InvokableLambda(func(_ context.Context, r graph.Reply) (string, error) { return r.Text, nil })
	node1, opts1 := first.Export()
	node2, opts2 := second.Export()
	steps := []struct {
		name string
		err  error
	}{
		{"ask", h.AddLambdaNode("ask", request("one"))},
		{"first", h.AddGraphNode("first", node1, opts1...)},
		{"hand over", h.AddLambdaNode("hand over", answer)},
		{"ask again", h.AddLambdaNode("ask again", request("two"))},
		{"second", h.AddGraphNode("second", node2, opts2...)},
		{"say", h.AddLambdaNode("say", answer)},
	}
	at := compose.START
	for _, s := range steps {
		if s.err != nil {
			t.Fatal(s.err)
		}
		must(t, h.AddEdge(at, s.name))
		at = s.name
	}
	must(t, h.AddEdge(at, compose.END))
	run, err := h.Compile(t.Context(), compose.WithCheckPointStore(kept), compose.WithGraphName("host"))
	must(t, err)
	return run
}

func TestExportedGraphsAskInTheHostsGraph(t *testing.T) {
	t.Parallel()
	store1, store2, kept := ram.New(), ram.New(), &checkpoints{}
	open := func() compose.Runnable[string, string] { // as in another process: nothing but the stores is the same
		asks := scripted.New([]scripted.Step{
			scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("ann: Noted."),
		}, nil)
		first := openGraph(t, graph.Config{Store: store1, Model: asks, Approve: []string{"memory_store"}})
		second := openGraph(t, graph.Config{Store: store2, Model: scripted.New([]scripted.Step{scripted.Say("Heard.")}, nil)})
		return host(t, first, second, kept)
	}
	id := compose.WithCheckPointID("run 1")
	_, err := open().Invoke(t.Context(), "ann: Note my seat, 14C.", id)
	info, ok := compose.ExtractInterruptInfo(err)
	if !ok || len(info.InterruptContexts) != 1 {
		t.Fatalf("interrupt %+v, error %v", info, err)
	}
	at := info.InterruptContexts[0]
	asked, ok := at.Info.([]graph.Question)
	if !ok || len(asked) != 1 || asked[0].Question.Tool != "memory_store" || !strings.Contains(at.Address.String(), "first") {
		t.Fatalf("asked %+v at %s", at.Info, at.Address)
	}

	// An answer that is none, and resuming without one, change nothing.
	if _, err := open().Invoke(compose.ResumeWithData(t.Context(), at.ID, "yes"), "", id); state.CodeOf(err) != state.Invalid {
		t.Errorf("answered with a string: %v", err)
	}
	if _, err := open().Invoke(t.Context(), "", id); err == nil {
		t.Error("went on without an answer")
	} else if info, ok = compose.ExtractInterruptInfo(err); !ok || len(info.InterruptContexts) != 1 {
		t.Fatalf("asks no more: %v", err)
	}

	// The answer, and again, as from a host that died before it had kept what came of it.
	for range 2 {
		ctx := compose.ResumeWithData(t.Context(), info.InterruptContexts[0].ID, state.Answer{Choice: state.Approve})
		if got, err := open().Invoke(ctx, "", id); err != nil || got != "Heard." {
			t.Fatalf("%q, %v", got, err)
		}
	}
	m := openGraph(t, graph.Config{Store: store1, Model: scripted.New(nil, nil)}).Memory()
	records, err := m.Records(t.Context(), state.Scope{User: "ann"}.Default())
	if err != nil || len(records) != 1 {
		t.Errorf("%d records, %v", len(records), err)
	}
	if said, err := m.Messages(t.Context(), state.Scope{User: "ann", Session: "one"}.Default()); err != nil || len(said) != 4 {
		t.Errorf("%d messages in the first session, %v", len(said), err)
	}
}

// echo says again what it is asked.
type echo struct{ model.ToolCallingChatModel }

func (e echo) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return e, nil }

func (e echo) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage(in[len(in)-1].Content, nil), nil
}

func (e echo) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	said, err := e.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{said}), err
}

// openGraph is a graph that the test closes.
func openGraph(t *testing.T, c graph.Config) *graph.Graph {
	t.Helper()
	g, err := graph.New(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g
}

func TestExportedGraphIsRunByMany(t *testing.T) {
	t.Parallel()
	const many = 64
	first := openGraph(t, graph.Config{Store: ram.New(), Model: echo{}})
	run := host(t, first, openGraph(t, graph.Config{Store: ram.New(), Model: echo{}}), &checkpoints{})
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			got, err := run.Invoke(t.Context(), fmt.Sprintf("user%d: Hello, this is number %d.", i, i))
			if err != nil || !strings.Contains(got, fmt.Sprintf("number %d.", i)) {
				t.Errorf("%d: %q, %v", i, got, err)
			}
		})
	}
	all.Wait()
}
