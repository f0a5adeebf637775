package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// Open WebUI puts what it found in the user's files before his words, or into the system prompt, and later sends his words alone. The turn is his: what
// he says is kept, what was found is shown and no more.
func TestWhatAChatProgramFoundForAMessage(t *testing.T) {
	t.Parallel()
	const (
		rules   = "### Task:\nRespond to the user query using the provided context, with citations in the format [id].\n\n### Output:\nA direct response.\n\n"
		found   = "<context>\n<source id=\"1\" name=\"pump.pdf\">The pump Vydra needs 12 litres.</source>\n</context>\n"
		said    = "Our pump is called Zdena, how much oil does it need? SAY Twelve litres [1]."
		queried = "\n<user_query>\n" + said + "\n</user_query>\n"
	)
	for name, messages := range map[string][]object{
		"before the words":     {says("system", "You are kind."), says("user", rules+found+"\n\n"+said)},
		"with the query":       {says("user", rules+found+queried)},
		"with both":            {says("user", rules+found+queried+"\n"+said)},
		"in the system prompt": {says("system", rules+found+queried), says("user", said)},
	} {
		m := &told{failed: map[string]bool{}}
		s := begin(t, graph.Config{Model: m}, serve.Limits{})
		first, session := s.chat(t, http.StatusOK, object{"messages": messages})
		if first.text() != "Twelve litres [1]." || strings.HasPrefix(session, "errand-") {
			t.Fatalf("%s: %q in %s", name, first.text(), session)
		}
		if !strings.Contains(m.heard, "needs 12 litres") || !strings.Contains(m.heard, "citations in the format [id]") {
			t.Errorf("%s: the model was not shown what was found: %s", name, m.heard)
		}
		later := []object{says("user", said), says("assistant", first.text()), says("user", "SAY You are welcome.")}
		if _, at := s.chat(t, http.StatusOK, object{"messages": later}); at != session {
			t.Errorf("%s: it goes on in %s, want %s", name, at, session)
		}
		if kept := s.kept(t, session); len(kept) != 4 || kept[0].Text != said {
			t.Errorf("%s: kept %+v", name, kept)
		}
	}
}
