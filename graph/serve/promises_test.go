package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state"
)

// A message that is sent a hundred times side by side is one turn, and each sender gets its one answer. With another text it is none of them, and another
// client's message of that id is his own.
func TestAMessageSentAgainIsOneTurn(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	body := object{"message": "I ordered brake pads, order number 07-14244-53150.", "session_id": "s1"}
	replies := make([]serve.TurnReply, 100)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			for {
				a := s.ask(t, "POST", "/api/v1/turns", body, "Idempotency-Key", "once")
				if a.status == http.StatusTooManyRequests || a.status == http.StatusConflict {
					continue
				}
				if err := json.Unmarshal(a.body, &replies[i]); err != nil || a.status != http.StatusOK {
					t.Errorf("%d %s", a.status, a.body)
				}
				return
			}
		})
	}
	all.Wait()
	for _, r := range replies {
		if r.Turn != replies[0].Turn || r.Reply != replies[0].Reply {
			t.Fatalf("%+v and %+v", r, replies[0])
		}
	}
	var said listed[state.Message]
	if s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages", nil).into(t, &said); len(said.Items) != 2 {
		t.Errorf("%d messages", len(said.Items))
	}
	s.must(t, http.StatusConflict, "POST", "/api/v1/turns", object{"message": "Something else.", "session_id": "s1"}, "Idempotency-Key", "once")

	var other serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Hello.", "session_id": "s1"}, "Idempotency-Key", "once", "X-Mneme-User", "bob").into(t, &other)
	if other.Reply == replies[0].Reply {
		t.Error("another user's message of the same id has the first one's answer")
	}
}

// At autonomy 0 nothing that is asked for or said over HTTP is remembered. That a conversation has affairs is no memory of it.
func TestAutonomyHoldsAtEachDoor(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	s.must(t, http.StatusOK, "PUT", "/api/v1/settings/client", object{"set": object{"autonomy": "0"}})
	for path, body := range map[string]object{
		"/api/v1/records":          {"subject": "Tea", "content": "The user drinks oolong tea."},
		"/api/v1/affairs":          {"title": "Car"},
		"/api/v1/ingest":           {"content": "The insurance sum is 4711 euro.", "sourceUrn": "doc:a"},
		"/api/v1/ingest-immediate": {"content": "The insurance sum is 4711 euro.", "sourceUrn": "doc:b", "priority": 1},
	} {
		if a := s.ask(t, "POST", path, body); a.status < http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for i, said := range []string{"Remember that I drink oolong tea.", "I ordered brake pads, order number 07-14244-53150.", "My name is Ann and I live in York."} {
		s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": said, "session_id": fmt.Sprint("s", i)})
	}
	for _, path := range []string{"/api/v1/records", "/api/v1/suggestions"} {
		var list listed[any]
		if s.must(t, http.StatusOK, "GET", path, nil).into(t, &list); len(list.Items) != 0 {
			t.Errorf("%s has %v", path, list.Items)
		}
	}
}

// FuzzIDs sends what may stand in an address, in Last-Event-ID and as a cursor: it is answered, and never with a server error.
func FuzzIDs(f *testing.F) {
	for _, s := range []string{"", "once:3", "once:-1", "a:99999999999999999999", "\x00:1", strings.Repeat("9", 4096), "eyJhIjoxfQ", "../..", "s1/2", "%2e%2e"} {
		f.Add(s)
	}
	s := begin(f, graph.Config{}, serve.Limits{Rate: 1e6})
	f.Fuzz(func(t *testing.T, id string) {
		for _, path := range []string{"/api/v1/records?cursor=%s", "/api/v1/sessions?cursor=%s", "/api/v1/records/%s", "/api/v1/sessions/%s/messages", "/api/v1/sessions/s1/turns/%s/events"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf(path, url.PathEscape(id)), nil)
			if err != nil {
				continue // no client can send that
			}
			r.Header.Set("Authorization", "Bearer "+s.key)
			r.Header.Set("Last-Event-ID", id)
			out := httptest.NewRecorder()
			if s.s.ServeHTTP(out, r); out.Code >= http.StatusInternalServerError {
				t.Errorf("%s with %q: %d", r.URL, id, out.Code)
			}
		}
	})
}
