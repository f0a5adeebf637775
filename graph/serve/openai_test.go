package serve_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// chatted is an answer of the facade.
type chatted struct {
	ID      string
	Choices []struct {
		Message struct {
			Content string
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Finish string `json:"finish_reason"`
	}
	Error struct{ Message, Type, Param, Code string }
}

// says is a message of a chat.
func says(role, text string) object { return object{"role": role, "content": text} }

// chat sends messages; session and headers say what else.
func (s *service) chat(t *testing.T, status int, body object, headers ...string) (chatted, string) {
	t.Helper()
	if body["model"] == nil {
		body["model"] = "mneme"
	}
	a := s.must(t, status, "POST", "/v1/chat/completions", body, headers...)
	var out chatted
	a.into(t, &out)
	return out, a.header.Get("X-Mneme-Session")
}

// asks returns what sends a history in a session, "" = it names none, and returns the answer and the session.
func (s *service) asks(t *testing.T, session string) func(messages ...object) (answer, at string) {
	t.Helper()
	return func(messages ...object) (string, string) {
		var headers []string
		if session != "" {
			headers = []string{"X-Mneme-Session", session}
		}
		got, at := s.chat(t, http.StatusOK, object{"messages": messages}, headers...)
		return got.text(), at
	}
}

func (c chatted) text() string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Message.Content
}

// A client that sends its whole history goes on in one session; what it edits goes on in a fork, which is found again.
func TestAChatGoesOn(t *testing.T) {
	t.Parallel()
	m := scripted.New(nil, offline.New())
	s := begin(t, graph.Config{Model: m}, serve.Limits{})
	for _, named := range []string{"", "monday"} {
		var headers []string
		if named != "" {
			headers = []string{"X-Mneme-Session", named}
		}
		history := []object{says("system", "You are Ann's helper."), says("user", "I ordered brake pads, order number 07-14244-53150. "+named)}
		first, session := s.chat(t, http.StatusOK, object{"messages": history}, headers...)
		if named != "" && session != named || !strings.HasPrefix(session, named) || first.text() == "" {
			t.Fatalf("%q: session %q, %+v", named, session, first)
		}
		history = append(history, says("assistant", first.text()), says("user", "What is the order number of the brake pads?"))
		second, same := s.chat(t, http.StatusOK, object{"messages": history}, headers...)
		if same != session || !strings.Contains(second.text(), "07-14244-53150") {
			t.Fatalf("%q: session %q, %+v", named, same, second)
		}
		if again, at := s.chat(t, http.StatusOK, object{"messages": history}, headers...); at != session || again.text() != second.text() || again.ID != second.ID {
			t.Errorf("%q: sent again: session %q, %+v", named, at, again)
		}

		// What it says instead.
		edited := append(history[:3:3], says("user", "The order came today, thank you."))
		third, fork := s.chat(t, http.StatusOK, object{"messages": edited}, headers...)
		if fork == session || third.text() == "" {
			t.Fatalf("%q: fork %q, %+v", named, fork, third)
		}
		edited = append(edited, says("assistant", " "+third.text()+"\n"), says("user", "When did it come?"))
		edited[0] = says("developer", "You are somebody else.")
		if fourth, at := s.chat(t, http.StatusOK, object{"messages": edited}, headers...); at != fork || fourth.text() == "" {
			t.Errorf("%q: session %q, not the fork %q: %+v", named, at, fork, fourth)
		}
		history = append(history, says("assistant", second.text()), says("user", "Thanks!"))
		if _, at := s.chat(t, http.StatusOK, object{"messages": history}, headers...); at != session {
			t.Errorf("%q: the first one goes on in %q, not %q", named, at, session)
		}
		var said listed[state.Message]
		s.must(t, http.StatusOK, "GET", "/api/v1/sessions/"+session+"/messages", nil).into(t, &said)
		if n := count(said.Items, state.RoleUser); n != 3 {
			t.Errorf("%q: %d messages of the user are in %s, not 3", named, n, session)
		}
	}
}

func count(said []state.Message, role state.Role) (n int) {
	for _, m := range said {
		if m.Role == role {
			n++
		}
	}
	return n
}

// A stream has the standard chunks.
func TestAChatIsStreamed(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: scripted.New([]scripted.Step{scripted.Say("One two three.")}, nil)}, serve.Limits{})
	a := s.must(t, http.StatusOK, "POST", "/v1/chat/completions", object{"model": "mneme", "stream": true, "stream_options": object{"include_usage": true}, "messages": []object{says("user", "Count!")}})
	text, finish, usage := "", "", 0
	lines := strings.Split(strings.TrimSpace(string(a.body)), "\n\n")
	for _, line := range lines[:len(lines)-1] {
		var c struct {
			Object  string
			Choices []struct {
				Delta  struct{ Content string }
				Finish string `json:"finish_reason"`
			}
			Usage struct {
				Total int `json:"total_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c); err != nil || c.Object != "chat.completion.chunk" {
			t.Fatalf("%v: %s", err, line)
		}
		for _, choice := range c.Choices {
			text, finish = text+choice.Delta.Content, finish+choice.Finish
		}
		usage += c.Usage.Total
	}
	if lines[len(lines)-1] != "data: [DONE]" || text != "One two three." || finish != "stop" || usage == 0 || len(lines) < 5 {
		t.Errorf("%q, finish %q, usage %d: %s", text, finish, usage, a.body)
	}
}
