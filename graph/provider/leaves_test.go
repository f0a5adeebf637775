package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/state"
)

// The stable beginning of a prompt, tools and system prompt, is marked for Claude's cache, and nothing else.
func TestClaudeMarksWhatIsStable(t *testing.T) {
	t.Parallel()
	d := anthropic()
	s := serve(t, body(200, d.answer))
	m, err := s.open(t, d.config(s, "claude")).WithTools([]*schema.ToolInfo{{Name: "list_affairs", Desc: "Lists."}, {Name: "memory_recall", Desc: "Recalls."}})
	must(t, err)
	if _, err := m.Generate(t.Context(), []*schema.Message{schema.SystemMessage("Be brief."), schema.UserMessage("?")}); err != nil {
		t.Fatal(err)
	}
	requests, _ := s.seen()
	got := requests[0].Body
	for _, want := range []string{`"system":[{"text":"Be brief.","cache_control":{"type":"ephemeral"},"type":"text"}]`, `"max_tokens":8192`} {
		if !strings.Contains(got, want) {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	if n := strings.Count(got, "cache_control"); n != 2 {
		t.Errorf("asked %s with %d marks, want two", got, n)
	}
}

// What Gemini signs comes back with the call, through the log of the turn: without it Gemini 3 refuses the next request.
func TestGeminiIsGivenItsSignatureBack(t *testing.T) {
	t.Parallel()
	d := google()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "stream") {
			events(d.callEvents...)(w, r)
			return
		}
		body(200, d.answer)(w, r)
	}, events(d.events...))
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: s.open(t, d.config(s, "gemini"))})
	must(t, err)
	defer g.Close()
	reply, err := g.Invoke(t.Context(), graph.Request{Text: "What is open?", Scope: state.Scope{Session: "s1"}})
	if err != nil || reply.Text != "Hello" {
		t.Fatalf("got %q, %v", reply.Text, err)
	}
	requests, _ := s.seen()
	if len(requests) != 2 || !strings.Contains(requests[1].Body, `"thoughtSignature":"c2ln"`) || strings.Count(requests[1].Body, "functionResponse") != 2 {
		t.Errorf("asked %d times, at last %s, want the signature and two results", len(requests), requests[len(requests)-1].Body)
	}
}
