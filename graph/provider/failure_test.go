package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	said := func(text string) string { return `{"error":{"message":"` + text + `","type":"t","code":null}}` }
	tests := []struct {
		name    string
		replies []http.HandlerFunc
		code    state.Code // "" = answered
		holds   string
		after   time.Duration
		pauses  []time.Duration
	}{
		{name: "wrong key", replies: reply(body(401, said("Incorrect API key provided: "+testKey))), code: state.Denied, holds: "set MNEME_OPENAI_API_KEY or OPENAI_API_KEY"},
		{name: "forbidden", replies: reply(body(403, said("Country, with "+testKey+", not supported"))), code: state.Denied, holds: "Country, with ***, not supported"},
		{name: "no money", replies: reply(body(402, said("Insufficient balance"))), code: state.Denied, holds: "top up"},
		{name: "bad request", replies: reply(body(400, said("max_tokens is too large"))), code: state.Invalid, holds: "max_tokens is too large"},
		{name: "unknown model", replies: reply(body(404, said("The model gpt-test does not exist"))), code: state.Invalid, holds: "does not exist"},
		{name: "error is a word", replies: reply(body(400, `{"error":"model not loaded"}`)), code: state.Invalid, holds: "model not loaded"},
		{name: "a proxy's page", replies: reply(body(400, "<html>"+testKey)), code: state.Invalid, holds: "refuses the request (400)"},
		{name: "429 once", replies: reply(body(429, said("slow down"), "Retry-After", "3"), plain("a")), pauses: seconds(3)},
		{name: "429 always", replies: reply(body(429, said("slow down"), "Retry-After", "3")), code: state.Unavailable, holds: "slow down", after: 3 * time.Second, pauses: seconds(3, 3)},
		{name: "429 with a date", replies: reply(body(429, "{}", "Retry-After", "Sun, 15 Feb 2026 21:00:20 GMT"), plain("a")), pauses: seconds(20)},
		{name: "429 in milliseconds", replies: reply(body(429, "{}", "Retry-After", "9", "Retry-After-Ms", "1500"), plain("a")), pauses: seconds(1.5)},
		{name: "429 too far", replies: reply(body(429, "{}", "Retry-After", "3600")), code: state.Unavailable, after: time.Hour},
		{name: "429 without a hint", replies: reply(body(429, "{}")), code: state.Unavailable, pauses: seconds(0.5, 1)},
		{name: "no quota", replies: reply(body(429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`)), code: state.Unavailable, holds: "quota"},
		{name: "500 twice", replies: reply(body(500, ""), body(502, "<html>"), plain("a")), pauses: seconds(0.5, 1)},
		{name: "503 always", replies: reply(body(503, "")), code: state.Unavailable, holds: "does not answer (503)", pauses: seconds(0.5, 1)},
		{name: "connection dropped", replies: reply(func(w http.ResponseWriter, _ *http.Request) { drop(w) }, plain("a")), pauses: seconds(0.5)},
		{name: "malformed JSON", replies: reply(body(200, `{"choices":[{`)), code: state.Unavailable, holds: "not a chat completion", pauses: seconds(0.5, 1)},
		{name: "a page with 200", replies: reply(body(200, "<html>", "Content-Type", "text/html"), plain("a")), pauses: seconds(0.5)},
		{name: "no choice", replies: reply(body(200, `{"choices":[]}`)), code: state.Unavailable, holds: "no choice", pauses: seconds(0.5, 1)},
		{name: "error with 200", replies: reply(body(200, `{"error":{"message":"upstream overloaded","code":502}}`), plain("a")), pauses: seconds(0.5)},
		{name: "error with 200 and a word", replies: reply(body(200, `{"error":{"message":"moderated","code":"x"}}`)), code: state.Unavailable, holds: "moderated", pauses: seconds(0.5, 1)},
		{name: "cut body", replies: reply(cutBody, plain("a")), pauses: seconds(0.5)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.replies...)
			out, err := s.open(t, nil).Generate(t.Context(), ask("?"))
			check(t, err, tc.code, tc.holds, tc.after)
			if tc.code == "" && out.Content != "a" {
				t.Errorf("got %q, want the answer", out.Content)
			}
			if _, pauses := s.seen(); !slices.Equal(pauses, tc.pauses) {
				t.Errorf("got pauses %v, want %v", pauses, tc.pauses)
			}
		})
	}
}

func TestStreamFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		replies []http.HandlerFunc
		code    state.Code
		holds   string
		text    string // what had arrived
		asked   int
	}{
		{"cut after a chunk", reply(cutAfter(chunk("Do"))), state.Unavailable, "cut", "Do", 1},
		{"ended without finish", reply(events(chunk("Do"), chunk("brý"))), state.Unavailable, "stream was cut", "Dobrý", 1},
		{"a quoted finish reason is text", reply(events(chunk(`"finish_reason":"stop"`))), state.Unavailable, "stream was cut", `"finish_reason":"stop"`, 1},
		{"cut before the first chunk", reply(cutAfter(": wait"), events(chunk("a"), stop("stop"), "data: [DONE]")), "", "", "a", 2},
		{"empty", reply(events()), state.Unavailable, "stream was cut", "", 3},
		{"nothing but [DONE]", reply(events("data: [DONE]")), state.Unavailable, "before it began", "", 3},
		{"429 then ok", reply(body(429, "{}"), events(chunk("a"), "data: [DONE]")), "", "", "a", 2},
		{"wrong key", reply(body(401, "{}")), state.Denied, "set MNEME_OPENAI_API_KEY", "", 1},
		{"error event first", reply(events(`data: {"error":{"message":"busy","code":503}}`), events(chunk("a"), "data: [DONE]")), "", "", "a", 2},
		{"error event later", reply(events(chunk("a"), `data: {"error":{"message":"broke at `+testKey+`"}}`)), state.Unavailable, "broke at ***", "a", 1},
		{"garbled event", reply(events(chunk("a"), "data: {]")), state.Unavailable, "not JSON", "a", 1},
		{"no stream", reply(plain("a")), state.Invalid, "without streaming", "", 1},
		{"error instead of a stream", reply(body(200, `{"error":{"message":"no","code":400}}`)), state.Invalid, "no", "", 1},
		{"event too long", reply(events("data: " + strings.Repeat("x", 5<<20))), state.Unavailable, "too long", "", 3},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.replies...)
			out, _, err := stream(t.Context(), s.open(t, nil), ask("?"))
			check(t, err, tc.code, tc.holds, 0)
			if tc.text != "" && (out == nil || out.Content != tc.text) {
				t.Errorf("got %+v, want %q", out, tc.text)
			}
			if requests, _ := s.seen(); len(requests) != tc.asked {
				t.Errorf("asked %d times, want %d", len(requests), tc.asked)
			}
		})
	}
}

func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	ctx := expiring{t.Context(), make(chan struct{})}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(ctx.over)
		silent(w, r)
	})
	_, err := s.open(t, nil).Generate(ctx, ask("?"))
	check(t, err, state.Unavailable, "the caller gave", 0)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want it to match DeadlineExceeded", err)
	}
	if requests, _ := s.seen(); len(requests) != 1 {
		t.Errorf("asked %d times, want once", len(requests))
	}
}

// expiring is a context whose deadline passes when over is closed, however slow the machine is.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestDeadlineBeforePause(t *testing.T) {
	t.Parallel()
	s := serve(t, body(429, "{}", "Retry-After", "20"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := s.open(t, func(c *provider.Config) { c.Now = time.Now }).Generate(ctx, ask("?"))
	check(t, err, state.Unavailable, "429", 20*time.Second)
	if requests, pauses := s.seen(); len(requests) != 1 || len(pauses) != 0 {
		t.Errorf("asked %d times with pauses %v, want the error at once", len(requests), pauses)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body(503, "")(w, r)
		cancel()
	})
	_, err := s.open(t, func(c *provider.Config) { c.Sleep = nil }).Generate(ctx, ask("?"))
	check(t, err, state.Unavailable, "", 0)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to match Canceled", err)
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	quick := func(c *provider.Config) { c.Timeout = 30 * time.Millisecond }
	t.Run("before the answer", func(t *testing.T) {
		t.Parallel()
		s := serve(t, silent, plain("a"))
		if _, err := s.open(t, quick).Generate(t.Context(), ask("?")); err != nil {
			t.Errorf("got %v, want the second attempt's answer", err)
		}
	})
	t.Run("within a stream", func(t *testing.T) {
		t.Parallel()
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			events(chunk("Do"))(w, r)
			silent(w, r)
		})
		out, _, err := stream(t.Context(), s.open(t, quick), ask("?"))
		check(t, err, state.Unavailable, "silent", 0)
		if out.Content != "Do" {
			t.Errorf("got %q, want what had come", out.Content)
		}
	})
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, plain("a"))
	m := s.open(t, func(c *provider.Config) { c.Retries, c.HTTPClient = -1, nil })
	s.Server.Close()
	_, err := m.Generate(t.Context(), ask("?"))
	check(t, err, state.Unavailable, "no connection to openai", 0)
}

func TestUnsendable(t *testing.T) {
	t.Parallel()
	m := serve(t, plain("a")).open(t, nil)
	mixed := &schema.Message{Role: schema.User, MultiContent: []schema.ChatMessagePart{{Type: "hologram"}}} //nolint:staticcheck // hosts still send the old form
	_, err := m.Generate(t.Context(), []*schema.Message{mixed})
	check(t, err, state.Invalid, "hologram", 0)
}

// check compares an error with its code (""= none), a part of its text and its hint, and that it hides the key.
func check(t *testing.T, err error, code state.Code, holds string, after time.Duration) {
	t.Helper()
	if got := state.CodeOf(err); got != code {
		t.Fatalf("got %q: %v, want code %q", got, err, code)
	}
	if code == "" {
		return
	}
	var typed *state.Error
	if !errors.As(err, &typed) || typed.RetryAfter != after {
		t.Errorf("got %+v, want RetryAfter %v", typed, after)
	}
	if text := err.Error(); !strings.Contains(text, holds) || !strings.Contains(text, "model openai:gpt-test") || strings.Contains(text, testKey) {
		t.Errorf("got %q, want it to name the model, hold %q and no key", text, holds)
	}
}

func reply(h ...http.HandlerFunc) []http.HandlerFunc { return h }

func seconds(s ...float64) []time.Duration {
	var out []time.Duration
	for _, x := range s {
		out = append(out, time.Duration(x*float64(time.Second)))
	}
	return out
}

// silent keeps the caller waiting until it gives up.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// cutBody promises more bytes than it sends.
func cutBody(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"choices":[`)
}
