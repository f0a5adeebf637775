package provider_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// cast is a graph with an agent that has models of its own and one that has none. All models are at one endpoint, which is told their names.
type cast struct {
	*embedded.Graph
	at *stub

	mu     sync.Mutex
	opened []string
}

// open is graph.Config.OpenModel.
func (c *cast) open(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
	c.mu.Lock()
	c.opened = append(c.opened, name)
	c.mu.Unlock()
	return provider.Open(ctx, provider.Config{Model: name, BaseURL: c.at.URL + "/v1", HTTPClient: c.at.Client(), Retries: -1})
}

// asked are the names of the models that were asked, in order, each once in a row.
func (c *cast) asked() []string {
	var names []string
	seen, _ := c.at.seen()
	for _, r := range seen {
		names = append(names, r.Model)
	}
	return slices.Compact(names)
}

// mustOpen is open, which cannot fail here.
func (c *cast) mustOpen(t *testing.T, name string) model.ToolCallingChatModel {
	t.Helper()
	m, err := c.open(t.Context(), name)
	must(t, err)
	return m
}

func play(t *testing.T) *cast {
	t.Helper()
	c := &cast{}
	c.at = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if seen, _ := c.at.seen(); seen[len(seen)-1].Stream {
			events(chunk("Good evening."), stop("stop"), "data: [DONE]")(w, r)
			return
		}
		plain("Good evening.")(w, r)
	})
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{
		Model: c.mustOpen(t, "ollama:house"), SmallModel: c.mustOpen(t, "ollama:house-small"), OpenModel: c.open,
		Agents: []state.Agent{
			{Name: "dana", Role: "a cook", Models: state.AgentModels{Chat: "ollama:cook", Small: "ollama:tiny"}},
			{Name: "emil", Role: "her son", Models: state.AgentModels{Chat: "ollama:cook"}},
			{Name: "otto", Role: "a guest"},
		},
	})
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	c.Graph = g
	return c
}

func TestModelsOfAgents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		req  func(*cast) graph.Request
		want []string
	}{
		{"its own", func(*cast) graph.Request { return graph.Request{Agent: "dana"} }, []string{"tiny", "cook"}},
		{"a chat model only", func(*cast) graph.Request { return graph.Request{Agent: "emil"} }, []string{"house-small", "cook"}},
		{"none", func(*cast) graph.Request { return graph.Request{Agent: "otto"} }, []string{"house-small", "house"}},
		{"no definition", func(*cast) graph.Request { return graph.Request{Agent: "rita"} }, []string{"house-small", "house"}},
		{"the request's win", func(c *cast) graph.Request {
			return graph.Request{Agent: "dana", Model: c.mustOpen(t, "ollama:mine"), SmallModel: c.mustOpen(t, "ollama:mine-small")}
		}, []string{"mine-small", "mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := play(t)
			req := tt.req(c)
			req.Text, req.AskSmall = "What is for dinner?", true
			if _, err := c.Invoke(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if got := c.asked(); len(got) < 2 || !slices.Equal(got[:2], tt.want) {
				t.Errorf("asked %v, want %v", got, tt.want)
			}
		})
	}
}

func TestModelsOfAgentsAreOpenedOnce(t *testing.T) {
	t.Parallel()
	c := play(t)
	for range 2 {
		if _, err := c.Invoke(t.Context(), graph.Request{Agent: "emil", Text: "Hello"}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := c.opened[2:], []string{"ollama:cook", "ollama:tiny"}; !slices.Equal(got, want) {
		t.Errorf("opened %v, want %v", got, want)
	}
}

func TestAgentsSmallModelEndsItsSessions(t *testing.T) {
	t.Parallel()
	c := play(t)
	scope := state.Scope{Agent: "dana", Session: "s1"}
	if _, err := c.Invoke(t.Context(), graph.Request{Scope: scope, Text: "I am allergic to nuts and my sister comes on Friday."}); err != nil {
		t.Fatal(err)
	}
	before := len(c.asked())
	scope.Agent = "otto" // whoever ends it
	if _, err := c.Memory().Sessions().Edit(t.Context(), scope, sessions.Change{End: true}); err != nil {
		t.Fatal(err)
	}
	if got := c.asked()[max(0, before-1):]; !slices.Contains(got, "tiny") || slices.Contains(got, "house-small") {
		t.Errorf("asked at the end %v, want tiny alone", got)
	}
}

func TestModelsOfAgentsThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	open := func(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
		return provider.Open(ctx, provider.Config{Model: name})
	}
	for _, tt := range []struct {
		name   string
		models state.AgentModels
		open   func(context.Context, string) (model.ToolCallingChatModel, error)
		says   []string
	}{
		{"an unknown provider", state.AgentModels{Chat: "nobody:x"}, open, []string{"agent dana", "model nobody:x", "unknown provider"}},
		{"no key", state.AgentModels{Small: "openai:x"}, open, []string{"agent dana", "model openai:x", "OPENAI_API_KEY"}},
		{"nobody opens it", state.AgentModels{Chat: "ollama:x"}, nil, []string{"agent dana", "model ollama:x", "Config.OpenModel"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			agent := state.Agent{Name: "dana", Role: "a cook", Models: tt.models}
			_, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Agents: []state.Agent{agent}, OpenModel: tt.open})
			if !errors.Is(err, state.ErrInvalid) || slices.ContainsFunc(tt.says, func(s string) bool { return !strings.Contains(err.Error(), s) }) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}
