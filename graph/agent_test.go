package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// ofAgents opens a graph with two agents, one of them read-only.
func ofAgents(t *testing.T) *graph.Graph {
	t.Helper()
	none := 0
	return newWorld().open(t, func(c *graph.Config) {
		c.Identity = "Be kind."
		c.Agents = []state.Agent{
			{Name: "dana", Role: "a cook", Language: "cs", Rules: []string{"never burn it"}},
			{Name: "emil", Role: "a reader", Autonomy: &none},
		}
	})
}

// system is the system prompt of a turn.
func system(r graph.Reply) string { return r.Trace.Prompts[0][0].Content }

func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		req     graph.Request
		has     string
		without string
	}{
		{"by name", graph.Request{Agent: "dana"}, "You are dana, a cook.\n- never burn it\n", "Be kind"},
		{"in its language", graph.Request{Agent: "dana"}, "Answer in this language: cs.", "question"},
		{"by scope", graph.Request{Scope: state.Scope{Agent: "dana"}}, "You are dana", "Be kind"},
		{"the user's language wins", graph.Request{Agent: "dana", PreferredLanguage: "pl"}, "question (pl).", "language: cs"},
		{"so does that of the question", graph.Request{Agent: "dana", PreferredLanguage: "und"}, "question (en).", "language: cs"},
		{"the request's prompt wins", graph.Request{Agent: "dana", System: "Be brief."}, "Be brief.\n\nMessages that begin", "dana"},
		{"and says the day", graph.Request{Agent: "dana", System: "Be brief."}, "question (en). Today is 2026-02-15, a Sunday.", "dana"},
		{"one without definition", graph.Request{Agent: "otto"}, "Be kind.", "dana"},
		{"nobody named", graph.Request{}, "Be kind.", "dana"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.req.Text = "What is for dinner today?"
			got := system(invoke(t, ofAgents(t), tt.req))
			if !strings.Contains(got, tt.has) || strings.Contains(got, tt.without) {
				t.Errorf("system prompt %q, want %q in it and not %q", got, tt.has, tt.without)
			}
		})
	}
}

func TestTwoAgentsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ofAgents(t).Invoke(t.Context(), graph.Request{Scope: state.Scope{Agent: "emil"}, Agent: "dana", Text: "Hello"})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "agent dana") {
		t.Errorf("error %v", err)
	}
}

func TestReadOnlyAgent(t *testing.T) {
	t.Parallel()
	g := ofAgents(t)
	_, err := g.Invoke(t.Context(), graph.Request{Agent: "emil", Text: "Hello", PreferredLanguage: "pl", PreferenceScope: state.GlobalPreference})
	if !errors.Is(err, state.ErrDenied) || !strings.Contains(err.Error(), "its definition") {
		t.Errorf("a preference for good: error %v", err)
	}
	invoke(t, g, graph.Request{Agent: "emil", Text: "I am allergic to nuts."})
	records, err := g.Memory().Records(t.Context(), scope())
	if err != nil || len(records) != 0 {
		t.Errorf("records %v, error %v", records, err)
	}
}
