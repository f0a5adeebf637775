package nodes

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// takeReply takes the reply out of an answer whose calls bring it along. It stays with this run: in another attempt, and where a call comes to
// something else than was asked for, the model is asked for one. An answer with any other call has none, its result may change what is said.
func (r *responder) takeReply(msg state.Message) state.Message {
	r.reply = ""
	whole := true
	for i, c := range msg.ToolCalls {
		rest, reply := tools.TakeReply(c.Name, c.Arguments)
		msg.ToolCalls[i].Arguments = rest
		if reply != "" {
			r.reply = reply
		}
		name := tools.Canonical(c.Name)
		whole = whole && tools.BuiltIn(name) && (name == tools.SwitchAffair || tools.Writes(name, rest))
	}
	if !whole {
		r.reply = ""
	}
	return msg
}

// sayReply makes the reply that the calls of an answer brought along the answer of the turn, when all of them were carried out.
func (r *responder) sayReply(ctx context.Context, t *state.Turn, calls []*call) {
	carried := func(c *call) bool { return c.err == nil && tools.Carried(c.result) }
	if r.reply == "" || slices.ContainsFunc(calls, func(c *call) bool { return !carried(c) }) {
		return
	}
	said := r.say(ctx, t, state.Message{Role: state.RoleAssistant, Text: r.reply})
	r.reply = ""
	state.Emit(ctx, state.Event{Name: state.TokenEvent, Node: RespondName, Text: said.Text})
}
