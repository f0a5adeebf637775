package spoken

import (
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// Call is the id of the call that carries out what a message asks. No model's call has it.
const Call = "spoken"

// Turns are the turns of messages in which a command to the memory was carried out.
func Turns(messages []state.Message) map[string]bool {
	turns := map[string]bool{}
	for _, msg := range messages {
		if len(msg.ToolCalls) > 0 && msg.ToolCalls[0].ID == Call {
			turns[msg.Turn] = true
		}
	}
	return turns
}

// Of is what a message asks of the memory, or would if the memory knew what it is about.
func Of(msg state.Message) Command {
	c := Find(whose.Own(msg.Text))
	if msg.Role != state.RoleUser || msg.Unstored() && c.Action != DoNotRemember {
		return Command{Action: None}
	}
	return c
}
