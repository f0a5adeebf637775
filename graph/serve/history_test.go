package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
)

// stranger makes the key of an administrator of another client.
func (s *service) stranger(t *testing.T) string {
	t.Helper()
	_, secret, err := s.keys.Create(t.Context(), access.Key{Client: "other", Roles: access.Roles()})
	must(t, err)
	return secret
}

// A state is told at each step of the history, and at no other.
func TestStateAtAStep(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	var r serve.TurnReply
	s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "I ordered brake pads, order number 07-14244-53150.", "session_id": "s1"}).into(t, &r)
	var steps listed[serve.Step]
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/history", nil).into(t, &steps)
	if len(steps.Items) < 2 {
		t.Fatalf("%+v", steps)
	}
	var was serve.StateAt
	for _, step := range steps.Items {
		s.must(t, http.StatusOK, "GET", fmt.Sprint("/api/v1/sessions/s1/state?step=", step.Seq), nil).into(t, &was)
		input, _ := was.State["input"].(object)
		if was.Seq != step.Seq || was.Turn != r.Turn || input["turn"] != r.Turn {
			t.Errorf("at %d: %+v", step.Seq, was)
		}
	}
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/state", nil).into(t, &was)
	if decision, _ := was.State["decision"].(object); was.Seq != steps.Items[0].Seq || len(was.Next) != 0 || decision["affair"] != r.Active.ID {
		t.Errorf("the last: %+v", was)
	}

	s.must(t, http.StatusNotFound, "GET", "/api/v1/sessions/s1/state?step=999", nil)
	s.must(t, http.StatusNotFound, "GET", "/api/v1/sessions/nope/state", nil)
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/sessions/s1/state?step=-1", nil)
	s.must(t, http.StatusUnprocessableEntity, "GET", "/api/v1/sessions/s1/state?step=last", nil)
	s.key = s.stranger(t)
	for _, path := range []string{"/api/v1/sessions/s1/state", "/api/v1/sessions/s1/state?step=1"} {
		if a := s.must(t, http.StatusNotFound, "GET", path, nil); strings.Contains(string(a.body), r.Turn) {
			t.Errorf("%s", a.body)
		}
	}
}
