package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

// A reader that takes its time between two reads does not break a healthy answer; a silent server does.
func TestWatched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		b := &watched{
			body: r, timeout: time.Second, cancel: cancel, timer: time.AfterFunc(time.Second, func() { cancel(errSilent) }),
			lost: func(err error) *refusal { return (blame{op: "model m"}).lost(t.Context(), context.Cause(ctx), err) },
		}
		go func() {
			_, _ = w.Write([]byte("ab"))
			<-ctx.Done()
			w.CloseWithError(ctx.Err())
		}()
		p := make([]byte, 1)
		for range 2 {
			if _, err := b.Read(p); err != nil {
				t.Fatalf("a slow reader: %v", err)
			}
			time.Sleep(time.Hour)
		}
		if _, err := b.Read(p); !errors.Is(err, errSilent) || !errors.Is(err, state.ErrUnavailable) {
			t.Errorf("a silent server: got %v, want Unavailable because of silence", err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The real pause of a repeat: its length, and that the caller's end ends it.
func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := sleep(t.Context(), time.Minute); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("slept %v with %v, want a minute", time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
	})
}

// Pauses never shrink, never pass maxWait, and keep what the server asked for.
func TestPauses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asks := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "retry after"))
		most := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "max wait"))
		retries := rapid.IntRange(0, 40).Draw(t, "retries")
		var pauses []time.Duration
		tr := &transport{
			next: roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After-Ms": {strconv.FormatInt(asks.Milliseconds(), 10)}}, Body: http.NoBody}, nil
			}),
			blame: blame{now: time.Now}, check: openAI("openai").check, timeout: time.Hour, retries: retries, maxWait: most, now: time.Now,
			sleep: func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil },
		}
		req, err := http.NewRequest(http.MethodPost, "http://h/", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.RoundTrip(req); !errors.Is(err, state.ErrUnavailable) {
			t.Fatalf("got %v, want Unavailable", err)
		}
		if asks/time.Millisecond > most/time.Millisecond && len(pauses) != 0 {
			t.Fatalf("waited %v though %v was asked for", pauses, asks)
		}
		for i, p := range pauses {
			if p > most || (i > 0 && p < pauses[i-1]) {
				t.Fatalf("pauses %v with at most %v", pauses, most)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"3", "0.5", "-1", "NaN", "1e300", "Sun, 15 Feb 2026 21:00:20 GMT", "soon", ""} {
		f.Add(s, s, s)
	}
	f.Add("", "", `{"error":{"details":[{"@type":"x"},{"retryDelay":"34.07s"}]}}`)
	f.Fuzz(func(t *testing.T, seconds, millis, body string) {
		h := http.Header{"Retry-After": {seconds}, "Retry-After-Ms": {millis}}
		if got := retryAfter(h, []byte(body), time.Unix(1_771_189_200, 0)); got < 0 || got > 24*time.Hour {
			t.Errorf("got %v", got)
		}
	})
}

func FuzzEventStream(f *testing.F) {
	for _, s := range []string{
		"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", ": c\n\n", "data:\n", "data: {\"error\":5}\n", "data: null\n",
		"data: {\"choices\":[{\"finish_reason\": \"stop\"}]}\n", "data: {\"error\":{\"code\":\"503\",\"message\":[1]}}", "\xff", "data: \"x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newEventStream(io.NopCloser(strings.NewReader(text)), blame{op: "m", now: time.Now}, events{finished: openAI("openai").Finished}, nil)
		got, err := io.ReadAll(s)
		if err != nil && state.CodeOf(err) == state.Internal {
			t.Errorf("untyped error %v", err)
		}
		for line := range strings.SplitSeq(string(got), "\n") {
			if line != "" && !strings.HasPrefix(line, "data: ") {
				t.Errorf("line %q", line)
			}
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"openai:gpt-4o-mini", "openai:", "offline", ":", "ollama:qwen2.5:7b", "http://x", ""} {
		f.Add(s, "http://127.0.0.1/v1")
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, model, base string) {
		e, err := resolve(Config{Model: model, BaseURL: base})
		if err != nil {
			if !errors.Is(err, state.ErrInvalid) {
				t.Errorf("got %v", err)
			}
			return
		}
		if e.provider+":"+e.model != model || e.baseURL == "" {
			t.Errorf("%q, %q gave %+v", model, base, e)
		}
	})
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"m"}}`, `{"error":"m"}`, `{"error":{"message":["a"]}}`, `{}`, "<html>", `{"error":{"message":"` + strings.Repeat("ž", 400) + `"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got := words(body); len(got) > maxWords+len(": …") || strings.ContainsAny(got, "\n\x00") {
			t.Errorf("got %q", got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// Whatever a server answers: a refusal, or an answer that holds vectors.
func FuzzCheckEmbeddings(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[2]}]}`, `{"data":[{"embedding":[1]}]}`, `{"embeddings":[[1]]}`,
		`{"error":{"message":"m","code":503}}`, `{"data":[null]}`, `[]`, `{`, `{"data":[{"index":0,"embedding":""}],"error":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := blame{op: "embedder m", now: time.Now}
		for name, check := range map[string]check{"openai": checkEmbeddings, "ollama": checkOllama} {
			out, no := check(b, body, http.Header{})
			if (no == nil) != (len(out) > 0) || no != nil && no.err == nil {
				t.Errorf("%s: %q and %v", name, out, no)
			}
			if no == nil && !json.Valid(out) {
				t.Errorf("%s: %q is no JSON", name, out)
			}
		}
	})
}

// Whatever comes as reasoning_details, what is kept of it is JSON that can be put into a request.
func FuzzDetails(f *testing.F) {
	for _, s := range []string{
		"", `{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}}]}` + "\n" + `{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}}]}`,
		`{"choices":[{"message":{"reasoning_details":[null,{},{"text":7}]}}]}`, `{"choices":[{"delta":{"reasoning_details":[{"index":0,"text":null},{"index":0,"text":"x"},null]}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seal := &details{}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			seal.Add(line)
		}
		if text := seal.Text(); text != "" {
			out, err := unsealDetails([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]},null]}`), map[string]string{"a": text})
			if err != nil || !json.Valid(out) || !bytes.Contains(out, []byte("reasoning_details")) {
				t.Errorf("%q: %v, %s", text, err, out)
			}
		}
	})
}
