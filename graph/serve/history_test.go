package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
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

// A branch is forked after any turn that it has, also one that it has from the session that it was forked from; after no other.
func TestForkOfAFork(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	say := func(session, id string) {
		t.Helper()
		s.must(t, http.StatusOK, "POST", "/api/v1/turns", object{"message": "Message " + id + " is said.", "session_id": session, "message_id": id})
	}
	fork := func(status int, session, turn, to string) answer {
		t.Helper()
		return s.must(t, status, "POST", "/api/v1/sessions/"+session+"/fork", object{"turn_id": turn, "to": to})
	}
	for _, id := range []string{"t1", "t2", "t3", "t4"} {
		say("s1", id)
	}
	fork(http.StatusOK, "s1", "t3", "s2")
	say("s2", "t5")
	fork(http.StatusOK, "s2", "t2", "s3")
	say("s3", "t6")
	fork(http.StatusOK, "s3", "t1", "s4")
	say("s4", "t7")
	for session, want := range map[string]string{"s1": "t1 t2 t3 t4", "s2": "t1 t2 t3 t5", "s3": "t1 t2 t6", "s4": "t1 t7"} {
		turns := []string{}
		for _, m := range s.kept(t, session) {
			if m.Role == state.RoleUser {
				turns = append(turns, m.Turn)
			}
		}
		if got := strings.Join(turns, " "); got != want {
			t.Errorf("%s has %s, want %s", session, got, want)
		}
	}
	fork(http.StatusNotFound, "s2", "t4", "s5") // said in s1 behind the fork
	fork(http.StatusNotFound, "s2", "t9", "s5")
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s4/turns/t7", nil)
}
