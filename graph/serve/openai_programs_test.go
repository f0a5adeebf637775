package serve_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state"
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
		if system, _, _ := strings.Cut(m.heard, "user:"); name != "in the system prompt" && strings.Contains(system, "Respond to the user query") {
			t.Errorf("%s: words of a message are a system prompt: %s", name, m.heard)
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

// A client that has no room for all of its history leaves out the beginning, more of it each time: the talk goes on in its session, and nothing is kept twice.
func TestAHistoryWithoutItsBeginning(t *testing.T) {
	t.Parallel()
	for _, named := range []string{"", "s1"} {
		m := &told{failed: map[string]bool{}}
		s := begin(t, graph.Config{Model: m}, serve.Limits{})
		ask := s.asks(t, named)
		last := func(talk []object, n int) []object { return talk[max(0, len(talk)-n):] }
		var talk []object
		session := ""
		for i, said := range []string{"My shed is three metres wide.", "Its roof is green.", "Its door faces south.", "Its lock is from Tokoz.", "My wife has the key.", "Its floor is of oak."} {
			talk = append(talk, says("user", fmt.Sprintf("%s SAY Noted, that was the %d.", said, i)))
			answer, at := ask(append([]object{says("system", fmt.Sprintf("It is %d o'clock.", i))}, last(talk, 5)...)...)
			if session = cmp.Or(session, at); at != session || answer != fmt.Sprintf("Noted, that was the %d.", i) {
				t.Fatalf("%q: message %d is in %s, want %s: %q", named, i, at, session, answer)
			}
			if i > 0 {
				if again, at := ask(last(talk, 5)...); at != session || again != answer {
					t.Errorf("%q: message %d sent again is in %s: %q", named, i, at, again)
				}
			}
			talk = append(talk, says("assistant", answer))
		}
		if kept := s.kept(t, session); len(kept) != len(talk) {
			t.Errorf("%q: %d messages are kept, want %d: %+v", named, len(kept), len(talk), kept)
		}

		// An edit makes a fork, which has the beginning too.
		edited := append(slices.Clone(talk[len(talk)-6:len(talk)-2]), says("user", "Its floor is of pine. SAY Pine."))
		_, fork := ask(edited...)
		if kept := s.kept(t, fork); fork == session || len(kept) != len(talk) || kept[0].Text != talk[0]["content"] {
			t.Errorf("%q: the edit is in %s: %+v", named, fork, kept)
		}
		edited = append(edited, says("assistant", "Pine."), says("user", "SAY And then?"))
		for range 2 {
			if _, at := ask(last(edited, 5)...); at != fork {
				t.Errorf("%q: behind the edit it goes on in %s, want %s", named, at, fork)
			}
			edited = append(edited, says("assistant", "And then?"), says("user", "SAY Well."))
		}

		// What resembles it by one exchange is another talk.
		if _, at := ask(talk[4], talk[5], says("user", "SAY Another one.")); named == "" && at == session {
			t.Error("another talk was taken for this one")
		}
	}
}

// The beginning may be left out while a tool of the client's runs, and while a person decides.
func TestAHistoryWithoutItsBeginningThatWaits(t *testing.T) {
	t.Parallel()
	s, _ := beginTold(t)
	begins := []object{says("user", "SAY One."), says("assistant", "One."), says("user", "SAY Two."), says("assistant", "Two."), says("user", "SAY Three."), says("assistant", "Three.")}
	_, session := s.chat(t, http.StatusOK, object{"messages": begins[:1]})
	s.chat(t, http.StatusOK, object{"messages": begins[:3]})
	s.chat(t, http.StatusOK, object{"messages": begins[:5]})
	ask := func(talk ...object) chatted {
		t.Helper()
		got, at := s.chat(t, http.StatusOK, object{"messages": talk, "tools": weather})
		if at != session {
			t.Fatalf("it is in %s, want %s", at, session)
		}
		return got
	}
	talk := append(begins, says("user", "SAY Four."))
	talk = append(talk, says("assistant", ask(talk[2:]...).text()), says("user", "WEATHER Oslo"))
	calls := ask(talk[2:]...)
	talk = append(talk, calls.called("rain")...)
	talk = append(talk, says("assistant", ask(talk[2:]...).text()), says("user", "MAIL ann"))
	talk = append(talk, says("assistant", ask(talk[4:]...).text()), says("user", "approve"))
	done := ask(talk[4:]...).text()
	if !strings.HasSuffix(done, "mailed to ann") {
		t.Fatalf("approved: %q", done)
	}
	talk = append(talk, says("assistant", done), says("user", "SAY Last."))
	if got := ask(talk[6:]...); got.text() != "Last." {
		t.Errorf("%q", got.text())
	}
	if n := count(s.kept(t, session), state.RoleUser); n != 7 {
		t.Errorf("%d messages of the user's are kept, want 7", n)
	}
}

// Vercel's AI SDK names what it was answered by the ids of its items, and sends no text of it again.
func TestItemsThatAreReferredTo(t *testing.T) {
	t.Parallel()
	s, _ := beginTold(t)
	tools := []object{{"type": "function", "name": "get_weather", "parameters": object{"type": "object"}}}
	var r struct {
		Output []struct {
			ID, Type string
			Call     string `json:"call_id"`
			Content  []struct{ Text string }
		}
	}
	var session string
	ask := func(input ...object) string {
		t.Helper()
		r.Output = nil
		a := s.must(t, http.StatusOK, "POST", "/v1/responses", object{"model": "mneme", "input": input, "tools": tools})
		a.into(t, &r)
		if session = cmp.Or(session, a.header.Get("X-Mneme-Session")); a.header.Get("X-Mneme-Session") != session {
			t.Fatalf("it is in %s, want %s", a.header.Get("X-Mneme-Session"), session)
		}
		if len(r.Output) == 1 && r.Output[0].Type == "message" {
			return r.Output[0].Content[0].Text
		}
		return ""
	}
	item := func(n int) object { return object{"type": "item_reference", "id": r.Output[n].ID} }
	result := func(n int, text string) object {
		return object{"type": "function_call_output", "call_id": r.Output[n].Call, "output": text}
	}
	talk := []object{says("system", "You are kind."), says("user", "My boat is Vlna. SAY Noted.")}
	ask(talk...)
	talk = append(talk, item(0), says("user", "WEATHER Oslo Rome"))
	ask(talk...)
	if len(r.Output) != 2 || r.Output[1].Type != "function_call" {
		t.Fatalf("%+v", r)
	}
	both := append(slices.Clip(talk), item(0), item(1), result(0, "rain"), result(1, "sun"))
	inTurn := append(slices.Clip(talk), item(0), result(0, "rain"), item(1), result(1, "sun"))
	for name, input := range map[string][]object{"results behind the calls": both, "each result behind its call": inTurn, "again": both} {
		if got := ask(input...); !strings.Contains(got, "rain") || !strings.Contains(got, "sun") {
			t.Errorf("%s: %q", name, got)
		}
	}
	talk = append(both, item(0), says("user", "SAY Good night."))
	for range 2 {
		if got := ask(talk...); got != "Good night." {
			t.Errorf("%q", got)
		}
	}
	if n := count(s.kept(t, session), state.RoleUser); n != 3 {
		t.Errorf("%d messages of the user's are kept, want 3", n)
	}
	var wrong chatted
	a := s.ask(t, "POST", "/v1/responses", object{"model": "mneme", "user": "bob", "input": talk})
	if a.into(t, &wrong); a.status != http.StatusNotFound || wrong.Error.Code != "not_found" {
		t.Errorf("another user's: %d %s", a.status, a.body)
	}
}

// Bytes that are no UTF-8 would be kept as signs that nobody has written: they are refused, as is a body that is compressed, and it is said why.
func TestABodyThatIsNoText(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: &told{failed: map[string]bool{}}}, serve.Limits{})
	const latin = "Kav\xe1rna SAY Noted."
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"mneme","messages":[{"role":"user","content":"` + latin + `"}]}`,
		"/v1/responses":        `{"model":"mneme","input":"` + latin + `"}`,
		"/ag-ui":               `{"threadId":"s1","runId":"r1","messages":[{"id":"m1","role":"user","content":"` + latin + `"}]}`,
		"/api/v1/turns":        `{"session_id":"s1","message":"` + latin + `"}`,
	} {
		if a := s.ask(t, "POST", path, body); a.status/100 != 4 || !strings.Contains(string(a.body), "UTF-8") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"subject":"cafe","content":"` + latin + `","category":"fact"}}}`
	if a := s.ask(t, "POST", "/mcp", call, "Accept", "application/json, text/event-stream"); !strings.Contains(string(a.body), "not encoded as UTF-8") {
		t.Errorf("/mcp: %d %s", a.status, a.body)
	}
	if a := s.ask(t, "POST", "/v1/responses", "\x1f\x8b\x08", "Content-Encoding", "gzip"); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "gzip") {
		t.Errorf("compressed: %d %s", a.status, a.body)
	}
}

// Two answers have two ids, also where two users begin with the same words: gateways keep answers by them.
func TestIDsOfAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: &told{failed: map[string]bool{}}}, serve.Limits{})
	seen := map[string]bool{}
	for _, user := range []string{"ann", "ann", "bob"} {
		var out struct{ ID string }
		s.must(t, http.StatusOK, "POST", "/v1/chat/completions", object{"model": "mneme", "user": user, "messages": []object{says("user", "SAY Hello.")}}).into(t, &out)
		if seen[out.ID] || !strings.HasPrefix(out.ID, "chatcmpl-") {
			t.Errorf("%s: %s", user, out.ID)
		}
		seen[out.ID] = true
	}
}

// What the model says before it calls a tool of the client's is in the answer, streamed or not.
func TestWordsBeforeACall(t *testing.T) {
	t.Parallel()
	s, _ := beginTold(t)
	body := object{"model": "mneme", "messages": []object{says("user", "SAY Hello."), says("assistant", "Hello."), says("user", "ALOUD WEATHER Oslo")}, "tools": weather}
	first, session := s.chat(t, http.StatusOK, body)
	if first.text() != "Let me look." || len(first.Choices[0].Message.Calls) != 1 || first.Choices[0].Finish != "tool_calls" {
		t.Errorf("%+v", first)
	}
	if again, _ := s.chat(t, http.StatusOK, body); len(again.Choices[0].Message.Calls) != 1 {
		t.Errorf("again: %+v", again)
	}
	messages := append(body["messages"].([]object), first.called("rain")...)
	messages[3]["content"] = first.text()
	if second, at := s.chat(t, http.StatusOK, object{"messages": messages, "tools": weather}); at != session || !strings.Contains(second.text(), "rain") {
		t.Errorf("%s: %+v", at, second)
	}
	var r struct {
		Output []struct {
			Type    string
			Content []struct{ Text string }
		}
	}
	s.must(t, http.StatusOK, "POST", "/v1/responses", object{"model": "mneme", "input": "ALOUD WEATHER Rome", "tools": []object{{"type": "function", "name": "get_weather"}}}).into(t, &r)
	if len(r.Output) != 2 || r.Output[0].Type != "message" || r.Output[0].Content[0].Text != "Let me look." || r.Output[1].Type != "function_call" {
		t.Errorf("%+v", r)
	}
}
