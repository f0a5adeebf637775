package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// chatReply is a chat completion, or a chunk of one.
type chatReply struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatChoice struct {
	Index    int        `json:"index"`
	Message  *chatWhole `json:"message,omitempty"`
	Delta    *chatSaid  `json:"delta,omitempty"`
	Logprobs any        `json:"logprobs"`
	Finish   *string    `json:"finish_reason"`
}

// chatWhole is a whole message: its content is null where it only calls tools.
type chatWhole struct {
	Role    string     `json:"role"`
	Content *string    `json:"content"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
}

type chatSaid struct {
	Role    string     `json:"role,omitempty"`
	Content *string    `json:"content,omitempty"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func usageOf(u state.Usage) *chatUsage {
	out := &chatUsage{Prompt: u.PromptTokens, Completion: u.CompletionTokens, Total: u.PromptTokens + u.CompletionTokens}
	out.Details.Cached = u.CachedTokens
	return out
}

// said is what a turn came to, as both APIs tell it: a text, or calls for the client to run.
type said struct {
	text   string
	calls  []graph.Question
	finish string
	reply  graph.Reply
}

// saidOf reads the end of a turn.
func (b *begun) saidOf(r graph.Reply) said {
	s := said{text: r.Text, finish: "stop", reply: r, calls: clientCalls(r.Waits, b.one)}
	asks := approvals(r.Waits)
	switch {
	case len(s.calls) > 0:
		s.finish, s.text = "tool_calls", ""
	case len(asks) > 0:
		s.text = describeWaits(asks)
	case r.Cut:
		s.finish = "length"
	}
	return s
}

// end waits for the end of a turn. Before a call for the client to run the model may have spoken.
func (b *begun) end(ctx context.Context) (said, error) {
	var spoken strings.Builder
	for e, err := range b.run.Events(ctx) {
		switch {
		case e.Name == state.TokenEvent:
			spoken.WriteString(e.Text)
		case e.Name == state.ToolEnd:
			spoken.Reset()
		case e.Name != state.RunEnd:
		case e.Reply == nil || err != nil && !wasCut(e.Reply, err):
			return said{}, err
		default:
			s := b.saidOf(*e.Reply)
			if len(s.calls) > 0 {
				s.text = spoken.String()
			}
			return s, nil
		}
	}
	return said{}, state.Errorf(state.Unavailable, "turn "+b.id, "goes on without its client; send the same again for its answer: %w", context.Cause(ctx))
}

// wasCut reports whether a turn was stopped in order. One that was left has no answer yet: the client is to send the same again.
func wasCut(r *graph.Reply, err error) bool {
	return r.Cut && state.CodeOf(err) == state.Unavailable && !errors.Is(err, graph.ErrLeft)
}

// chat answers POST /v1/chat/completions.
func (f *Face) chat(w http.ResponseWriter, r *http.Request, c Caller) error {
	req, b, err := start(f, w, r, c, readChat)
	if err != nil {
		return err
	}
	defer b.leave()
	head := chatReply{ID: "chatcmpl-" + sum(b.scope.Key(b.scope.Session), b.id, b.part), Created: f.c.Now().Unix(), Model: req.Model, Object: "chat.completion"}
	if req.Stream {
		head.Object = "chat.completion.chunk"
		return b.stream(w, r, c, &chatStream{head: head, usage: req.StreamOptions.Usage})
	}
	s, err := b.end(r.Context())
	if err != nil {
		return err
	}
	head.Usage = usageOf(s.reply.Usage)
	message := &chatWhole{Role: "assistant", Calls: callsOf(s.calls, false)}
	if len(s.calls) == 0 || s.text != "" {
		message.Content = &s.text
	}
	head.Choices = []chatChoice{{Message: message, Finish: &s.finish}}
	return b.heard(writeJSON(w, head))
}

// heard notes whether the client has its answer; a client that has gone is no error of the answer.
func (b *begun) heard(err error) error {
	if err == nil {
		b.run.Heard()
	}
	return nil
}

// callsOf are calls as a message, or a chunk of a stream, has them.
func callsOf(asked []graph.Question, streamed bool) (out []chatCall) {
	for i, a := range asked {
		c := chatCall{ID: callID(a), Type: "function"}
		if streamed {
			c.Index = &i
		}
		c.Function.Name, c.Function.Arguments = a.Question.Tool, a.Question.Arguments
		out = append(out, c)
	}
	return out
}

// teller writes a turn as one of the APIs streams it.
type teller interface {
	begin() []sse
	token(text string) []sse
	end(s said) []sse
	fail(p problem) []sse
}

// sse is an event of a stream; without a name it is data alone.
type sse struct {
	name string
	data any
}

// done is the data that ends a stream of chat.
const done = "[DONE]"

// stream writes the events of a turn as they come. Until the first word, an error is an answer of its own.
func (b *begun) stream(w http.ResponseWriter, r *http.Request, c Caller, tell teller) error {
	out := &line{w: w, control: http.NewResponseController(w)}
	var spoken strings.Builder
	tool := 0 // where in it the last call of a tool stood
	write := func(events func() []sse) bool {
		return (out.begun || out.write(tell.begin())) && out.write(events())
	}
	for e, err := range b.run.Events(r.Context()) {
		switch {
		case e.Name == "" && !out.alive(write):
			return nil
		case e.Name == state.TokenEvent && e.Text != "":
			spoken.WriteString(e.Text)
			if !write(func() []sse { return tell.token(e.Text) }) {
				return nil
			}
		case e.Name == state.ToolStart:
			tool = spoken.Len()
		case e.Name != state.RunEnd:
		case e.Reply == nil || err != nil && !wasCut(e.Reply, err):
			if !out.begun {
				return err
			}
			status, code, detail := c.Error(err)
			write(func() []sse { return tell.fail(problemOf(err, StatusOf(status), code, detail)) })
			return nil
		default:
			s := b.saidOf(*e.Reply)
			ended := write(func() (events []sse) {
				if said := spoken.String(); !strings.HasSuffix(said, s.text) { // it was said before, or by nobody, or another process has said the rest
					events = tell.token(strings.TrimPrefix(s.text, said[tool:]))
				}
				return append(events, tell.end(s)...)
			})
			if ended {
				b.run.Heard()
			}
			return nil
		}
	}
	return nil
}

// line is a stream of events to a client.
type line struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// alive shows that the stream is.
func (l *line) alive(write func(func() []sse) bool) bool {
	if !l.begun && !write(func() []sse { return nil }) {
		return false
	}
	l.wait()
	_, err := fmt.Fprint(l.w, ": alive\n\n")
	return err == nil && l.control.Flush() == nil
}

// wait gives a client that does not read a while from now on.
func (l *line) wait() {
	const patience = 30 * time.Second
	_ = l.control.SetWriteDeadline(time.Now().Add(patience)) // a recorder has none
}

// write sends events; false = nobody reads them.
func (l *line) write(events []sse) bool {
	l.wait()
	if !l.begun {
		h := l.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("X-Accel-Buffering", "no")
		l.w.WriteHeader(http.StatusOK)
		l.begun = true
	}
	for _, e := range events {
		raw, err := json.Marshal(e.data)
		if e.data == done {
			raw = []byte(done)
		}
		if err != nil {
			return false
		}
		if e.name != "" {
			if _, err := fmt.Fprintf(l.w, "event: %s\n", e.name); err != nil {
				return false
			}
		}
		if _, err := fmt.Fprintf(l.w, "data: %s\n\n", raw); err != nil {
			return false
		}
	}
	return l.control.Flush() == nil
}

// chatStream tells a turn in chunks.
type chatStream struct {
	head  chatReply
	usage bool
}

var _ teller = (*chatStream)(nil)

// chunk is one of the stream.
func (s *chatStream) chunk(said chatSaid, finish *string) sse {
	out := s.head
	out.Choices = []chatChoice{{Delta: &said, Finish: finish}}
	return sse{data: out}
}

func (s *chatStream) begin() []sse {
	var none string
	return []sse{s.chunk(chatSaid{Role: "assistant", Content: &none}, nil)}
}

func (s *chatStream) token(text string) []sse { return []sse{s.chunk(chatSaid{Content: &text}, nil)} }

func (s *chatStream) end(said said) (out []sse) {
	if len(said.calls) > 0 {
		out = append(out, s.chunk(chatSaid{Calls: callsOf(said.calls, true)}, nil))
	}
	out = append(out, s.chunk(chatSaid{}, &said.finish))
	if s.usage {
		last := s.head
		last.Choices, last.Usage = []chatChoice{}, usageOf(said.reply.Usage)
		out = append(out, sse{data: last})
	}
	return append(out, sse{data: done})
}

func (s *chatStream) fail(p problem) []sse { return []sse{{data: map[string]problem{"error": p}}} }
