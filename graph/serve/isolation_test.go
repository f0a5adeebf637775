package serve_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

// canary stands in everything that client acme says. No answer to another client may have it.
const canary = "Quetzalcoatlus"

// asked is what a stranger asks.
type asked struct {
	method, path string
	body         any
}

// probes are all operations of the API with ids of another client, in the path, in the query and in the body.
func probes(t *testing.T, doc []byte, ids map[string][]string) (out []asked) {
	t.Helper()
	var api struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	must(t, json.Unmarshal(doc, &api))
	bodies := func(id string) []any {
		return []any{
			object{"message": "What do you know about " + canary[:4] + "?", "session_id": id}, object{"title": "x"}, object{"content": "x"}, object{"text": "what is remembered?"}, object{"into": id},
			object{"session_id": id}, object{"session_id": id, "turn_id": id}, object{"answers": object{id: object{"choice": "approve"}}}, object{"choice": "approve"}, object{"to": "mine"},
			object{"set": object{"autonomy": "1"}}, object{"record_id": id}, object{"affair_id": id}, object{"topic": "Quetz"}, object{"content": "x", "sourceUrn": "doc:acme"}, object{"status": "ACTIVE"},
		}
	}
	fixed := map[string]string{
		"level": "user", "change": "1", "query": "Quetz", "q": "Quetz", "from": "0", "to": "2", "step": "1", "sourceUrn": "doc:acme", "source_urn": "doc:acme", "history": "true", "answered": "true",
	}
	all := slices.Concat(ids["session"], ids["turn"], ids["affair"], ids["record"], ids["key"], []string{"ann", "doc:acme", "acme"})
	for path, item := range api.Paths {
		for method, op := range item {
			for _, id := range all {
				at, query := path, url.Values{}
				for _, p := range op.Parameters {
					switch value := cmp.Or(fixed[p.Name], id); {
					case p.In == "path":
						at = strings.ReplaceAll(at, "{"+p.Name+"}", value)
					case p.In == "query" && (fixed[p.Name] != "" || strings.HasSuffix(p.Name, "_id") && p.Name != "user_id" && p.Name != "client_id"):
						query.Set(p.Name, value)
					}
				}
				if method == "get" || method == "delete" {
					out = append(out, asked{strings.ToUpper(method), at, nil}, asked{strings.ToUpper(method), at + "?" + query.Encode(), nil})
					continue
				}
				for _, b := range bodies(id) {
					out = append(out, asked{strings.ToUpper(method), at, b})
				}
			}
		}
	}
	return out
}

// Nobody of another client reads a word of what is kept, whatever ids he knows: nor does another user's key of the same client.
func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{Rate: 1e6})
	ids := map[string][]string{}
	for i := range 3 {
		var r serve.TurnReply
		s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": fmt.Sprintf("I ordered the %s skeleton, order number 07-1424%d-53150.", canary, i), "user_id": "ann", "session_id": fmt.Sprint("ann-", i)}).into(t, &r)
		ids["session"], ids["turn"], ids["affair"] = append(ids["session"], r.Session), append(ids["turn"], r.Turn), append(ids["affair"], r.Active.ID)
	}
	var receipt state.Receipt
	s.must(t, http.StatusCreated, "POST", "/api/v1/records", object{"content": "My favourite animal is the " + canary}, "X-Mneme-User", "ann").into(t, &receipt)
	s.must(t, http.StatusOK, "POST", "/api/v1/ingest", object{"content": "The " + canary + " flew.", "sourceUrn": "doc:acme"}, "X-Mneme-User", "ann")
	var keys listed[access.Key]
	s.must(t, http.StatusOK, "GET", "/api/v1/access-keys", nil).into(t, &keys)
	ids["record"], ids["key"] = []string{receipt.ID}, []string{keys.Items[0].ID}
	doc, err := s.s.OpenAPI()
	must(t, err)

	owner := s.key
	strangers := map[string]string{}
	for name, key := range map[string]access.Key{
		"another client": {Client: "other", Roles: access.Roles()}, "another user": {Client: "acme", User: "bob", Roles: []access.Role{access.Read, access.Write}},
	} {
		if _, strangers[name], err = s.keys.Create(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	n, least := 0, 500
	all := probes(t, doc, ids)
	if os.Getenv("MNEME_LONG") != "" {
		least = 20000
	}
	for round := 0; n < least; round++ {
		for name, key := range strangers {
			s.key = key
			for i, p := range all {
				if least == 500 && i%7 != round%7 {
					continue
				}
				a := s.ask(t, p.method, p.path, p.body)
				n++
				if strings.Contains(string(a.body), canary) && !strings.Contains(fmt.Sprint(p.body), canary) {
					t.Errorf("%s: %s %s %v: %d %.400s", name, p.method, p.path, p.body, a.status, a.body)
				}
				if a.status >= http.StatusInternalServerError {
					t.Errorf("%s: %s %s %v: %d %.400s", name, p.method, p.path, p.body, a.status, a.body)
				}
			}
		}
	}

	// All of it is still there.
	s.key = owner
	var r listed[object]
	s.must(t, http.StatusOK, "POST", "/api/v1/recall", object{"text": canary, "limit": 50}, "X-Mneme-User", "ann").into(t, &r)
	if len(r.Items) < 5 {
		t.Errorf("what is left of it: %v", r.Items)
	}
	t.Logf("%d probes", n)
}
