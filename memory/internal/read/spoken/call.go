package spoken

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// Call is the id of the call that carries out what a message asks, and the end of those of further ones. No model's call has such an id.
const Call = "spoken"

// IsCall reports whether a call, or the path of one, carries out what a message asks.
func IsCall(call string) bool { return strings.HasSuffix(call, Call) }

// Turns are the turns of messages in which a command to the memory was carried out.
func Turns(messages []state.Message) map[string]bool {
	turns := map[string]bool{}
	for _, msg := range messages {
		if len(msg.ToolCalls) > 0 && IsCall(msg.ToolCalls[0].ID) {
			turns[msg.Turn] = true
		}
	}
	return turns
}

// Of returns what a message asks of the memory, or would if the memory knew what it is about.
func Of(msg state.Message) Command {
	c := Find(whose.Own(msg.Text))
	if msg.Role != state.RoleUser || msg.Unstored() && c.Action != DoNotRemember {
		return Command{Action: None}
	}
	return c
}
