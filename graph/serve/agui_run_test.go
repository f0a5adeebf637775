package serve

import (
	"encoding/json"
	"strings"
	"testing"
)

// What was streamed and does not count is taken back by a snapshot of the messages: where a step is done again, and where the reply is another text in the end.
func TestAGUITakesBack(t *testing.T) {
	t.Parallel()
	token := func(text, attempt string) TurnEvent { return TurnEvent{Event: "token", Text: text, Attempt: attempt} }
	start := func(attempt string) TurnEvent {
		return TurnEvent{Event: "node.start", Node: "respond", Attempt: attempt}
	}
	end := func(reply, attempt string) TurnEvent {
		return TurnEvent{Event: "run.end", Attempt: attempt, Reply: &TurnReply{Reply: reply}}
	}
	call := TurnEvent{Event: "tool.call", Tool: "look", Call: "c", Text: "{}"}
	result := TurnEvent{Event: "tool.result", Tool: "look", Call: "c"}
	for name, x := range map[string]struct {
		in   []TurnEvent
		kept string // what an interface has in the end, behind the user's message
		took int    // snapshots
	}{
		"as it streams":            {[]TurnEvent{start(""), token("He", ""), token("llo.", ""), end("Hello.", "")}, "Hello.", 0},
		"nothing streams":          {[]TurnEvent{start(""), end("Hello.", "")}, "Hello.", 0},
		"around a tool":            {[]TurnEvent{start(""), token("Wait. ", ""), call, result, token("Hello.", ""), end("Hello.", "")}, "Wait. |look|result|Hello.", 0},
		"done again":               {[]TurnEvent{start(""), token("He", ""), start("again"), token("Hello.", "again"), end("Hello.", "again")}, "Hello.", 1},
		"done again, with a tool":  {[]TurnEvent{start(""), token("Wait. ", ""), call, result, start("again"), token("Hello.", "again"), end("Hello.", "again")}, "Hello.", 1},
		"another text":             {[]TurnEvent{start(""), token("Hello, 4711", ""), end("Hello, [masked]", "")}, "Hello, [masked]", 1},
		"another text, and a tool": {[]TurnEvent{start(""), call, result, token("Hello, 4711", ""), end("Hello.", "")}, "look|result|Hello.", 1},
		"it waits":                 {[]TurnEvent{start(""), token("Wait.", ""), end("", "")}, "Wait.", 0},
	} {
		m := &aguiRun{in: aguiInput{Run: "r", Messages: []json.RawMessage{[]byte(`{"id":"u","role":"user","content":"Hi."}`)}}, shown: 1}
		kept, took := map[string]string{"u": ""}, 0
		order := []string{"u"}
		put := func(id, text string) {
			if _, there := kept[id]; !there {
				order = append(order, id)
			}
			kept[id] += text
		}
		open := 0
		for _, e := range x.in {
			for _, out := range m.take(e) {
				switch out.Type {
				case "TEXT_MESSAGE_START", "STEP_STARTED":
					open++
				case "TEXT_MESSAGE_END", "STEP_FINISHED":
					open--
				case "TEXT_MESSAGE_CONTENT":
					put(out.Message, out.Delta)
				case "TOOL_CALL_START":
					put(out.Call, out.Tool)
				case "TOOL_CALL_RESULT":
					put(out.Message, "result")
				case "MESSAGES_SNAPSHOT":
					took++
					kept, order = snapshotOf(t, out)
				}
			}
		}
		var texts []string
		for _, id := range order[1:] {
			texts = append(texts, kept[id])
		}
		if got := strings.Join(texts, "|"); got != x.kept || took != x.took || open != 0 || order[0] != "u" {
			t.Errorf("%s: %q with %d snapshots, %d open, want %q with %d", name, got, took, open, x.kept, x.took)
		}
	}
}

// snapshotOf reads the messages of a snapshot as an interface does.
func snapshotOf(t *testing.T, e aguiEvent) (kept map[string]string, order []string) {
	t.Helper()
	raw, err := json.Marshal(e.Messages)
	var all []aguiMessage
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept = map[string]string{}
	for _, x := range all {
		order = append(order, x.ID)
		switch {
		case x.Role == "tool":
			kept[x.ID] = "result"
		case len(x.Calls) > 0:
			kept[x.ID] = x.Calls[0].Function.Name
		case x.Role == "assistant":
			kept[x.ID] = *x.Content
		}
	}
	return kept, order
}
