package provider_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// refund has two required arguments that are not in alphabetical order.
type refund struct {
	Order  string `json:"order"`
	Amount int    `json:"amount"`
}

// refundTool notes what it paid back, by the key of the call.
func refundTool(t *testing.T, paid *sync.Map) tool.InvokableTool {
	t.Helper()
	made, err := utils.InferTool("refund", "Pays an order back.", func(ctx context.Context, r refund) (string, error) {
		paid.Store(state.IdempotencyKey(ctx), r)
		return "paid", nil
	})
	must(t, err)
	return made
}

// required is the list of required arguments as a tool describes it.
func required(t *testing.T, from tool.InvokableTool) string {
	t.Helper()
	info, err := from.Info(t.Context())
	must(t, err)
	s, err := info.ToJSONSchema()
	must(t, err)
	text, err := json.Marshal(s.Required)
	must(t, err)
	return string(text)
}

// Two sessions share one model and the tools; so do hosts that give one description to several models. With -race nothing is written that
// another reads, and no description is changed.
func TestSessionsShareAModel(t *testing.T) {
	each(t, func(t *testing.T, name string, d dialect) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if d.path == d.streamPath || strings.Contains(r.URL.Path, "stream") {
				events(d.events...)(w, r)
				return
			}
			body(200, d.answer)(w, r)
		})
		chat := s.open(t, d.config(s, name))
		pays := refundTool(t, &sync.Map{})
		g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: chat, Tools: []tool.InvokableTool{pays}})
		must(t, err)
		defer g.Close()
		info, err := pays.Info(t.Context())
		must(t, err)

		var both sync.WaitGroup
		for _, session := range []string{"s1", "s2"} {
			both.Go(func() {
				for range 2 {
					if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{User: session, Session: session}, Text: "Hello"}); err != nil {
						t.Error(err)
					}
				}
			})
			both.Go(func() {
				bound, err := chat.WithTools([]*schema.ToolInfo{info})
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := stream(t.Context(), bound, ask("?")); err != nil {
					t.Error(err)
				}
				given, err := chat.Stream(t.Context(), ask("?"), model.WithTools([]*schema.ToolInfo{info})) // as eino's agents give them
				if err != nil {
					t.Error(err)
					return
				}
				given.Close()
			})
		}
		both.Wait()
		if got, want := required(t, pays), `["order","amount"]`; got != want {
			t.Errorf("the tool requires %s now, want %s as it was described", got, want)
		}
	})
}

// A question that was asked in one process is answered in another, which has not asked the model yet: the tool runs, and nothing is asked again.
func TestApprovalInAnotherProcess(t *testing.T) {
	t.Parallel()
	call := []string{
		`data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"refund","arguments":"{\"order\":\"78\",\"amount\":1}"}}]},"finish_reason":null}]}`,
		stop("tool_calls"), "data: [DONE]",
	}
	s := serve(t, events(call...), events(chunk("It is paid."), stop("stop"), "data: [DONE]"))
	dir, paid := t.TempDir(), &sync.Map{}
	process := func(do func(g *embedded.Graph) (graph.Reply, error)) graph.Reply {
		t.Helper()
		g, err := embedded.OpenConfig(t.Context(), dir, graph.Config{
			Model: s.open(t, nil), Tools: []tool.InvokableTool{refundTool(t, paid)}, Approve: []string{"refund"},
		})
		must(t, err)
		defer g.Close()
		r, err := do(g)
		must(t, err)
		return r
	}
	asked := process(func(g *embedded.Graph) (graph.Reply, error) {
		return g.Invoke(t.Context(), graph.Request{Text: "Refund order 78.", MessageID: "order-1"})
	})
	if len(asked.Waits) != 1 {
		t.Fatalf("want a question, got %+v", asked)
	}
	for range 2 { // the answer again says the same
		r := process(func(g *embedded.Graph) (graph.Reply, error) {
			return g.Answer(t.Context(), state.Scope{}, map[string]state.Answer{asked.Waits[0].ID: {Choice: state.Approve}})
		})
		if r.Text != "It is paid." || len(r.Waits) > 0 {
			t.Errorf("after the answer: %q, waits for %+v", r.Text, r.Waits)
		}
	}
	n := 0
	paid.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("paid under %d keys, want 1", n)
	}
}

var must = statetest.Must
