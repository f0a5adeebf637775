package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
)

const testKey = "sk-test-0123456789abcdef"

// stub is an endpoint that answers request n with reply n, the last one for ever.
type stub struct {
	*httptest.Server
	replies []http.HandlerFunc

	mu       sync.Mutex
	requests []request
	pauses   []time.Duration
}

// request is what the endpoint was sent.
type request struct {
	Path   string
	Auth   string
	Body   string
	Header http.Header
	Model  string `json:"model"`
	Tools  []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
	Stream bool `json:"stream"`
}

// serve starts a stub; it ends with the test.
func serve(t *testing.T, replies ...http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Server.Close)
	return s
}

func (s *stub) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	got := request{Path: r.URL.Path, Auth: r.Header.Get("Authorization"), Body: string(body), Header: r.Header}
	if err == nil && strings.HasSuffix(got.Path, "/completions") {
		err = json.Unmarshal(body, &got)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	reply := s.replies[min(len(s.requests), len(s.replies)-1)]
	s.requests = append(s.requests, got)
	s.mu.Unlock()
	reply(w, r)
}

// seen returns the requests so far and the pauses the model made between them.
func (s *stub) seen() ([]request, []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.pauses
}

// open returns a model at the stub whose pauses are noted and not slept.
func (s *stub) open(t *testing.T, change func(*provider.Config)) model.ToolCallingChatModel {
	t.Helper()
	c := provider.Config{
		Model: "openai:gpt-test", APIKey: testKey, BaseURL: s.URL + "/v1", HTTPClient: s.Client(),
		Now: func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) },
		Sleep: func(ctx context.Context, pause time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.pauses = append(s.pauses, pause)
			return ctx.Err()
		},
	}
	if change != nil {
		change(&c)
	}
	m, err := provider.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return m
}

// body answers with a status and a body; header pairs follow.
func body(status int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// plain answers with one choice.
func plain(text string) http.HandlerFunc {
	return body(200, fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"gpt-test","choices":[{"index":0,
		"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":8}}}`, text))
}

// events streams lines as they are, each followed by a blank line, and then ends the body properly.
func events(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			_, _ = io.WriteString(w, line+"\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

// cutAfter streams lines and then drops the connection.
func cutAfter(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		events(lines...)(w, r)
		drop(w)
	}
}

// drop ends the connection without a proper end of the answer.
func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// chunk is an event with a piece of text.
func chunk(text string) string {
	return fmt.Sprintf(`data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":%q},"finish_reason":null}]}`, text)
}

// stop is the event that finishes an answer.
func stop(reason string) string {
	return fmt.Sprintf(`data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

// ask is a prompt of one question.
func ask(text string) []*schema.Message { return []*schema.Message{schema.UserMessage(text)} }

// stream reads a whole stream: the message up to where it ended, the number of chunks, and the error.
func stream(ctx context.Context, m model.BaseChatModel, in []*schema.Message) (*schema.Message, int, error) {
	r, err := m.Stream(ctx, in)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	var got []*schema.Message
	for {
		c, err := r.Recv()
		if err != nil {
			whole, joinErr := schema.ConcatMessages(got)
			if errors.Is(err, io.EOF) {
				return whole, len(got), joinErr
			}
			return whole, len(got), err
		}
		got = append(got, c)
	}
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }
