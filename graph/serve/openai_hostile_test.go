package serve_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// held is a model whose first answer begins with a word and waits with the next.
type held struct {
	*told
	once        sync.Once
	began, ends chan struct{}
}

func newHeld() *held {
	return &held{told: &told{failed: map[string]bool{}}, began: make(chan struct{}), ends: make(chan struct{})}
}

func (m *held) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m *held) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.told.Stream(ctx, in, opts...)
	m.once.Do(func() { close(m.began); <-m.ends })
	return out, err
}

// Who is refused a stream has begun no turn.
func TestNoPlaceForAStreamIsNoTurn(t *testing.T) {
	t.Parallel()
	m := newHeld()
	s := begin(t, graph.Config{Model: m}, serve.Limits{Streams: 1})
	var busy sync.WaitGroup
	busy.Go(func() {
		s.ask(t, "POST", "/v1/chat/completions", object{"model": "mneme", "stream": true, "messages": []object{says("user", "SAY one")}}, "X-Mneme-Session", "first")
	})
	<-m.began
	for path, body := range map[string]object{
		"/v1/chat/completions": {"model": "mneme", "stream": true, "messages": []object{says("user", "a"), says("assistant", "b"), says("user", "SAY two")}, "metadata": object{"session_id": "second"}},
		"/v1/responses":        {"model": "mneme", "stream": true, "input": "SAY two", "conversation": "third"},
		"/api/v1/turns":        {"message": "SAY two", "session_id": "fourth"},
	} {
		a := s.ask(t, "POST", path, body, "Accept", "text/event-stream")
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	close(m.ends)
	busy.Wait()
	if err := s.s.Drain(t.Context()); err != nil { // all turns are over
		t.Fatal(err)
	}
	for _, session := range []string{"second", "third", "fourth"} {
		if said := s.kept(t, session); len(said) > 0 {
			t.Errorf("%s: kept %+v", session, said)
		}
	}
	if m.asked != 1 {
		t.Errorf("the model was asked %d times", m.asked)
	}
}

// A place among the streams is given back, however the request ends.
func TestAPlaceForAStreamIsGivenBack(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: &told{failed: map[string]bool{}}}, serve.Limits{Streams: 1})
	for range 2 {
		for path, body := range map[string]object{
			"/v1/chat/completions": {"model": "none", "stream": true, "messages": []object{says("user", "SAY two")}},
			"/v1/responses":        {"model": "mneme", "stream": true, "input": "SAY two"},
			"/api/v1/turns":        {"message": "SAY two", "message_id": "m1"},
		} {
			if a := s.ask(t, "POST", path, body, "Accept", "text/event-stream"); a.status == http.StatusTooManyRequests {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
	}
}

// A tool of the client's has a name that every model takes, and that no other tool of the turn has.
func TestNamesOfToolsOfAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: &told{failed: map[string]bool{}}}, serve.Limits{})
	for _, tt := range []struct{ names, says string }{
		{"get weather", "letters"}, {"wetter-für", "letters"}, {"a\nb", "letters"}, {"<|im_start|>", "letters"}, {strings.Repeat("n", 65), "64"}, {"", "letters"},
		{"get_weather,get_weather", "get_weather"}, {"memory_store", "memory_store"}, {"memory_search", "memory_search"}, {"read_block", "read_block"},
	} {
		var chat, flat []object
		for name := range strings.SplitSeq(tt.names, ",") {
			chat = append(chat, object{"type": "function", "function": object{"name": name}})
			flat = append(flat, object{"type": "function", "name": name})
		}
		history := []object{says("user", "a"), says("assistant", "b"), says("user", "SAY c")}
		for path, body := range map[string]object{"/v1/chat/completions": {"messages": history, "tools": chat}, "/v1/responses": {"input": history, "tools": flat}} {
			body["model"] = "mneme"
			var out chatted
			a := s.ask(t, "POST", path, body, "X-Mneme-Session", "s1")
			a.into(t, &out)
			if a.status != http.StatusBadRequest || out.Error.Param != "tools" || out.Error.Type != "invalid_request_error" || !strings.Contains(out.Error.Message, tt.says) {
				t.Errorf("%s %q: %d %s", path, tt.names, a.status, a.body)
			}
		}
	}
	if said := s.kept(t, "s1"); len(said) > 0 {
		t.Errorf("something was kept of what was refused: %+v", said)
	}
	fine := []object{{"type": "function", "function": object{"name": strings.Repeat("n", 64)}}, {"type": "function", "function": object{"name": "get-weather_2"}}}
	if got, _ := s.chat(t, http.StatusOK, object{"tools": fine, "messages": []object{says("user", "SAY fine")}}); got.text() != "fine" {
		t.Errorf("%+v", got)
	}
}
