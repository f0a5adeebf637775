package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Who operates the service sees how it stands, what was asked of it, and whether its models answer; no word of what was said, and nothing of other clients.
func TestOperation(t *testing.T) {
	t.Parallel()
	st := ram.New()
	leaf, err := hashed.New(hashed.Config{})
	must(t, err)
	meaning, err := embed.New(embed.Config{Name: "hashed", Model: leaf})
	must(t, err)
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: offline.New(), Embedder: meaning})
	must(t, err)
	s := beginConfig(t, serve.Config{
		Graph: g, Store: st,
		Models: []serve.Model{
			{ModelAt: serve.ModelAt{Role: "chat", Name: "openai:x"}, Try: func(context.Context) error { return nil }},
			{ModelAt: serve.ModelAt{Role: "small", Name: "openai:y"}, Try: func(context.Context) error { return errors.New("401, the key is wrong") }},
		},
		Notes: []serve.Note{{Name: "recall", Text: "by words only", Choice: true}}, Version: "v9",
	})
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered brake pads.", "session_id": "s1"}, "X-Mneme-User", "ann")
	s.must(t, http.StatusNotFound, "GET", "/api/v1/records/none", nil)

	var asked listed[serve.Request]
	s.must(t, http.StatusOK, "GET", "/api/v1/requests", nil).into(t, &asked)
	if len(asked.Items) != 2 || asked.Items[0].Status != http.StatusNotFound || asked.Items[0].Route != "/api/v1/records/{record}" || asked.Items[1].User != "ann" || asked.Items[1].Key == "" {
		t.Errorf("%+v", asked.Items)
	}
	if s.must(t, http.StatusOK, "GET", "/api/v1/requests?status_from=400", nil).into(t, &asked); len(asked.Items) != 1 {
		t.Errorf("what went wrong: %+v", asked.Items)
	}

	var tried serve.Tested
	if s.must(t, http.StatusOK, "POST", "/api/v1/models/chat/test", nil).into(t, &tried); !tried.OK {
		t.Errorf("%+v", tried)
	}
	if s.must(t, http.StatusOK, "POST", "/api/v1/models/small/test", nil).into(t, &tried); tried.OK || tried.Error == "" {
		t.Errorf("%+v", tried)
	}
	s.must(t, http.StatusNotFound, "POST", "/api/v1/models/none/test", nil)

	var h serve.Health
	if s.must(t, http.StatusOK, "GET", "/api/v1/health", nil).into(t, &h); h.Status != "ok" || h.Version != "v9" || len(h.Notes) != 1 || h.Vectors == nil {
		t.Errorf("%+v", h)
	}
	s.must(t, http.StatusAccepted, "POST", "/api/v1/index/rebuild", nil)
	for h.Vectors.Rebuild == nil || h.Vectors.Rebuild.Ended.IsZero() {
		time.Sleep(time.Millisecond) // as a page asks again
		s.must(t, http.StatusOK, "GET", "/api/v1/health", nil).into(t, &h)
	}
	if h.Vectors.Rebuild.Error != "" || h.Vectors.Rebuild.Made == 0 {
		t.Errorf("%+v", h.Vectors.Rebuild)
	}

	// Another client has asked for nothing, and who only reads sees none of it.
	s.key = s.stranger(t)
	if s.must(t, http.StatusOK, "GET", "/api/v1/requests", nil).into(t, &asked); len(asked.Items) != 0 {
		t.Errorf("a stranger sees %+v", asked.Items)
	}
	_, reader, err := s.keys.Create(t.Context(), access.Key{Client: "acme", Roles: []access.Role{access.Read, access.Write}})
	must(t, err)
	s.key = reader
	for _, path := range []string{"/api/v1/requests", "/api/v1/models", "/api/v1/health"} {
		s.must(t, http.StatusForbidden, "GET", path, nil)
	}
}

// gone is a client that goes while it is answered.
type gone struct {
	http.ResponseWriter
	leave    context.CancelFunc
	statuses []int
}

func (g *gone) WriteHeader(status int) { g.statuses = append(g.statuses, status) }

func (g *gone) Write([]byte) (int, error) {
	g.leave()
	return 0, io.ErrClosedPipe
}

// Who goes while he is answered is noted, and has no second status sent.
func TestAClientThatGoes(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	w := &gone{httptest.NewRecorder(), leave, nil}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/records", nil)
	r.Header.Set("Authorization", "Bearer "+s.key)
	s.s.ServeHTTP(w, r)
	if len(w.statuses) != 1 || w.statuses[0] != http.StatusOK {
		t.Errorf("statuses %v", w.statuses)
	}
}
