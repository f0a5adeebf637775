package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve"
)

// A talk goes on behind an answer that says what it forgets: it is kept without the words, and the client sends them. What was forgotten is not taken in
// again as something that was said elsewhere. Another answer in its place is a fork, as ever.
func TestATalkGoesOnBehindAForgetting(t *testing.T) {
	t.Parallel()
	steps := []scripted.Step{
		scripted.Say("Noted."), scripted.Call("memory_update", `{"action":"forget","text":"order number 07-14244-53150"}`), scripted.Say("I forgot the order number 07-14244-53150, as you wish."), scripted.Say("You are welcome."), scripted.Say("Fine."),
	}
	s := begin(t, graph.Config{Model: scripted.New(steps, nil)}, serve.Limits{})
	history := []object{says("user", "I ordered brake pads, order number 07-14244-53150.")}
	var session, at string
	for _, next := range []string{"Forget the order number 07-14244-53150.", "Thanks!"} {
		a, in := s.chat(t, http.StatusOK, object{"messages": history})
		if session == "" {
			session = in
		}
		history, at = append(history, says("assistant", a.text()), says("user", next)), in
	}
	if at != session {
		t.Fatalf("it went on in %q, not %q", at, session)
	}
	if _, at := s.chat(t, http.StatusOK, object{"messages": history}); at != session {
		t.Errorf("behind the forgetting it goes on in %q, not %q", at, session)
	}
	found := string(s.must(t, http.StatusOK, "POST", "/api/v1/recall", object{"text": "07-14244-53150 order number"}).body)
	if strings.Contains(found, "53150") {
		t.Errorf("what was forgotten is found: %s", found)
	}

	history[3] = says("assistant", "I forgot nothing at all.")
	if _, at := s.chat(t, http.StatusOK, object{"messages": history}); at == session {
		t.Errorf("with another answer it goes on in %q too", at)
	}
}
