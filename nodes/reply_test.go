package nodes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// What a call that writes brings along is the answer of the turn when all calls were carried out; else the model is asked again.
func TestACallBringsTheReply(t *testing.T) {
	t.Parallel()
	store := func(content string) string {
		return `{"subject":"Brake pads","content":"` + content + `","category":"order","reply":"Noted, 07-14244-53150."}`
	}
	one := func(name, args string) state.ToolCall { return state.ToolCall{ID: name, Name: name, Arguments: args} }
	stored := one(tools.MemoryStore, store("Brake pads are ordered, 07-14244-53150."))
	host := handmade{"host", func(context.Context, string) (string, error) { return "done", nil }}
	for _, c := range []struct {
		name  string
		calls []state.ToolCall
		again bool
	}{
		{"stored", []state.ToolCall{stored}, false},
		{"two calls, one of them brings it", []state.ToolCall{one(tools.MemoryUpdate, `{"action":"remember","text":"The pads are for the Jeep."}`), stored}, false},
		{"by another name of the tool", []state.ToolCall{one("memory_save", stored.Arguments)}, false},
		{"under another affair", []state.ToolCall{one(tools.SwitchAffair, `{"new_title":"The garage"}`), stored}, false},
		{"one of two fails", []state.ToolCall{stored, one(tools.ScheduleTask, `{"title":"Fit the pads","due":"soon"}`)}, true},
		{"it fails", []state.ToolCall{one(tools.MemoryStore, `{"content":"x","reply":"Noted."}`)}, true},
		{"what is to be forgotten is not there", []state.ToolCall{one(tools.MemoryUpdate, `{"action":"forget","text":"my shoe size","reply":"Forgotten."}`)}, true},
		{"a secret is not kept", []state.ToolCall{one(tools.MemoryStore, store("The password is hunter2-Zx81-blue."))}, true},
		{"an older record may hold no longer", []state.ToolCall{
			one(tools.MemoryStore, `{"subject":"rent","content":"rent $1,450 due on the 1st, flat 12","category":"fact"}`),
			one(tools.MemoryStore, `{"subject":"rent","content":"rent is now $1,525, due the 5th","category":"fact","reply":"Noted."}`),
		}, true},
		{"something is looked up besides", []state.ToolCall{stored, one(tools.MemoryRecall, `{"query":"pads"}`)}, true},
		{"something is shown", []state.ToolCall{one(tools.MemoryUpdate, `{"action":"show","reply":"Here it is."}`)}, true},
		{"a tool of the host's besides", []state.ToolCall{stored, one("host", "{}")}, true},
		{"no reply", []state.ToolCall{one(tools.MemoryStore, strings.Replace(stored.Arguments, "Noted, 07-14244-53150.", "", 1))}, true},
		{"it is no text", []state.ToolCall{one(tools.MemoryStore, strings.Replace(stored.Arguments, `"Noted, 07-14244-53150."`, "7", 1))}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			chat := script(scripted.Calls(c.calls...), scripted.Say("Asked again."))
			turn, err := b.respond(t.Context(), t, chat, host)
			must(t, err)
			want, left := "Noted, 07-14244-53150.", 1
			if c.again {
				want, left = "Asked again.", 0
			}
			said := lines(turn)
			if last := said[len(said)-1]; !strings.HasSuffix(last, "assistant "+want) || chat.Left() != left {
				t.Errorf("%d answers left, the last message is %q, want %q; all: %q", chat.Left(), last, want, said)
			}
			if !strings.Contains(said[0], `"reply":7`) && strings.Contains(said[0], "reply") {
				t.Errorf("the reply stays in the call: %s", said[0])
			}
			heard := ""
			for _, e := range b.events {
				if e.Name == state.TokenEvent {
					heard += e.Text
				}
			}
			if heard != want {
				t.Errorf("listeners heard %q, want %q", heard, want)
			}
		})
	}
}
