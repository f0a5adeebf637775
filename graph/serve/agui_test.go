package serve_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

// asking is a service whose model recalls, and stores when a person approves.
func asking(t *testing.T) *service {
	t.Helper()
	return begin(t, graph.Config{Approve: []string{"memory_store"}, Model: scripted.New([]scripted.Step{
		scripted.Call("memory_recall", `{"query":"seat"}`), scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("Noted it."),
	}, nil)}, serve.Limits{})
}

// aguiEvents are the events of an answer.
func aguiEvents(t *testing.T, a answer) (types string, all []map[string]any) {
	t.Helper()
	var names []string
	for line := range strings.Lines(string(a.body)) {
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			var e map[string]any
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			all = append(all, e)
			names = append(names, e["type"].(string))
		}
	}
	return strings.Join(names, " "), all
}

// A run of AG-UI is a turn: its steps, calls and tokens, a question that ends it, and the answer that goes on with it.
func TestAGUI(t *testing.T) {
	t.Parallel()
	s := asking(t)
	said := []object{{"id": "m1", "role": "user", "content": []object{{"type": "text", "text": "Note my seat, 14C."}}}}
	types, all := aguiEvents(t, s.must(t, http.StatusOK, "POST", "/ag-ui", object{"threadId": "s1", "runId": "r1", "messages": said, "tools": []object{}, "context": []object{{"description": "page", "value": "travel"}}}))
	const before = "STEP_STARTED STEP_FINISHED STEP_STARTED STEP_FINISHED STEP_STARTED CUSTOM STEP_FINISHED STEP_STARTED "
	if want := "RUN_STARTED " + before + "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STEP_FINISHED CUSTOM RUN_FINISHED"; types != want {
		t.Errorf("got  %s\nwant %s", types, want)
	}
	outcome, _ := all[len(all)-1]["outcome"].(map[string]any)
	asked, _ := outcome["interrupts"].([]any)
	if outcome["type"] != "interrupt" || len(asked) != 1 {
		t.Fatalf("%v", outcome)
	}
	id := asked[0].(map[string]any)["id"]

	// A stranger's thread of that name is another one: there is no such question.
	key := s.key
	s.key = s.stranger(t)
	if _, all := aguiEvents(t, s.must(t, http.StatusOK, "POST", "/ag-ui", object{"threadId": "s1", "runId": "r1", "messages": said, "resume": []object{{"interruptId": id, "status": "resolved"}}})); all[len(all)-1]["code"] != "not_found" {
		t.Errorf("a stranger answers: %v", all)
	}
	s.key = key

	types, all = aguiEvents(t, s.must(t, http.StatusOK, "POST", "/ag-ui", object{"threadId": "s1", "runId": "r2", "messages": said, "resume": []object{{"interruptId": id, "status": "resolved", "payload": true}}}))
	if want := "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END STEP_FINISHED"; !strings.Contains(types, want) {
		t.Errorf("got %s\nwant in it %s", types, want)
	}
	if result, _ := all[len(all)-1]["result"].(map[string]any); result["reply"] != "Noted it." || result["session_id"] != "s1" {
		t.Errorf("%v", result)
	}
	var records listed[struct{ Content string }]
	if s.must(t, http.StatusOK, "GET", "/api/v1/records", nil).into(t, &records); len(records.Items) != 1 {
		t.Errorf("%v", records.Items)
	}

	// A client whose line broke has half a reply behind the message; it is told to drop it.
	said = append(said, object{"id": "half", "role": "assistant", "content": "Not"})
	types, all = aguiEvents(t, s.must(t, http.StatusOK, "POST", "/ag-ui", object{"threadId": "s1", "runId": "r3", "messages": said}))
	if snapshot, _ := all[1]["messages"].([]any); types != "RUN_STARTED MESSAGES_SNAPSHOT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED" || len(snapshot) != 1 {
		t.Errorf("%s, %v", types, all[1])
	}
}

// Images and files come as AG-UI has them, and in the older way; what the client says besides of the page may be long.
func TestAGUIMedia(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{Model: scripted.New([]scripted.Step{scripted.Say("I see.")}, nil)}, serve.Limits{})
	source := func(kind, from, value, mime string) object {
		return object{"type": kind, "source": object{"type": from, "value": value, "mimeType": mime}}
	}
	parts := []object{
		{"type": "text", "text": "Look."},
		source("image", "url", "https://example.org/boiler.png", ""), source("image", "data", "QUJD", "image/png"),
		source("document", "url", "https://example.org/boiler.pdf", "application/pdf"), source("audio", "data", "QUJD", "audio/wav"),
		{"type": "binary", "mimeType": "image/jpeg", "data": "QUJD"}, {"type": "binary", "mimeType": "application/pdf", "url": "https://example.org/b.pdf"},
	}
	want := []state.Part{
		{Type: "image_url", URL: "https://example.org/boiler.png"}, {Type: "image_url", URL: "data:image/png;base64,QUJD"},
		{Type: "file_url", URL: "https://example.org/boiler.pdf"}, {Type: "audio_url", URL: "data:audio/wav;base64,QUJD"},
		{Type: "image_url", URL: "data:image/jpeg;base64,QUJD"}, {Type: "file_url", URL: "https://example.org/b.pdf"},
	}
	types, _ := aguiEvents(t, s.must(t, http.StatusOK, "POST", "/ag-ui", object{
		"threadId": "s1", "runId": "r1", "messages": []object{{"id": "m1", "role": "user", "content": parts}},
		"context": []object{{"description": "page", "value": strings.Repeat("č", 50_000)}, {"description": "", "value": " "}},
	}))
	if !strings.HasSuffix(types, "RUN_FINISHED") {
		t.Fatal(types)
	}
	if kept := s.kept(t, "s1"); kept[0].Text != "Look." || !slices.Equal(kept[0].Parts, want) {
		t.Errorf("kept %+v, want %+v", kept[0].Parts, want)
	}
}

// What is no run is refused before the first event, as elsewhere.
func TestAGUIRefuses(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{Body: 4096})
	user := func(content any) object {
		return object{"threadId": "s1", "runId": "r1", "messages": []object{{"id": "msg-1", "role": "user", "content": content}}}
	}
	said := func(id, text string) object {
		return object{"threadId": "s1", "runId": "r1", "messages": []object{{"id": id, "role": "user", "content": text}}}
	}
	run := func(id string) object {
		return object{"threadId": "s1", "runId": id, "messages": []object{{"id": "a", "role": "user", "content": "Hello."}}}
	}
	for name, x := range map[string]struct {
		body   any
		status int
	}{
		"no JSON":                     {"{", http.StatusUnprocessableEntity},
		"no thread":                   {object{"runId": "r1", "messages": []object{}}, http.StatusUnprocessableEntity},
		"a thread of another key":     {object{"threadId": "a/b", "runId": "r1", "messages": []object{}}, http.StatusUnprocessableEntity},
		"nothing said":                {object{"threadId": "s1", "runId": "r1", "messages": []object{{"id": "a", "role": "assistant", "content": "Hello."}}}, http.StatusUnprocessableEntity},
		"a picture":                   {user([]object{{"type": "image"}}), http.StatusUnprocessableEntity},
		"a message that is none":      {object{"threadId": "s1", "runId": "r1", "messages": []int{1}}, http.StatusUnprocessableEntity},
		"an answer without a status":  {object{"threadId": "s1", "runId": "r1", "messages": []object{}, "resume": []object{{"interruptId": "x"}}}, http.StatusUnprocessableEntity},
		"too long":                    {user(strings.Repeat("x", 5000)), http.StatusRequestEntityTooLarge},
		"an empty text":               {user(" \n"), http.StatusUnprocessableEntity},
		"no parts":                    {user([]object{}), http.StatusUnprocessableEntity},
		"an empty part":               {user([]object{{"type": "text", "text": ""}}), http.StatusUnprocessableEntity},
		"no content":                  {user(nil), http.StatusUnprocessableEntity},
		"a message's id with $":       {said("$answer", "Hello."), http.StatusUnprocessableEntity},
		"a message's id of two lines": {said("a\nb", "Hello."), http.StatusUnprocessableEntity},
		"a thread's id of two lines":  {object{"threadId": "a\nb", "runId": "r1", "messages": []object{}}, http.StatusUnprocessableEntity},
		"a run's id of two lines":     {run("a\nb"), http.StatusUnprocessableEntity},
		"a run's id with a slash":     {run("a/b"), http.StatusUnprocessableEntity},
		"a run's id that is long":     {run(strings.Repeat("r", 129)), http.StatusUnprocessableEntity},
		"a question's id with $":      {object{"threadId": "s1", "runId": "r1", "messages": []object{}, "resume": []object{{"interruptId": "$x", "status": "resolved"}}}, http.StatusUnprocessableEntity},
	} {
		if got := s.ask(t, "POST", "/ag-ui", x.body); got.status != x.status || !strings.Contains(got.header.Get("Content-Type"), "problem+json") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	s.must(t, http.StatusMethodNotAllowed, "GET", "/ag-ui", nil)
	_, reader, err := s.keys.Create(t.Context(), access.Key{Client: "acme", Roles: []access.Role{access.Read}})
	must(t, err)
	s.key = reader
	s.must(t, http.StatusForbidden, "POST", "/ag-ui", user("Hello."))
}

// TestTheSDKOfAGUIReads has the Python SDK of AG-UI read every event of five runs (testdata/agui_client.py).
func TestTheSDKOfAGUIReads(t *testing.T) {
	t.Parallel()
	python := clients(t, "python")
	script, err := filepath.Abs("testdata/agui_client.py")
	must(t, err)
	s := asking(t)
	if said := run(t, python, script, s.URL, s.key); !strings.Contains(said, "5 runs, as the protocol demands") {
		t.Errorf("it said %q", said)
	}
}
