package memory

import (
	"cmp"
	"context"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// A record is the memory of one agent. All read it. A tool call that nobody has approved of ends or changes another agent's only if
// the definition grants it (Agent.Writes); what the user says himself, and what the pipeline hears from him, changes any.

// systemOf is the system prompt of turns of the scope whose message brings none; "" = compose's own.
func (m *Memory) systemOf(scope state.Scope) string {
	if a, ok := state.AgentNamed(m.c.Agents, scope.Agent); ok {
		return compose.Core(a, a.Language, m.c.Now())
	}
	return m.c.System
}

// autonomy is what may be done to memory without asking: the setting, or less where the agent of the scope is defined with
// less. A scope without an agent is one of the turn that the context belongs to.
func (m *Memory) autonomy(ctx context.Context, scope state.Scope) int {
	ctx = m.under(ctx, scope)
	turn, _ := state.ScopeFrom(ctx)
	return state.AutonomyOf(m.c.Agents, cmp.Or(scope.Agent, turn.Agent, state.DefaultAgent), m.set(ctx).Autonomy)
}

// mayChange refuses what a tool call of an agent would change of another agent's memory, unless the definition of the agent that calls grants
// it. What a person asks for himself, or has approved of, may change any.
func (m *Memory) mayChange(ctx context.Context, scope state.Scope, of, what string) error {
	turn, _ := state.ScopeFrom(ctx)
	origin, _ := OriginFrom(ctx)
	own := cmp.Or(scope.Agent, turn.Agent, state.DefaultAgent)
	if approved(ctx) || origin.Approved || madeBy(ctx).Who != state.ByAgent || state.MayWrite(m.c.Agents, own, of) {
		return nil
	}
	return state.Errorf(state.Denied, what, "is agent %s's memory, which agent %s only reads; add %s to the key writes of %s's definition, or let the user ask for it",
		of, own, of, own)
}

// readOnly refuses what would write, where autonomy is 0; op names what it is, way what else can be done.
func (m *Memory) readOnly(ctx context.Context, scope state.Scope, op, way string) error {
	ctx = m.under(ctx, scope)
	switch {
	case m.set(ctx).Autonomy == 0:
		return state.Errorf(state.Denied, op, "memory is read-only (autonomy 0); %sraise the setting autonomy", way)
	case m.autonomy(ctx, scope) == 0:
		return state.Errorf(state.Denied, op, "memory is read-only for this agent (autonomy 0); %sraise autonomy in its definition", way)
	}
	return nil
}
