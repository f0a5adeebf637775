package provider_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// page answers with something that is not the protocol's.
func page(status int, kind, text string) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// moved redirects in a way in which the question would be lost.
func moved(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "https://user:pass@elsewhere.example/v1?token=x", http.StatusMovedPermanently)
}

// What proxies, wrong addresses and moody providers answer, for every provider, whole and streamed: a typed error that names the way out, or a repeat.
func TestOddities(t *testing.T) {
	const html = "<!doctype html><title>Welcome</title>"
	each(t, func(t *testing.T, name string, d dialect) {
		alive := []string{": keep-alive"}
		for _, e := range d.events {
			alive = append(alive, e, ": keep-alive")
		}
		for _, tc := range []struct {
			name    string
			whole   handler
			stream  handler
			again   bool // it is repeated, and answered at the third time
			code    state.Code
			holds   []string
			content string
			asked   int // 0 = as many as there are replies
		}{
			{name: "a comment between events", stream: events(alive...), content: "Hello"},
			{name: "a web page", whole: page(200, "text/html; charset=utf-8", html), stream: page(200, "text/html", html), code: state.Unavailable, holds: []string{"web page", "base URL"}, asked: 3},
			{name: "a text", whole: page(200, "text/plain", "welcome"), stream: page(200, "text/plain", "welcome"), again: true},
			{name: "nothing", whole: page(200, "application/json", ""), stream: page(200, "text/event-stream", ""), again: true},
			{name: "a proxy's 502", whole: page(502, "text/html", html), stream: page(502, "text/html", html), again: true},
			{name: "an address that has moved", whole: moved, stream: moved, code: state.Invalid, holds: []string{"https://elsewhere.example", "base URL"}},
			{name: "too large", whole: page(413, "text/html", html), stream: page(413, "text/html", html), code: state.Invalid, holds: []string{"413", "context_window"}},
			{name: "not there", whole: d.refusal(404), stream: d.refusal(404), code: state.Invalid, holds: []string{"404", "model's name", "base URL"}},
			{name: "forbidden", whole: d.refusal(403), stream: d.refusal(403), code: state.Denied, holds: []string{"403"}},
			{name: "no choice", whole: body(200, d.empty), again: true},
			{name: "an answer withheld", whole: body(200, d.withheld), stream: events(d.withheldEvents...), code: state.Invalid, holds: []string{"withheld", "otherwise"}},
			{name: "an answer that is full", whole: body(200, d.full), stream: events(d.fullEvents...), content: "Hel"},
		} {
			for streams, reply := range map[bool]handler{false: tc.whole, true: tc.stream} {
				if reply == nil {
					continue
				}
				t.Run(tc.name+map[bool]string{true: ", stream"}[streams], func(t *testing.T) {
					t.Parallel()
					content, replies := tc.content, []handler{reply}
					if tc.again {
						content, replies = "Hello", []handler{reply, reply, map[bool]handler{false: body(200, d.answer), true: events(d.events...)}[streams]}
					}
					s := serve(t, replies...)
					got, err := put(t.Context(), s.open(t, d.config(s, name)), streams, ask("?"))
					if state.CodeOf(err) != tc.code || err == nil && got.Content != content {
						t.Fatalf("got %v, %v, want code %q and %q", got, err, tc.code, content)
					}
					if err != nil {
						checkWords(t, err, append(tc.holds, name+":m")...)
					}
					if requests, _ := s.seen(); len(requests) != cmp.Or(tc.asked, len(replies)) {
						t.Errorf("asked %d times, want %d", len(requests), cmp.Or(tc.asked, len(replies)))
					}
				})
			}
		}
	})
}

// checkWords wants an error to say what is given, and nothing that was in an answer that is not the provider's, nor the key.
func checkWords(t *testing.T, err error, holds ...string) {
	t.Helper()
	text := err.Error()
	for _, want := range holds {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want it to hold %q", text, want)
		}
	}
	for _, not := range []string{"Welcome", "user:pass", "token=x", testKey} {
		if strings.Contains(text, not) {
			t.Errorf("got %q, want it not to hold %q", text, not)
		}
	}
}

// Hosts that are not there, certificates that nobody knows, keys that no header takes.
func TestOdditiesOfTheWay(t *testing.T) {
	each(t, func(t *testing.T, name string, d dialect) {
		t.Run("no such host", func(t *testing.T) {
			t.Parallel()
			s := serve(t, body(200, d.answer))
			m := s.open(t, func(c *provider.Config) {
				d.config(s, name)(c)
				c.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					return nil, &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}
				}}}
			})
			_, err := put(t.Context(), m, true, ask("?"))
			if !errors.Is(err, state.ErrUnavailable) {
				t.Fatalf("got %v, want an Unavailable", err)
			}
			checkWords(t, err, "no such host", "nowhere.example", "base URL", name+":m")
			if _, pauses := s.seen(); !slices.Equal(pauses, seconds(0.5, 1)) {
				t.Errorf("got pauses %v, want two", pauses)
			}
		})
		t.Run("an unknown certificate", func(t *testing.T) {
			t.Parallel()
			s := serve(t, body(200, d.answer))
			secure := httptest.NewUnstartedServer(http.HandlerFunc(s.answer))
			secure.Config.ErrorLog = log.New(io.Discard, "", 0)
			secure.StartTLS()
			t.Cleanup(secure.Close)
			m := s.open(t, func(c *provider.Config) {
				d.config(s, name)(c)
				c.BaseURL, c.HTTPClient = strings.Replace(c.BaseURL, s.URL, secure.URL, 1), nil
			})
			_, err := put(t.Context(), m, false, ask("?"))
			if !errors.Is(err, state.ErrInvalid) {
				t.Fatalf("got %v, want an Invalid", err)
			}
			checkWords(t, err, "certificate", "not trusted", "base URL", name+":m")
			if _, pauses := s.seen(); len(pauses) != 0 {
				t.Errorf("got pauses %v, want none", pauses)
			}
		})
		t.Run("a key with a line break", func(t *testing.T) {
			t.Parallel()
			s := serve(t, body(200, d.answer))
			for key, code := range map[string]state.Code{testKey + "\r\n": "", " " + testKey: "", testKey + "\nX-Other: 1": state.Invalid, "klíč": state.Invalid} {
				c := provider.Config{HTTPClient: s.Client()}
				d.config(s, name)(&c)
				c.APIKey = key
				m, err := provider.Open(t.Context(), c)
				if state.CodeOf(err) != code {
					t.Fatalf("key %q: got %v, want code %q", key, err, code)
				}
				if err != nil {
					checkWords(t, err, "API key", "line break")
					continue
				}
				if _, err := put(t.Context(), m, false, ask("?")); err != nil {
					t.Error(err)
				}
				if requests, _ := s.seen(); requests[len(requests)-1].Header.Get(d.key) != d.bearer+testKey {
					t.Errorf("sent the key %q", requests[len(requests)-1].Header.Get(d.key))
				}
			}
		})
		t.Run("spellings of the base URL", func(t *testing.T) {
			t.Parallel()
			ends := []string{"/v1", "/v1/", "/v1//"}
			switch name {
			case "claude":
				ends = append(ends, "", "/")
			case "gemini":
				ends = []string{"", "/", "/v1beta", "/v1beta/"}
			}
			for _, end := range ends {
				s := serve(t, body(200, d.answer))
				m := s.open(t, func(c *provider.Config) { d.config(s, name)(c); c.BaseURL = s.URL + end })
				_, err := put(t.Context(), m, false, ask("?"))
				requests, _ := s.seen()
				if err != nil || requests[0].Path != d.path {
					t.Errorf("%q: %v, asked %s, want %s", end, err, requests[0].Path, d.path)
				}
			}
		})
	})
}
