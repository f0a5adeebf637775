package memory

import (
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/state"
)

// Spoken is what a message asks of the memory itself, in the words of its sender: "remember that ...", "what do you know about me?".
type Spoken struct {
	Action string // remember, forget_last, do_not_remember, show_all, about_topic, clear_topic, correct, pin; "" = nothing
	Object string // what is to be remembered, the topic, the corrected statement; "" = the last thing said
}

// Spoken reads a message of a user by rules. One of which nothing may be kept asks for nothing. Safe for concurrent use.
func (m *Memory) Spoken(msg state.Message) Spoken {
	if msg.Unstored() || msg.Role != state.RoleUser {
		return Spoken{}
	}
	c := spoken.Find(msg.Text)
	if c.Action == spoken.None {
		return Spoken{}
	}
	return Spoken{string(c.Action), c.Object}
}
