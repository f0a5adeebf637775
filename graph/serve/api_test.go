package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

type listed[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor"`
}

func TestAffairs(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	made := s.must(t, http.StatusCreated, "POST", "/api/v1/affairs", object{"title": "Car", "key_facts": object{"plate": "1A2 3456"}, "topics": []string{"brakes"}})
	var a struct {
		ID, Title, Status string
		Facts             map[string]string `json:"key_facts"`
	}
	made.into(t, &a)
	if a.Status != "PARKED" || a.Facts["plate"] != "1A2 3456" || made.header.Get("Etag") == "" {
		t.Fatalf("%s", made.body)
	}
	s.must(t, http.StatusConflict, "POST", "/api/v1/affairs", object{"title": "Car"})
	s.must(t, http.StatusUnprocessableEntity, "POST", "/api/v1/affairs", object{"topics": []string{"x"}})

	// Who edits what has changed since he saw it is told so.
	edited := s.must(t, http.StatusOK, "PUT", "/api/v1/affairs/"+a.ID, object{"pending_actions": []string{"call the garage"}}, "If-Match", made.header.Get("Etag"))
	s.must(t, http.StatusPreconditionFailed, "PUT", "/api/v1/affairs/"+a.ID, object{"title": "Old car"}, "If-Match", made.header.Get("Etag"))
	s.must(t, http.StatusOK, "PUT", "/api/v1/affairs/"+a.ID, object{"title": "Old car"}, "If-Match", edited.header.Get("Etag"))

	// It becomes active in a session, and an active one that is archived is parked first.
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Hello.", "session_id": "s1"})
	s.must(t, http.StatusOK, "PUT", "/api/v1/affairs/"+a.ID, object{"status": "ACTIVE", "session_id": "s1"})
	var active listed[struct{ ID string }]
	if s.must(t, http.StatusOK, "GET", "/api/v1/affairs?status=ACTIVE", nil).into(t, &active); len(active.Items) != 1 || active.Items[0].ID != a.ID {
		t.Errorf("active: %+v", active)
	}
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs/"+a.ID, nil).into(t, &a)
	if a.Status != "ACTIVE" {
		t.Errorf("in the list it is active, by itself %s", a.Status)
	}
	s.must(t, http.StatusOK, "DELETE", "/api/v1/affairs/"+a.ID, nil)
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/affairs?status=GONE", nil)
	s.must(t, http.StatusForbidden, "GET", "/api/v1/affairs?client_id=other", nil)
	if got := s.must(t, http.StatusOK, "GET", "/api/v1/affairs?status=ARCHIVED", nil); !strings.Contains(string(got.body), a.ID) {
		t.Errorf("not archived: %s", got.body)
	}
}

func TestRecordsAndRecall(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	var receipt state.Receipt
	s.must(t, http.StatusCreated, "POST", "/api/v1/records", object{"kind": "preference", "content": "I drink tea without milk", "pinned": true}).into(t, &receipt)
	got := s.must(t, http.StatusOK, "GET", "/api/v1/records/"+receipt.ID, nil)
	var edited state.Record
	s.must(t, http.StatusOK, "PATCH", "/api/v1/records/"+receipt.ID, object{"content": "I drink coffee without milk"}, "If-Match", got.header.Get("Etag")).into(t, &edited)
	if edited.Content != "I drink coffee without milk" || edited.ID == receipt.ID {
		t.Errorf("%+v", edited)
	}
	var hits listed[struct {
		Text string
		Why  struct{ Share float64 }
	}]
	s.must(t, http.StatusOK, "POST", "/api/v1/recall", object{"text": "what do I drink without milk?"}).into(t, &hits)
	if len(hits.Items) != 1 || hits.Items[0].Text != "I drink coffee without milk" || hits.Items[0].Why.Share == 0 {
		t.Errorf("%+v", hits)
	}
	var gone struct{ Left int }
	s.must(t, http.StatusOK, "DELETE", "/api/v1/records/"+edited.ID+"?include_pinned=true", nil).into(t, &gone)
	s.must(t, http.StatusNotFound, "GET", "/api/v1/records/"+edited.ID, nil)
	if gone.Left != 0 {
		t.Errorf("left: %+v", gone)
	}
}

// Pages are stable while the list grows: each item is seen once.
func TestPages(t *testing.T) {
	t.Parallel()
	var ticks atomic.Int64 // the list is in the order of time, and two of a moment are in none
	s := begin(t, graph.Config{Now: func() time.Time { return time.Date(2026, 11, 27, 9, 0, int(ticks.Add(1)), 0, time.UTC) }}, serve.Limits{})
	for i := range 7 {
		s.must(t, http.StatusCreated, "POST", "/api/v1/records", object{"subject": fmt.Sprint("thing ", i), "content": fmt.Sprintf("Locker %d holds the spare part %d%d", i, i, i)})
	}
	seen, cursor := map[string]int{}, ""
	for n := 0; ; n++ {
		var p listed[struct{ ID string }]
		s.must(t, http.StatusOK, "GET", "/api/v1/records?limit=3&cursor="+cursor, nil).into(t, &p)
		for _, r := range p.Items {
			seen[r.ID]++
		}
		if n == 0 {
			s.must(t, http.StatusCreated, "POST", "/api/v1/records", object{"content": "Something that came between the pages"})
		}
		if cursor = p.Next; cursor == "" {
			break
		}
	}
	if len(seen) != 7 {
		t.Errorf("%v", seen)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was seen %d times", id, n)
		}
	}
}

func TestIngest(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	long := strings.Repeat("The contract with the carrier says that parcels are insured. ", 40) + "The insurance sum is 4711 euro."
	var got serve.Ingested
	s.must(t, http.StatusOK, "POST", "/api/v1/ingest-immediate", object{"content": long, "sourceUrn": "doc:contract", "clientId": "acme", "metadata": object{"title": "Contract"}, "priority": 1}).into(t, &got)
	if got.Status != "indexed" || got.Chunks != 3 || len(got.IDs) != 3 {
		t.Fatalf("%+v", got)
	}
	s.must(t, http.StatusForbidden, "POST", "/api/v1/ingest-immediate", object{"content": "x", "sourceUrn": "doc:x", "clientId": "other"})

	// The same source again replaces it.
	s.must(t, http.StatusOK, "POST", "/api/v1/ingest-immediate", object{"content": "The insurance sum is 9999 euro.", "sourceUrn": "doc:contract"}).into(t, &got)
	var list listed[state.Record]
	s.must(t, http.StatusOK, "GET", "/api/v1/records?source_urn=doc:contract", nil).into(t, &list)
	if len(list.Items) != 1 || !strings.Contains(list.Items[0].Content, "9999") || list.Items[0].Trust != state.TrustDocument {
		t.Errorf("%+v", list)
	}

	// As a document of an affair it opens one; and it goes by its source.
	s.must(t, http.StatusOK, "POST", "/api/v1/ingest", object{"content": "Garage: brakes are done.", "sourceUrn": "affair:garage", "kind": "affair", "metadata": object{"title": "Garage", "topics": "brakes, car"}}).into(t, &got)
	if found := s.must(t, http.StatusOK, "GET", "/api/v1/affairs/"+got.Affair+"/search?query=brakes", nil); !strings.Contains(string(found.body), "brakes are done") {
		t.Errorf("%s", found.body)
	}
	var dossier struct{ Records []state.Record }
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs/"+got.Affair+"/dossier", nil).into(t, &dossier)
	if len(dossier.Records) != 1 || dossier.Records[0].Trust != state.TrustDocument || dossier.Records[0].Source.Author != "affair:garage" || dossier.Records[0].ID != got.IDs[0] {
		t.Errorf("the dossier has no such document: %+v", dossier)
	}
	s.must(t, http.StatusOK, "DELETE", "/api/v1/ingest?sourceUrn=doc:contract", nil)
	s.must(t, http.StatusNotFound, "DELETE", "/api/v1/ingest?sourceUrn=doc:contract", nil)
}

func TestClearingAndGraph(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Remember that I drink oolong tea.", "session_id": "s1"})
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered brake pads, order number 07-14244-53150.", "session_id": "s1"})
	var drawn serve.MemoryGraph
	s.must(t, http.StatusOK, "GET", "/api/v1/memory/graph?limit=200", nil).into(t, &drawn)
	types := map[string]int{}
	for _, n := range drawn.Nodes {
		types[n.Type]++
	}
	if types["user"] != 1 || types["session"] != 1 || types["affair"] != 1 || types["preference"]+types["fact"] == 0 || len(drawn.Edges) == 0 {
		t.Errorf("%+v", drawn)
	}

	var gone struct {
		Counts map[string]int
		Left   int
	}
	s.must(t, http.StatusOK, "DELETE", "/api/v1/memory/session/s1?dry_run=true", nil)
	s.must(t, http.StatusOK, "DELETE", "/api/v1/memory/session/s1", nil).into(t, &gone)
	if gone.Left != 0 || len(gone.Counts) == 0 {
		t.Errorf("%+v", gone)
	}
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Remember that I like long walks.", "session_id": "s2"})
	s.must(t, http.StatusOK, "DELETE", "/api/v1/memory/global", nil).into(t, &gone)
	if gone.Left != 0 {
		t.Errorf("%+v", gone)
	}
}

// A key opens what its roles say, and its user's memory alone.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	admin := s.key
	var ann serve.MadeKey
	s.must(t, http.StatusCreated, "POST", "/api/v1/access-keys", object{"user_id": "ann", "roles": []string{"read"}}).into(t, &ann)
	s.key = ann.Secret
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs", nil)
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs", nil, "X-Mneme-User", "ann")
	s.must(t, http.StatusForbidden, "GET", "/api/v1/affairs", nil, "X-Mneme-User", "bob")
	s.must(t, http.StatusForbidden, "POST", "/api/v1/turns", object{"message": "Hello"})
	s.must(t, http.StatusForbidden, "GET", "/api/v1/access-keys", nil)
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/affairs?user_id=bob", nil, "X-Mneme-User", "ann")
	s.key = admin
	s.must(t, http.StatusOK, "DELETE", "/api/v1/access-keys/"+ann.ID, nil)
	if _, err := access.New(access.Config{Store: nil}).Check(t.Context(), "short"); err == nil {
		t.Error("a short secret is a key")
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	s.must(t, http.StatusOK, "PUT", "/api/v1/settings/user", object{"set": object{"autonomy": "1"}, "why": "careful"}, "X-Mneme-User", "ann")
	var set map[string]serve.Setting
	s.must(t, http.StatusOK, "GET", "/api/v1/settings", nil, "X-Mneme-User", "ann").into(t, &set)
	if a := set["autonomy"]; a.Value != "1" || a.Origin != "user" || a.Usual != "2" || a.Says == "" {
		t.Errorf("%+v", set["autonomy"])
	}
	s.must(t, http.StatusUnprocessableEntity, "PUT", "/api/v1/settings/user", object{"set": object{"autonomy": "9"}})
	var h listed[struct{ By, Why string }]
	s.must(t, http.StatusOK, "GET", "/api/v1/settings/user/history", nil, "X-Mneme-User", "ann").into(t, &h)
	if len(h.Items) != 1 || h.Items[0].Why != "careful" {
		t.Errorf("%+v", h)
	}

	// What waits for the user at this level is answered here.
	var r serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Remember that I drink tea.", "session_id": "s1"}, "X-Mneme-User", "ann").into(t, &r)
	var waits listed[state.Suggestion]
	s.must(t, http.StatusOK, "GET", "/api/v1/suggestions?answered=true", nil, "X-Mneme-User", "ann").into(t, &waits)
	var kept listed[state.Record]
	s.must(t, http.StatusOK, "GET", "/api/v1/records", nil, "X-Mneme-User", "ann").into(t, &kept)
	if len(r.Waits)+len(waits.Items) == 0 && len(kept.Items) == 0 {
		t.Errorf("what was ordered is neither kept nor asked about: %+v", r)
	}
}

// Bad requests are refused with a problem that does not say back what was sent.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{Body: 10 << 10})
	for name, of := range map[string]struct {
		method, path string
		body         any
		status       int
	}{
		"no JSON":         {"POST", "/api/v1/turns", "{", http.StatusBadRequest},
		"no message":      {"POST", "/api/v1/turns", object{}, http.StatusUnprocessableEntity},
		"unknown field":   {"POST", "/api/v1/turns", object{"message": "x", "pasword": "hunter2"}, http.StatusUnprocessableEntity},
		"wrong type":      {"POST", "/api/v1/turns", object{"message": object{"hunter2": 1}}, http.StatusUnprocessableEntity},
		"too large":       {"POST", "/api/v1/turns", object{"message": strings.Repeat("x", 20<<10)}, http.StatusRequestEntityTooLarge},
		"nested":          {"POST", "/api/v1/turns", strings.Repeat("[", 5000), http.StatusBadRequest},
		"slash in the id": {"POST", "/api/v1/turns", object{"message": "x", "session_id": "a/b"}, http.StatusUnprocessableEntity},
		"path tricks":     {"GET", "/api/v1/sessions/..%2f..%2fadmin", nil, http.StatusUnprocessableEntity},
		"no such thing":   {"GET", "/api/v1/nothing", nil, http.StatusNotFound},
		"wrong method":    {"DELETE", "/api/v1/turns", nil, http.StatusMethodNotAllowed},
		"forget what":     {"POST", "/api/v1/memory/forget", object{}, http.StatusUnprocessableEntity},
		"no session":      {"POST", "/api/v1/sessions/nope/clear", nil, http.StatusNotFound},
		"no session here": {"DELETE", "/api/v1/memory/session/nope", nil, http.StatusNotFound},
		"an ended key":    {"POST", "/api/v1/access-keys", object{"roles": []string{"read"}, "expires_at": "2001-01-01T00:00:00Z"}, http.StatusUnprocessableEntity},
		"kind":            {"GET", "/api/v1/records?kind=fact,hunter2", nil, http.StatusUnprocessableEntity},
		"blank title":     {"POST", "/api/v1/affairs", object{"title": "  "}, http.StatusUnprocessableEntity},
		"no turn":         {"POST", "/api/v1/sessions/s1/turns/nope/undo", nil, http.StatusNotFound},
		"limit":           {"GET", "/api/v1/records?limit=0", nil, http.StatusUnprocessableEntity},
		"unknown name":    {"GET", "/api/v1/records?limti=hunter2", nil, http.StatusUnprocessableEntity},
		"no names at all": {"GET", "/api/v1/access-keys?limit=5", nil, http.StatusUnprocessableEntity},
	} {
		a := s.ask(t, of.method, of.path, of.body)
		var p serve.Problem
		if a.status != of.status || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s: %.300s", name, a.status, a.header.Get("Content-Type"), a.body)
			continue
		}
		if a.into(t, &p); p.Code == "" || p.Status != of.status || strings.Contains(string(a.body), "hunter2") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}

// Who misspells a name in the query is told which there are.
func TestUnknownNamesInTheQuery(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	for path, want := range map[string][]string{
		"/api/v1/sessions?limti=5":     {"query.limti", "there are user_id, limit, cursor"},
		"/api/v1/access-keys?cursor=x": {"query.cursor", "there is none here"},
	} {
		var p serve.Problem
		s.must(t, http.StatusUnprocessableEntity, "GET", path, nil).into(t, &p)
		if len(p.Errors) != 1 || p.Errors[0].Where != want[0] || !strings.Contains(p.Errors[0].Message, want[1]) {
			t.Errorf("%s: %+v", path, p)
		}
	}
	s.must(t, http.StatusUnprocessableEntity, "POST", "/api/v1/turns?session=s1", object{"message": "Hello."})
}
