package graph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// newDesk is an agent that the host keeps, with the memory as a middleware.
func newDesk(t *testing.T, g *graph.Graph, m model.ToolCallingChatModel, c graph.AgentConfig, tools ...tool.BaseTool) adk.ResumableAgent {
	t.Helper()
	a, err := adk.NewChatModelAgent(t.Context(), &adk.ChatModelAgentConfig{
		Name: "desk", Description: "front desk", Model: m, Handlers: []adk.ChatModelAgentMiddleware{g.Middleware(c)},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: tools}},
	})
	must(t, err)
	return a
}

func askDesk(t *testing.T, a adk.Agent, stream bool, text, id string) heard {
	t.Helper()
	values := adk.WithSessionValues(map[string]any{graph.UserValue: "ann", graph.MessageValue: id})
	return hear(t, adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: stream}).Query(t.Context(), text, values))
}

// remembered are the texts of ann's messages.
func remembered(t *testing.T, g *graph.Graph) string {
	t.Helper()
	said, err := g.Memory().Messages(t.Context(), state.Scope{User: "ann"}.Default())
	must(t, err)
	var texts []string
	for _, msg := range said {
		texts = append(texts, msg.Text)
	}
	return strings.Join(texts, " | ")
}

func TestMiddlewareUnderAnAgentThat(t *testing.T) {
	t.Parallel()
	boom, err := utils.InferTool("boom", "Breaks.", func(context.Context, struct{}) (string, error) { panic("boom") })
	must(t, err)
	tests := map[string]struct {
		stream bool
		steps  []scripted.Step
		fails  string
		kept   string
	}{
		"streams":                {stream: true, steps: []scripted.Step{scripted.Call("list_affairs", "{}"), scripted.Say("Noted, 14C.")}, kept: "My seat is 14C. | Noted, 14C."},
		"has a model that fails": {steps: []scripted.Step{scripted.Fail(errors.New("no tokens left"))}, fails: "no tokens left"},
		"has a tool that panics": {stream: true, steps: []scripted.Step{scripted.Call("boom", "{}")}, fails: "boom"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := openGraph(t, graph.Config{Store: ram.New(), Model: echo{}})
			h := askDesk(t, newDesk(t, g, scripted.New(tt.steps, nil), graph.AgentConfig{}, boom), tt.stream, "My seat is 14C.", "q1")
			if (h.err != nil) != (tt.fails != "") || h.err != nil && !strings.Contains(h.err.Error(), tt.fails) {
				t.Errorf("%+v", h)
			}
			if got := remembered(t, g); got != tt.kept {
				t.Errorf("kept %q", got)
			}

			// The session goes on.
			said := tt.kept
			if said != "" {
				said += " | "
			}
			h = askDesk(t, newDesk(t, g, echo{}, graph.AgentConfig{}), tt.stream, "Hello.", "q2")
			if got := remembered(t, g); h.err != nil || got != said+"Hello. | Hello." {
				t.Errorf("%+v, kept %q", h, got)
			}
		})
	}
}

// What one session's runs have said at the same time is kept, one exchange after the other.
func TestMiddlewareRunsASessionTwiceAtOnce(t *testing.T) {
	t.Parallel()
	const many = 8
	g := openGraph(t, graph.Config{Store: ram.New(), Model: echo{}})
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if h := askDesk(t, newDesk(t, g, echo{}, graph.AgentConfig{}), false, "Hello.", ""); h.err != nil {
				t.Error(h.err)
			}
		})
	}
	all.Wait()
	if got := remembered(t, g); strings.Count(got, "Hello.") != 2*many {
		t.Errorf("kept %q", got)
	}
}

// A host's function is called with what was said, or with nothing.
func TestMiddlewareAsksWhoseItIsWithNoMessage(t *testing.T) {
	t.Parallel()
	var texts []string
	c := graph.AgentConfig{Request: func(_ context.Context, req graph.Request) (graph.Request, error) {
		texts = append(texts, req.Text)
		req.Scope.User = "ann"
		return req, nil
	}}
	g := openGraph(t, graph.Config{Store: ram.New(), Model: echo{}})
	if h := askDesk(t, newDesk(t, g, echo{}, c), false, "Hello.", "q1"); h.err != nil {
		t.Fatal(h.err)
	}
	if got := strings.Join(texts, "|"); got != "|Hello.|Hello." || remembered(t, g) != "Hello. | Hello." {
		t.Errorf("asked with %q, kept %q", got, remembered(t, g))
	}
}

// An agent with the memory hands over to one of ours, and that hands back. The question is answered by ours; the exchange is kept once.
func TestAgentIsHandedToAndHandsBack(t *testing.T) {
	t.Parallel()
	g := openGraph(t, graph.Config{Store: ram.New(), Model: scripted.New([]scripted.Step{scripted.Say("It is seat 14C.")}, nil)})
	notes, err := g.Agent(t.Context(), graph.AgentConfig{Name: "notes", Description: "knows the user"})
	must(t, err)
	back := adk.AgentWithDeterministicTransferTo(t.Context(), &adk.DeterministicTransferConfig{Agent: notes, ToAgentNames: []string{"desk"}})
	front := newDesk(t, g, scripted.New([]scripted.Step{scripted.Call("transfer_to_agent", `{"agent_name":"notes"}`)}, echo{}), graph.AgentConfig{})
	both, err := adk.SetSubAgents(t.Context(), front, []adk.Agent{back})
	must(t, err)
	h := askDesk(t, both, true, "Where do I sit?", "q1")
	if h.err != nil || !strings.Contains(strings.Join(h.lines, "\n"), "notes assistant It is seat 14C.") || h.chunks < 2 {
		t.Errorf("%+v", h)
	}
	if got := remembered(t, g); got != "Where do I sit? | It is seat 14C." {
		t.Errorf("kept %q", got)
	}
}
