package serve_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
)

// with returns the service asked by another key.
func (s *service) with(t *testing.T, k access.Key) *service {
	t.Helper()
	_, secret, err := s.keys.Create(t.Context(), k)
	must(t, err)
	other := *s
	other.key = secret
	return &other
}

// An administrator holds a record; an erasure waits for it, says so and goes on; then it is proved. Nobody else sees or does any of it.
func TestHoldAndProve(t *testing.T) {
	t.Parallel()
	book, err := erasures.Open(filepath.Join(t.TempDir(), "erasures.jsonl"))
	must(t, err)
	s := begin(t, graph.Config{Erasures: book}, serve.Limits{})
	plain := s.with(t, access.Key{Client: "acme", User: "ann", Roles: []access.Role{access.Read, access.Write}})
	stranger := s.with(t, access.Key{Client: "other", Roles: access.Roles()})
	const user = "X-Mneme-User"
	var stored struct{ ID string }
	s.must(t, 201, http.MethodPost, "/api/v1/records", object{"content": "the locker has number qv9902k"}, user, "ann").into(t, &stored)
	at := "/api/v1/records/" + stored.ID + "/hold"
	for _, who := range []struct {
		s    *service
		want int
	}{{plain, 403}, {stranger, 404}, {s, 200}, {s, 409}} {
		who.s.must(t, who.want, http.MethodPut, at, object{"why": "case 12"}, user, "ann")
	}
	var receipt struct {
		Order string
		Held  []string
		Left  int
	}
	plain.must(t, 200, http.MethodDelete, "/api/v1/records/"+stored.ID, nil).into(t, &receipt)
	if len(receipt.Held) != 1 || receipt.Order == "" {
		t.Fatalf("receipt %+v, want that it waits for the record", receipt)
	}

	// While it waits it is not proved; strangers know nothing of it.
	one := "/api/v1/erasures/" + receipt.Order
	var proof struct {
		Left    int
		DoneAt  string `json:"done_at"`
		Probed  string `json:"probed_at"`
		Outside []struct{ Said string }
	}
	plain.must(t, 200, http.MethodGet, one+"?probe=true", nil).into(t, &proof)
	if proof.DoneAt != "" || proof.Probed == "" || len(proof.Outside) != 2 || proof.Outside[1].Said != "waits" {
		t.Errorf("proof while it waits: %+v", proof)
	}
	for _, who := range []struct {
		s    *service
		user string
	}{{stranger, "ann"}, {stranger, "boris"}, {s, "boris"}} {
		who.s.must(t, 404, http.MethodGet, one+"?probe=true", nil, user, who.user)
		if list := who.s.must(t, 200, http.MethodGet, "/api/v1/erasures", nil, user, who.user); bytes.Contains(list.body, []byte(receipt.Order)) {
			t.Errorf("%s of another sees the order: %s", who.user, list.body)
		}
		who.s.must(t, 404, http.MethodDelete, at, nil, user, who.user)
	}
	plain.must(t, 403, http.MethodDelete, at, nil)

	var released struct{ Order string }
	s.must(t, 200, http.MethodDelete, at, nil, user, "ann").into(t, &released)
	if released.Order != receipt.Order {
		t.Errorf("released %+v, want that %s goes on", released, receipt.Order)
	}
	plain.must(t, 200, http.MethodGet, one+"?probe=true", nil).into(t, &proof)
	if proof.DoneAt == "" || proof.Left != 0 {
		t.Errorf("proof: %+v", proof)
	}
	plain.must(t, 404, http.MethodGet, "/api/v1/records/"+stored.ID, nil)
}

// Why a record is held reads who may hold it, and nobody else, whatever he asks for: others see that it is held and since when.
func TestAHoldsReasonIsAnAdministrators(t *testing.T) {
	t.Parallel()
	const reason, user = "Xenoposeidon against the museum", "X-Mneme-User"
	s := begin(t, graph.Config{}, serve.Limits{Rate: 1e6})
	plain := s.with(t, access.Key{Client: "acme", User: "ann", Roles: []access.Role{access.Read, access.Write}})
	var r serve.TurnReply
	plain.must(t, 200, http.MethodPost, "/api/v1/turns", object{"message": "I ordered the skeleton, order number 07-14244-53150.", "session_id": "s1"}).into(t, &r)
	ids := map[string][]string{"affair": {r.Active.ID}, "session": {"s1"}, "turn": {r.Turn}}
	for _, b := range []object{
		{"content": "The skeleton is for the hall.", "affair_id": r.Active.ID, "session_id": "s1"}, {"content": "Measure the hall.", "due": "2030-01-01T10:00:00Z"},
		{"content": "I prefer mornings.", "kind": "preference"},
	} {
		var stored state.Receipt
		plain.must(t, 201, http.MethodPost, "/api/v1/records", b).into(t, &stored)
		ids["record"] = append(ids["record"], stored.ID)
		at := "/api/v1/records/" + stored.ID + "/hold"
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPut} { // the audit has it before and after a change
			s.must(t, 200, method, at, object{"why": reason}, user, "ann")
		}
		var done listed[serve.AuditChange]
		plain.must(t, 200, http.MethodGet, "/api/v1/audit?id="+stored.ID, nil).into(t, &done)
		undo := func(change int64) {
			plain.must(t, 409, http.MethodPost, fmt.Sprintf("/api/v1/audit/%d/undo", change), nil)
		}
		undo(done.Items[0].Change) // who may not hold may not take back a hold or a release either
		s.must(t, 200, http.MethodDelete, at, nil, user, "ann")
		undo(done.Items[0].Change + 1)
		s.must(t, 200, http.MethodPut, at, object{"why": reason}, user, "ann")
		plain.must(t, 403, http.MethodGet, at, nil)
		var hold serve.Hold
		if s.must(t, 200, http.MethodGet, at, nil, user, "ann").into(t, &hold); hold.Why != reason || hold.By == "" || hold.At.IsZero() {
			t.Errorf("the administrator sees %+v", hold)
		}
		s.must(t, 404, http.MethodGet, at, nil, user, "bob")
	}
	var order struct{ Order string }
	plain.must(t, 200, http.MethodDelete, "/api/v1/records/"+ids["record"][2], nil).into(t, &order)
	ids["key"] = []string{order.Order}

	c, err := s.meet(t, plain.key, nil)
	must(t, err)
	for name, args := range map[string]object{"memory_update": {"action": "show"}, "memory_recall": {"query": "skeleton hall mornings"}, "recall_affair": {"affair_id": r.Active.ID}} {
		said, out, err := tool(t.Context(), c, name, args)
		if err != nil || !strings.Contains(said, "hall") || strings.Contains(said+fmt.Sprint(out), "Xenoposeidon") {
			t.Errorf("%s: %s, %+v, %v", name, said, out, err)
		}
	}
	// Whatever can be read, and what an edit answers.
	doc, err := s.s.OpenAPI()
	must(t, err)
	held := 0
	for _, p := range probes(t, doc, ids) {
		if p.method != http.MethodGet && p.method != http.MethodPatch && !strings.HasSuffix(p.path, "/recall") {
			continue
		}
		a := plain.ask(t, p.method, p.path, p.body)
		if held += bytes.Count(a.body, []byte(`"held_at"`)); bytes.Contains(a.body, []byte("Xenoposeidon")) {
			t.Errorf("%s %s %v: %s", p.method, p.path, p.body, a.body)
		}
	}
	if held < 10 {
		t.Errorf("that records are held is seen %d times", held)
	}
	if audit := s.must(t, 200, http.MethodGet, "/api/v1/audit?id="+ids["record"][0], nil, user, "ann"); !bytes.Contains(audit.body, []byte(reason)) {
		t.Errorf("the administrator's audit: %s", audit.body)
	}
}
