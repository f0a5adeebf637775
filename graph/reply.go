package graph

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// turn prepares one call: the context says where its trace is collected and what it has of its own.
func (g *Graph) turn(ctx context.Context, req Request, stop <-chan struct{}) (context.Context, *turn) {
	t := &turn{trace: &state.Trace{}, record: &nodes.Record{}, now: g.c.Now, began: g.c.Now()}
	ctx = memory.ContextWithTurn(state.ContextWithTrace(ctx, t.trace))
	ctx = nodes.ContextWithOptions(ctx, nodes.Options{Model: req.Model, Tools: req.Tools, Record: t.record, Stop: stop})
	if req.Durability != "" {
		ctx = flow.ContextWithDurability(ctx, req.Durability)
	}
	if req.SmallModel != nil {
		ctx = memory.ContextWithSmall(ctx, req.SmallModel)
	}
	return ctx, t
}

// reply reads the answer out of the state a turn ended with.
func (t *turn) reply(s state.Turn, err error) (Reply, error) {
	view, d := s.View.Get(), s.Decision.Get()
	if f := s.Failure; err == nil && f.IsSet() {
		err = state.Errorf(f.Get().Code, "turn "+s.Input.Get().Turn, "%s", f.Get().Text)
	}
	var waiting *flow.WaitingError
	if errors.As(err, &waiting) {
		err = nil
	}
	r := Reply{
		Turn: s.Input.Get().Turn, Decision: d, Active: view.Active(), Parked: view.Parked(),
		Receipts: s.Receipts.Items(), Usage: s.Usage.Get(),
		Trace: Trace{
			Nodes: t.trace.Nodes(), Notes: t.trace.Notes(), Bill: t.trace.Bill(),
			Context: t.record.Context, Prompts: t.record.Prompts, Took: t.now().Sub(t.began),
		},
	}
	if a, ok := view.Affair(d.AffairID); ok && r.Decision.Title == "" {
		r.Decision.Title = a.Title
	}
	for _, msg := range view.Turn {
		r.say(msg)
	}
	if waiting != nil {
		r.Waits = waiting.Asked
	}
	return r, err
}

// say takes one message of the turn into the reply.
func (r *Reply) say(msg state.Message) {
	switch {
	case msg.Role == state.RoleUser && r.Decision.Reasoning == "":
		r.Decision.Reasoning = msg.Why
	case msg.Role == state.RoleTool:
		for i := range r.Tools {
			if r.Tools[i].ID == msg.ToolCallID && r.Tools[i].Result == "" {
				r.Tools[i].Result = msg.Text
				break
			}
		}
	case msg.Role == state.RoleAssistant && len(msg.ToolCalls) > 0:
		for _, c := range msg.ToolCalls {
			r.Tools = append(r.Tools, ToolUse{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
	case msg.Role == state.RoleAssistant:
		r.Text, r.Reasoning, r.Message = msg.Text, msg.Reasoning, msg
	}
}
