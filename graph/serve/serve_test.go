package serve_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

var update = flag.Bool("update", false, "write the OpenAPI document anew")

// The committed document is that of the types: a change of the API is seen in the diff.
func TestOpenAPIIsAsCommitted(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	raw, err := s.s.OpenAPI()
	must(t, err)
	var doc any
	must(t, json.Unmarshal(raw, &doc))
	got, _ := json.MarshalIndent(doc, "", " ")
	const name = "testdata/openapi.json"
	if *update {
		must(t, os.WriteFile(name, append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("the API has changed; look at it, then go test ./graph/serve -update (-committed +now):\n%.3000s", diff)
	}
	if served := s.must(t, http.StatusOK, "GET", "/openapi.json", nil); !json.Valid(served.body) || !strings.Contains(string(served.body), `"3.1`) {
		t.Errorf("served: %.200s", served.body)
	}
	s.must(t, http.StatusOK, "GET", "/docs", nil)
}

func TestATurn(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	var first serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered brake pads, order number 07-14244-53150.", "user_id": "ann"}).into(t, &first)
	if first.Session == "" || first.Turn == "" || first.Reply == "" || first.Decision.Type != "NEW_AFFAIR" || first.Active == nil {
		t.Fatalf("%+v", first)
	}
	var second serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "What is the order number?", "session_id": first.Session, "message_id": "q-1"}, "X-Mneme-User", "ann").into(t, &second)
	if !strings.Contains(second.Reply, "07-14244-53150") || second.Turn != "q-1" {
		t.Fatalf("%+v", second)
	}

	// The same message again is the same turn; another under its id is none.
	var again serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "What is the order number?", "session_id": first.Session, "user_id": "ann"}, "Idempotency-Key", "q-1").into(t, &again)
	if again.Reply != second.Reply || again.Turn != second.Turn {
		t.Errorf("again: %+v", again)
	}
	s.must(t, http.StatusConflict, "POST", "/api/v1/turns", object{"message": "Something else", "session_id": first.Session, "user_id": "ann", "message_id": "q-1"})

	// Another user of the client sees nothing of it.
	s.must(t, http.StatusNotFound, "GET", "/api/v1/sessions/"+first.Session, nil, "X-Mneme-User", "bob")
	s.must(t, http.StatusNotFound, "GET", "/api/v1/affairs/"+first.Active.ID, nil, "X-Mneme-User", "bob")
	s.must(t, http.StatusOK, "GET", "/api/v1/affairs/"+first.Active.ID, nil, "X-Mneme-User", "ann")
	var why struct{ Answer string }
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/"+first.Session+"/turns/q-1", nil, "X-Mneme-User", "ann").into(t, &why)
}

// events reads a stream.
func events(t *testing.T, body []byte) (out []object, ids []string) {
	t.Helper()
	in := bufio.NewScanner(strings.NewReader(string(body)))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if id, ok := strings.CutPrefix(in.Text(), "id: "); ok {
			ids = append(ids, id)
		}
		if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
			var e object
			must(t, json.Unmarshal([]byte(data), &e))
			out = append(out, e)
		}
	}
	return out, ids
}

// A stream that is taken up behind any of its events goes on with the next one, and ends once.
func TestAStreamIsTakenUpAnywhere(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	ask := object{"message": "I ordered brake pads, order number 07-14244-53150.", "session_id": "s1", "message_id": "m-1x"}
	whole := s.must(t, http.StatusOK, "POST", "/api/v1/turns", ask, "Accept", "text/event-stream")
	all, ids := events(t, whole.body)
	if len(all) < 5 || all[0]["event"] != "run.start" || all[len(all)-1]["event"] != "run.end" || !strings.HasPrefix(whole.header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%v", all)
	}
	for i, id := range ids {
		if want := fmt.Sprintf("m-1x:%d", i+1); id != want {
			t.Errorf("event %d has the id %s, want %s", i, id, want)
		}
		rest, _ := events(t, s.must(t, http.StatusOK, "POST", "/api/v1/turns", ask, "Accept", "text/event-stream", "Last-Event-ID", id).body)
		if diff := cmp.Diff(all[i+1:], rest, cmp.Transformer("", func(o []object) string { raw, _ := json.Marshal(o); return string(raw) })); diff != "" && len(rest)+len(all[i+1:]) > 0 {
			t.Errorf("behind %s (-want +got):\n%s", id, diff)
		}
		followed, _ := events(t, s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/turns/m-1x/events", nil, "Last-Event-ID", id).body)
		if len(followed) != len(rest) {
			t.Errorf("behind %s %d events are followed, want %d", id, len(followed), len(rest))
		}
	}
	if end := all[len(all)-1]["reply"].(object); end["reply"] == "" || end["session_id"] != "s1" {
		t.Errorf("%v", end)
	}
}

func TestWithoutAKeyNothing(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	s.key = "mneme_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for _, path := range []string{"/api/v1/affairs", "/api/v1/nothing", "/openapi.json", "/docs", "/metrics", "/"} {
		a := s.must(t, http.StatusUnauthorized, "GET", path, nil)
		var p serve.Problem
		a.into(t, &p)
		if p.Code != "denied" || a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("WWW-Authenticate") == "" || p.ID == "" {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		s.must(t, http.StatusOK, "GET", path, nil)
	}
}
