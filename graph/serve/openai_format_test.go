package serve_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// endpoint speaks OpenAI's chat completions and notes what it was asked.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	asked []map[string]json.RawMessage
}

func newEndpoint(t *testing.T, answer string) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]json.RawMessage
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(raw, &body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.mu.Lock()
		e.asked = append(e.asked, body)
		e.mu.Unlock()
		if string(body["stream"]) != "true" {
			fmt.Fprint(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		text, _ := json.Marshal(answer) // a text always can be
		fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s}}]}\n\n", text)
		fmt.Fprint(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(e.Close)
	return e
}

// take returns what was asked since, by whether it was streamed: replies are.
func (e *endpoint) take() (replies, others []map[string]json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, body := range e.asked {
		if string(body["stream"]) == "true" {
			replies = append(replies, body)
		} else {
			others = append(others, body)
		}
	}
	e.asked = nil
	return replies, others
}

// The format that a client wants of the answer reaches the model that gives it, and no other call.
func TestTheFormatOfAnAnswer(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, `{"city":"Oslo"}`)
	open := func(name string) serve.Model {
		m, err := provider.Open(t.Context(), provider.Config{Model: name, BaseURL: e.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		return serve.Model{ModelAt: serve.ModelAt{Role: "chat", Name: "named"}, Chat: m}
	}
	st := ram.New()
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: open("openai:big").Chat, SmallModel: open("openai:small").Chat})
	if err != nil {
		t.Fatal(err)
	}
	s := beginConfig(t, serve.Config{Graph: g, Store: st, Models: []serve.Model{open("ollama:other")}, AnswerFormat: provider.AnswerFormat})
	schema := `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`
	named := `{"type":"json_schema","json_schema":{"name":"place","schema":` + schema + `,"strict":true}}`
	for i, tt := range []struct{ path, model, field, format, want string }{
		{"chat/completions", "mneme", "response_format", `{"type":"text"}`, ""},
		{"chat/completions", "mneme", "response_format", `null`, ""},
		{"chat/completions", "mneme", "response_format", `{"type":"json_object"}`, `{"type":"json_object"}`},
		{"chat/completions", "mneme", "response_format", named, named},
		{"chat/completions", "named", "response_format", named, named},
		{"responses", "mneme", "text", `{"format":{"type":"text"},"verbosity":"low"}`, ""},
		{"responses", "mneme", "text", `{"format":{"type":"json_object"}}`, `{"type":"json_object"}`},
		{"responses", "mneme", "text", `{"format":{"type":"json_schema","name":"place","schema":` + schema + `,"strict":true}}`, named},
	} {
		for _, streamed := range []bool{false, true} {
			text := fmt.Sprintf("I ordered a bike, number %d%t. Where does it come from, as JSON?", i, streamed)
			body := object{"model": tt.model, "stream": streamed, "input": text, "messages": []object{says("user", text)}, tt.field: json.RawMessage(tt.format)}
			a := s.must(t, http.StatusOK, "POST", "/v1/"+tt.path, body)
			if !strings.Contains(string(a.body), `Oslo`) {
				t.Errorf("%s %s: %s", tt.path, tt.format, a.body)
			}
			if tt.path == "responses" && tt.want != "" && !strings.Contains(string(a.body), `"text":`+strings.TrimSuffix(tt.format, "}")) {
				t.Errorf("the response does not tell the format: %s", a.body)
			}
			replies, others := e.take()
			if len(replies) != 1 || !equalJSON(t, replies[0]["response_format"], tt.want) {
				t.Errorf("%s %s: asked with %s, want %s", tt.path, tt.format, replies, tt.want)
			}
			for _, other := range others {
				if other["response_format"] != nil {
					t.Errorf("%s %s: another call has it: %s", tt.path, tt.format, other)
				}
			}
		}
	}
}

// The same question in another form is another one.
func TestTheFormatIsOfTheQuestion(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, "{}")
	m, err := provider.Open(t.Context(), provider.Config{Model: "openai:big", BaseURL: e.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	st := ram.New()
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	s := beginConfig(t, serve.Config{Graph: g, Store: st, AnswerFormat: provider.AnswerFormat})
	history := []object{says("user", "Hello."), says("assistant", "Hi."), says("user", "Where is the bike from?")}
	for i, format := range []any{nil, object{"type": "json_object"}, object{"type": "json_object"}, nil} {
		s.chat(t, http.StatusOK, object{"messages": history, "response_format": format})
		if replies, _ := e.take(); len(replies) != []int{1, 1, 0, 0}[i] {
			t.Errorf("%d: asked %d times", i, len(replies))
		}
	}
}

func equalJSON(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	if len(got) == 0 || want == "" {
		return string(got) == want
	}
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// A format that is none, or that the model cannot be held to, is refused before anything is kept.
func TestAFormatThatCannotBeHeld(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{}) // the offline model
	for _, tt := range []struct{ path, field, format, param string }{
		{"chat/completions", "response_format", `{"type":"json_object"}`, "response_format"},
		{"chat/completions", "response_format", `{"type":"xml"}`, "response_format"},
		{"chat/completions", "response_format", `"json"`, "response_format"},
		{"chat/completions", "response_format", `{"type":"json_schema"}`, "response_format"},
		{"responses", "text", `{"format":{"type":"json_object"}}`, "text.format"},
		{"responses", "text", `{"format":{"type":"json_schema","name":"x"}}`, "text.format"},
	} {
		var out chatted
		a := s.ask(t, "POST", "/v1/"+tt.path, object{"model": "mneme", "input": "Hello", "messages": []object{says("user", "Hello")}, tt.field: json.RawMessage(tt.format)})
		a.into(t, &out)
		if a.status != http.StatusBadRequest || out.Error.Param != tt.param || out.Error.Message == "" {
			t.Errorf("%s: %d %s", tt.format, a.status, a.body)
		}
	}
	var all listed[object]
	if s.must(t, http.StatusOK, "GET", "/api/v1/sessions", nil).into(t, &all); len(all.Items) > 0 {
		t.Errorf("something was kept: %+v", all.Items)
	}
}
