package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/tools/mcp"
)

// keyed sends an access key and headers with each request.
type keyed struct {
	key     string
	headers map[string]string
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	for name, value := range k.headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// meet connects a client of the protocol to the service.
func (s *service) meet(t *testing.T, key string, headers map[string]string) (*sdk.ClientSession, error) {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: keyed{key, headers}}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// tool calls a tool and returns its text and structured content.
func tool(ctx context.Context, c *sdk.ClientSession, name string, args object) (string, mcp.Result, error) {
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", mcp.Result{}, err
	}
	var out mcp.Result
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return r.Content[0].(*sdk.TextContent).Text, out, err
}

func TestMCP(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	ann, err := s.meet(t, s.key, map[string]string{"X-Mneme-User": "ann", "X-Mneme-Time-Zone": "Asia/Tokyo", "Accept-Language": "cs-CZ,cs;q=0.9"})
	must(t, err)
	said, _, err := tool(t.Context(), ann, "memory_store", object{"subject": "parcel", "content": "The parcel arrives on Friday.", "category": "fact"})
	if err != nil || !strings.HasPrefix(said, "stored fact") {
		t.Fatalf("%s, %v", said, err)
	}
	today, err := ann.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: mcp.TodayURI})
	if err != nil || !strings.Contains(today.Contents[0].Text, "JST") {
		t.Errorf("today: %v, %v", today, err)
	}
	p, err := ann.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: mcp.WhatWaits})
	if err != nil || !strings.Contains(p.Messages[0].Content.(*sdk.TextContent).Text, "Co na mě čeká?") {
		t.Errorf("what waits: %v, %v", p, err)
	}

	// What a turn of the service says is found, and explained.
	var r serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered brake pads, order number 07-14244-53150.", "user_id": "ann", "session_id": "monday"}).into(t, &r)
	for name, args := range map[string]object{"memory_recall": {"query": "order number of the brake pads"}, "explain_turn": {"turn_id": r.Turn}, "recall_affair": {"affair_id": r.Active.ID}} {
		if said, _, err := tool(t.Context(), ann, name, args); err != nil || !strings.Contains(said, "07-14244-53150") {
			t.Errorf("%s: %s, %v", name, said, err)
		}
	}

	// The next connection of another program finds it, a key without the role writes nothing, and one without any sees nothing.
	_, reader, err := s.keys.Create(t.Context(), access.Key{Client: "acme", User: "ann", Roles: []access.Role{access.Read}})
	must(t, err)
	again, err := s.meet(t, reader, nil)
	must(t, err)
	if said, _, err := tool(t.Context(), again, "memory_recall", object{"query": "parcel"}); err != nil || !strings.Contains(said, "Friday") {
		t.Errorf("%s, %v", said, err)
	}
	for _, name := range []string{"memory_store", "memory_update", "forget"} {
		if said, _, err := tool(t.Context(), again, name, object{}); err == nil {
			t.Errorf("a key that only reads calls %s: %s", name, said)
		}
	}
	if c, err := s.meet(t, "mneme_0000000000000000000000000000000000000000000", nil); err == nil {
		t.Errorf("an unknown key gets in: %v", c.InitializeResult())
	}
}

// What bounds requests holds here too, and no address of the page is taken for it.
func TestMCPIsGuarded(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{Body: 4096})
	_, ann, err := s.keys.Create(t.Context(), access.Key{Client: "acme", User: "ann", Roles: []access.Role{access.Read, access.Write}})
	must(t, err)
	both := "application/json, text/event-stream"
	list := object{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": object{}}
	for _, tt := range []struct {
		name    string
		key     string
		method  string
		path    string
		body    any
		headers []string
		status  int
	}{
		{"as it is", ann, "POST", "/mcp", list, nil, 200},
		{"a session of somebody", ann, "POST", "/mcp", list, []string{"Mcp-Session-Id", "abc"}, 200},
		{"another user", ann, "POST", "/mcp", list, []string{"X-Mneme-User", "bob"}, 403},
		{"another user in the address", ann, "POST", "/mcp?user_id=bob", list, nil, 403},
		{"another client in the address", ann, "POST", "/mcp?client_id=other", list, nil, 422},
		{"a user that is none", s.key, "POST", "/mcp", list, []string{"X-Mneme-User", "a/b"}, 422},
		{"a zone that is none", ann, "POST", "/mcp", list, []string{"X-Mneme-Time-Zone", "Mars"}, 422},
		{"two sessions", ann, "POST", "/mcp?session_id=a", list, []string{"X-Mneme-Session", "b"}, 422},
		{"several calls", ann, "POST", "/mcp", "  [" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 3) + `{}]`, nil, 422},
		{"a long body", ann, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5000) + `"}`, nil, 413},
		{"no key", "", "POST", "/mcp", list, nil, 401},
		{"a browser without a key", "", "GET", "/mcp", nil, []string{"Accept", "text/html"}, 401},
		{"a stream", ann, "GET", "/mcp", nil, []string{"Accept", "text/event-stream"}, 405},
		{"an end of a session", ann, "DELETE", "/mcp", nil, []string{"Mcp-Session-Id", "abc"}, 405},
	} {
		s.key = tt.key
		headers := tt.headers
		if tt.method == "POST" {
			headers = append([]string{"Accept", both}, headers...)
		}
		if a := s.ask(t, tt.method, tt.path, tt.body, headers...); a.status != tt.status {
			t.Errorf("%s: %d, want %d: %s", tt.name, a.status, tt.status, a.body)
		}
	}

	slow := begin(t, graph.Config{}, serve.Limits{Rate: 0.001, Burst: 2})
	for i, want := range []int{200, 200, 429} {
		if a := slow.ask(t, "POST", "/mcp", list, "Accept", both); a.status != want {
			t.Errorf("request %d: %d, want %d: %s", i+1, a.status, want, a.body)
		}
	}
}

// Nobody reads over MCP what another client or user keeps, whatever he names.
func TestStrangersSeeNothingOverMCP(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{Rate: 1e6})
	ann, err := s.meet(t, s.key, map[string]string{"X-Mneme-User": "ann"})
	must(t, err)
	var turn serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered the " + canary + " skeleton, order number 07-14244-53150.", "user_id": "ann", "session_id": "ann-1"}).into(t, &turn)
	ids := []string{"ann-1", turn.Turn, turn.Active.ID, "ann", "acme", "1", "default", "../ann", "acme/ann/" + turn.Active.ID}
	for i := range 5 {
		_, r, err := tool(t.Context(), ann, "memory_store", object{"subject": fmt.Sprint("bone ", i), "content": fmt.Sprintf("Bone %d of the %s is in crate %d.", i, canary, 40+i), "category": "fact"})
		if err != nil || len(r.Items) == 0 {
			t.Fatal(r, err)
		}
		ids = append(ids, r.Items[0].ID)
	}

	var strangers []*sdk.ClientSession
	for _, key := range []access.Key{{Client: "other", Roles: access.Roles()}, {Client: "other", User: "ann", Roles: []access.Role{access.Read, access.Write}}, {Client: "acme", User: "bob", Roles: []access.Role{access.Read, access.Write}}} {
		_, secret, err := s.keys.Create(t.Context(), key)
		must(t, err)
		for _, headers := range []map[string]string{nil, {"X-Mneme-Session": "ann-1"}, {"Mcp-Session-Id": "ann-1"}} {
			c, err := s.meet(t, secret, headers)
			must(t, err)
			strangers = append(strangers, c)
		}
	}
	least := 2000
	if os.Getenv("MNEME_LONG") != "" {
		least = 20000
	}
	n := 0
	for n < least {
		for _, c := range strangers {
			for _, id := range ids {
				for _, said := range mcpProbes(t, c, id) {
					n++
					if strings.Contains(said, canary) {
						t.Errorf("with %q: %.400s", id, said)
					}
				}
			}
		}
	}
	if said, r, err := tool(t.Context(), ann, "memory_recall", object{"query": canary + " bone crate"}); err != nil || len(r.Items) < 5 {
		t.Errorf("what is left of it: %s, %v", said, err)
	}
	t.Logf("%d probes", n)
}

// mcpProbes asks with an id by every way there is, and returns what was answered.
func mcpProbes(t *testing.T, c *sdk.ClientSession, id string) (out []string) {
	t.Helper()
	for _, p := range []struct {
		name string
		args object
	}{
		{"memory_recall", object{"query": "Quetz skeleton crate bone " + id}}, {"memory_recall", object{"query": "Quetz", "scope": "session"}}, {"memory_recall", object{"query": id, "user_id": "ann", "client": "acme"}},
		{"list_affairs", object{}}, {"recall_affair", object{"affair_id": id}}, {"explain_turn", object{"turn_id": id}}, {"explain_turn", object{}},
		{"memory_update", object{"action": "show", "text": "bone"}}, {"memory_update", object{"action": "correct", "id": id, "text": "x"}}, {"memory_update", object{"action": "forget", "id": id}},
		{"memory_update", object{"action": "pin", "id": id}}, {"memory_update", object{"action": "suggestions"}}, {"memory_update", object{"action": "approve", "id": id}},
		{"memory_store", object{"subject": "x", "content": "x", "category": "fact", "affair_id": id}},
		{"forget", object{"record_id": id}}, {"forget", object{"affair_id": id}}, {"forget", object{"topic": "skeleton bone", "dry_run": true}},
	} {
		said, r, err := tool(t.Context(), c, p.name, p.args)
		out = append(out, fmt.Sprint(said, r, err))
	}
	for _, uri := range []string{mcp.BrainURI, mcp.TodayURI, mcp.AffairPrefix + id} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		out = append(out, fmt.Sprint(err))
		if err == nil {
			out[len(out)-1] = r.Contents[0].Text
		}
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: mcp.ContinueAffair, Arguments: map[string]string{"affair": id}})
	raw, _ := json.Marshal(p) // of what was answered
	done, err2 := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: mcp.ContinueAffair}, Argument: sdk.CompleteParamsArgument{Name: "affair"}})
	return append(out, fmt.Sprint(string(raw), err), fmt.Sprint(done, err2))
}
