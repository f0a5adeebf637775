package serve_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// batched is a service whose sessions are read in batches by a service that is none.
func batched(t *testing.T) (*service, *batchtest.Stub) {
	t.Helper()
	stub := batchtest.New(batchtest.Echo)
	server := httptest.NewServer(stub)
	t.Cleanup(server.Close)
	set := state.DefaultSettings()
	set.ExtractionModel, set.ExtractionProvider = "some-model", "openai"
	st := ram.New()
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: offline.New(), Settings: set})
	must(t, err)
	asks, err := batch.Open(batch.Config{Provider: "openai", APIKey: "sk-none", BaseURL: server.URL + "/v1"})
	must(t, err)
	x, err := extraction.New(extraction.Config{Memory: g.Memory(), Store: st, Service: asks})
	must(t, err)
	return beginConfig(t, serve.Config{Graph: g, Store: st, Batches: x}), stub
}

// An administrator has what waits read, and sees his client's jobs alone.
func TestBatches(t *testing.T) {
	t.Parallel()
	s, stub := batched(t)
	stub.Set(batchtest.Faults{Runs: true})
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I am a teacher at a grammar school in Olomouc.", "session_id": "s1"})
	s.must(t, http.StatusOK, "POST", "/api/v1/sessions/s1/end", nil)
	var stands extraction.Standing
	if s.must(t, http.StatusOK, "GET", "/api/v1/batches", nil).into(t, &stands); stands.Waiting != 1 || stands.Asked != 0 || len(stands.Jobs) != 0 {
		t.Fatalf("before: %+v", stands)
	}
	if s.must(t, http.StatusOK, "POST", "/api/v1/batches", nil).into(t, &stands); stands.Waiting != 1 || stands.Asked != 1 || len(stands.Jobs) != 1 {
		t.Fatalf("sent: %+v", stands)
	}
	var job jobs.Job
	at := "/api/v1/batches/" + stands.Jobs[0].ID
	if s.must(t, http.StatusOK, "GET", at, nil).into(t, &job); job.State != jobs.Submitted || job.Items != 1 || job.Client != "acme" {
		t.Errorf("under way: %+v", job)
	}
	s.must(t, http.StatusNotFound, "GET", "/api/v1/batches/nope", nil)
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/batches/a%2Fb", nil)

	// Of another client there is nothing, and without the role neither.
	owner := s.key
	s.key = s.stranger(t)
	s.must(t, http.StatusNotFound, "GET", at, nil)
	if s.must(t, http.StatusOK, "GET", "/api/v1/batches", nil).into(t, &stands); stands.Waiting != 0 || len(stands.Jobs) != 0 {
		t.Errorf("another client sees %+v", stands)
	}
	_, reader, err := s.keys.Create(t.Context(), access.Key{Client: "acme", Roles: []access.Role{access.Read, access.Write, access.Delegating}})
	must(t, err)
	s.key = reader
	for _, method := range []string{"GET", "POST"} {
		s.must(t, http.StatusForbidden, method, "/api/v1/batches", nil)
	}

	// The answer is taken by the next pass.
	s.key = owner
	stub.Set(batchtest.Faults{})
	if s.must(t, http.StatusOK, "POST", "/api/v1/batches", nil).into(t, &stands); stands.Waiting != 0 {
		t.Errorf("after: %+v", stands)
	}
	if s.must(t, http.StatusOK, "GET", at, nil).into(t, &job); job.State != jobs.Done || job.Counts.Learnt != 1 {
		t.Errorf("done: %+v", job)
	}
}

// Where sessions are read as they end there is nothing to send.
func TestNoBatches(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	s.must(t, http.StatusOK, "GET", "/api/v1/batches", nil)
	s.must(t, http.StatusUnprocessableEntity, "POST", "/api/v1/batches", nil)
}
