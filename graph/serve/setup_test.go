package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// service is a server at work, and the key of an administrator of client "acme".
type service struct {
	*httptest.Server
	keys *access.Keys
	key  string
	s    *serve.Server
}

// begin serves a graph with the offline model, unless the config says otherwise.
func begin(t testing.TB, c graph.Config, limits serve.Limits) *service {
	t.Helper()
	if c.Store == nil {
		c.Store = ram.New()
	}
	if c.Model == nil {
		c.Model = offline.New()
	}
	g, err := graph.New(t.Context(), c)
	must(t, err)
	return beginWith(t, g, c.Store, limits)
}

func beginWith(t testing.TB, g *graph.Graph, s store.Store, limits serve.Limits) *service {
	t.Helper()
	return beginGate(t, g, s, limits, nil)
}

func beginGate(t testing.TB, g *graph.Graph, s store.Store, limits serve.Limits, gate *serve.Gate) *service {
	t.Helper()
	return beginConfig(t, serve.Config{Graph: g, Store: s, Limits: limits, Gate: gate})
}

// beginConfig serves what a config says, with keys of its store.
func beginConfig(t testing.TB, c serve.Config) *service {
	t.Helper()
	c.Keys = access.New(access.Config{Store: c.Store, Now: c.Now})
	srv, err := serve.New(c)
	must(t, err)
	_, secret, err := c.Keys.Create(t.Context(), access.Key{Client: "acme", Roles: access.Roles()})
	must(t, err)
	out := &service{httptest.NewServer(srv), c.Keys, secret, srv}
	t.Cleanup(func() {
		if err := srv.Drain(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		out.Close()
		if err := c.Graph.Close(); err != nil {
			t.Error(err)
		}
	})
	return out
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// into reads the body.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// ask sends a request with the key, a body unless it is nil, and headers.
func (s *service) ask(t *testing.T, method, path string, body any, headers ...string) answer {
	t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = bytes.NewReader([]byte(b))
	default:
		raw, err := json.Marshal(b)
		must(t, err)
		in = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, in)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+s.key)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(r)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	return answer{resp.StatusCode, resp.Header, raw}
}

// must asks and wants a status.
func (s *service) must(t *testing.T, status int, method, path string, body any, headers ...string) answer {
	t.Helper()
	a := s.ask(t, method, path, body, headers...)
	if a.status != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, a.status, status, a.body)
	}
	return a
}

type object = map[string]any

var must = statetest.Must
