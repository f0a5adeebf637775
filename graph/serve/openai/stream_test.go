package openai

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// What a stream has said of the answer is not said again at its end, where another process has gone on with the turn.
func TestAStreamSaysTheRest(t *testing.T) {
	t.Parallel()
	token := func(text string) graph.Event {
		return graph.Event{Event: state.Event{Name: state.TokenEvent, Text: text}}
	}
	call := graph.Event{Event: state.Event{Name: state.ToolStart, Tool: "look"}}
	for name, tt := range map[string]struct {
		events []graph.Event
		end    string
		want   string
	}{
		"all of it":            {[]graph.Event{token("Hello, "), token("Ann.")}, "Hello, Ann.", "Hello, Ann."},
		"none of it":           {nil, "Hello, Ann.", "Hello, Ann."},
		"its beginning":        {[]graph.Event{token("Hel"), token("lo, ")}, "Hello, Ann.", "Hello, Ann."},
		"around a tool":        {[]graph.Event{token("Wait. "), call, token("Hel")}, "Hello, Ann.", "Wait. Hello, Ann."},
		"before a tool":        {[]graph.Event{token("Hello"), call}, "Hello, Ann.", "HelloHello, Ann."},
		"something else":       {[]graph.Event{token("The code is 4711.")}, "The code is [secret].", "The code is 4711.The code is [secret]."},
		"its beginning, twice": {[]graph.Event{token("Hello, Ann. Hello")}, "Hello", "Hello, Ann. Hello"},
	} {
		w := httptest.NewRecorder()
		b := &begun{run: Run{Heard: func() {}, Events: func(context.Context) Events {
			return func(yield func(graph.Event, error) bool) {
				for _, e := range append(tt.events, graph.Event{Event: state.Event{Name: state.RunEnd}, Reply: &graph.Reply{Text: tt.end}}) {
					if !yield(e, nil) {
						return
					}
				}
			}
		}}}
		tell := &responseStream{}
		if err := b.stream(w, httptest.NewRequest("POST", "/", nil), Caller{}, tell); err != nil {
			t.Fatal(err)
		}
		if tell.text != tt.want || !strings.Contains(w.Body.String(), "response.completed") {
			t.Errorf("%s: %q, want %q", name, tell.text, tt.want)
		}
	}
}
