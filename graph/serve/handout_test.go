package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// A session is handed out as data and as a scenario, which comes to the same; nobody else gets it.
func TestASessionIsHandedOut(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	var turns []serve.TurnReply
	for _, text := range []string{"I ordered brake pads, order number 07-14244-53150.", "What is the order number?"} {
		var r serve.TurnReply
		s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": text, "session_id": "s1"}).into(t, &r)
		turns = append(turns, r)
	}
	var got struct {
		Session   string
		Messages  []object
		Decisions []serve.TurnDecision
		Affairs   []object
	}
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/export", nil).into(t, &got)
	if got.Session != "s1" || len(got.Messages) != 4 || len(got.Decisions) != 2 || len(got.Affairs) != 1 {
		t.Fatalf("%+v", got)
	}
	for i, d := range got.Decisions {
		if d.Turn != turns[i].Turn || d.Message != got.Messages[2*i]["id"] || d.Decision != turns[i].Decision {
			t.Errorf("decision %d is %+v, when it was taken %+v", i, d, turns[i].Decision)
		}
	}
	var promoted serve.Promoted
	s.must(t, http.StatusOK, "POST", "/api/v1/sessions/s1/promote", nil).into(t, &promoted)
	all, err := scenario.Parse("s1.yaml", []byte(promoted.Scenario))
	must(t, err)
	if result, err := scenario.Run(t.Context(), all[0], scenario.Config{}); err != nil || !result.OK {
		t.Errorf("%v %+v\n%s", err, result.Failures, promoted.Scenario)
	}

	// Of what is not there, and of another client's, there is nothing.
	ask := func(session string) {
		for method, path := range map[string]string{"GET": "/export", "POST": "/promote"} {
			a := s.must(t, http.StatusNotFound, method, "/api/v1/sessions/"+session+path, nil)
			if strings.Contains(string(a.body), "brake") {
				t.Errorf("%s", a.body)
			}
		}
	}
	ask("nope")
	s.key = s.stranger(t)
	ask("s1")
}
