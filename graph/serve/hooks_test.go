package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Of two replicas one tells a webhook what a turn asks, whichever was told it; an address that fails stands in health.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	arrived := make(chan hooks.Message, 10)
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m hooks.Message
		if body, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(body, &m) != nil {
			t.Errorf("%s, %v", body, err)
		}
		w.WriteHeader(http.StatusTeapot)
		arrived <- m
	}))
	t.Cleanup(to.Close)
	const look = 50 * time.Millisecond // by one that was not nudged: the other one was
	st := ram.New()
	a, _ := operating(t, st, to.URL+"/in?token=hidden", look)
	b, _ := operating(t, st, to.URL+"/in?token=hidden", look)
	var said listed[serve.Question]
	a.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Note my seat.", "session_id": "s1"})
	b.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Note my seat.", "session_id": "s2"})
	asked := map[string]bool{}
	for range 2 {
		m := <-arrived
		asked[m.Data.Session+" "+m.Data.Question] = true
	}
	a.must(t, http.StatusOK, "GET", "/api/v1/questions", nil).into(t, &said)
	for _, q := range said.Items {
		if !asked[q.Session+" "+q.ID] {
			t.Errorf("%v are told, and not %s of %s", asked, q.ID, q.Session)
		}
	}

	// Each replica knows of it.
	for _, s := range []*service{a, b} {
		var h serve.Health
		for len(h.Notes) == 0 { // it is noted behind the answer
			s.must(t, http.StatusOK, "GET", "/api/v1/health", nil).into(t, &h)
		}
		if h.Status != "degraded" || h.Notes[0].Name != "webhooks" || !strings.Contains(h.Notes[0].Text, "418") || strings.Contains(h.Notes[0].Text, "hidden") {
			t.Errorf("%+v", h)
		}
	}
}

// operating is a replica that operates, on a store and a model that asks before it stores, until end is called. How long it is between two looks that nobody asks for
// is said; 0 = there are none.
func operating(t *testing.T, st store.Store, address string, look time.Duration) (s *service, end func()) {
	t.Helper()
	return operatingWith(t, graph.Config{
		Store: st, Approve: []string{"memory_store"},
		Model: scripted.New([]scripted.Step{scripted.Call("memory_store", `{"content":"The seat is 14C.","category":"fact"}`), scripted.Say("Noted.")}, nil),
	}, address, look)
}

// operatingWith is one of a graph.
func operatingWith(t *testing.T, c graph.Config, address string, look time.Duration) (s *service, end func()) {
	t.Helper()
	targets, err := hooks.Parse(address, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFRIdZi2vZYE=", false)
	must(t, err)
	g, err := graph.New(t.Context(), c)
	must(t, err)
	s = beginConfig(t, serve.Config{Graph: g, Store: c.Store, Hooks: targets, After: func(d time.Duration) <-chan time.Time {
		switch {
		case d < time.Minute/2: // a rest between two looks
			return time.After(0)
		case look > 0 && d < time.Minute: // and not between two sweeps: of a store in RAM there is one process
			return time.After(look)
		}
		return nil
	}})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { s.s.Operate(ctx); close(done) }()
	end = func() { cancel(); <-done }
	t.Cleanup(end)
	return s, end
}

// What a turn asks the program that talks for the user is no question to a person: nobody is told.
func TestWebhooksOfClientsTools(t *testing.T) {
	t.Parallel()
	arrived := make(chan string, 10)
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m hooks.Message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		arrived <- m.Data.Session
	}))
	t.Cleanup(to.Close)
	s, _ := operatingWith(t, graph.Config{Store: ram.New(), Model: &told{failed: map[string]bool{}}, Approve: []string{"memory_recall"}}, to.URL, 0)
	s.chat(t, http.StatusOK, object{"messages": []object{says("user", "WEATHER Oslo")}, "tools": weather}, "X-Mneme-Session", "program")
	for _, session := range []string{"first", "second"} {
		s.chat(t, http.StatusOK, object{"messages": []object{says("user", "RECALL seat")}}, "X-Mneme-Session", session)
		if got := <-arrived; got != session {
			t.Errorf("%s is told, want %s", got, session)
		}
	}
}

// What a write leaves to be approved of is told at once, however long ago the last look was.
func TestWebhooksOfWrites(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} }))
	t.Cleanup(to.Close)
	settings := state.DefaultSettings()
	settings.Autonomy = 1
	s, _ := operatingWith(t, graph.Config{Store: ram.New(), Settings: settings, Model: offline.New()}, to.URL, 0)
	for _, content := range []string{"The car is parked at level 3.", "My dentist is Dr. Lowe.", "I drink tea without milk."} {
		s.must(t, http.StatusForbidden, "POST", "/api/v1/records", object{"content": content})
		select {
		case <-arrived:
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody is told of %q", content)
		}
	}
}

// A replica that ends in order leaves its lease: the next one tells at once.
func TestWebhooksGoOn(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} }))
	t.Cleanup(to.Close)
	st := ram.New()
	a, end := operating(t, st, to.URL, 0)
	a.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Note my seat.", "session_id": "s1"})
	<-arrived
	end()
	b, _ := operating(t, st, to.URL, 0)
	b.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Note my seat.", "session_id": "s2"})
	<-arrived
}
