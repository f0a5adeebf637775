package spoken

import (
	"strings"

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
