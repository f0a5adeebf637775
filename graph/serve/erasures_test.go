package serve_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
)

// with returns the service asked by another key.
func (s *service) with(t *testing.T, k access.Key) *service {
	t.Helper()
	_, secret, err := s.keys.Create(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	other := *s
	other.key = secret
	return &other
}

// An administrator holds a record; an erasure waits for it, says so and goes on; then it is proved. Nobody else sees or does any of it.
func TestHoldAndProve(t *testing.T) {
	t.Parallel()
	book, err := erasures.Open(filepath.Join(t.TempDir(), "erasures.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
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
