package desk

import (
	"cmp"
	"context"

	"github.com/mneme-graph/mneme/state"
)

// A record is the memory of one agent. All read it. A tool call that nobody has approved of ends or changes another agent's only if
// the definition grants it (Agent.Writes); what the user says himself, and what the pipeline hears from him, changes any.

// Autonomy returns what may be done to memory without asking: the setting, or less where the agent of the scope is defined with
// less. A scope without an agent is one of the turn that the context belongs to.
func (k *Desk) Autonomy(ctx context.Context, scope state.Scope) int {
	ctx = k.Under(ctx, scope)
	turn, _ := state.ScopeFrom(ctx)
	return state.AutonomyOf(k.Agents, cmp.Or(scope.Agent, turn.Agent, state.DefaultAgent), k.Set(ctx).Autonomy)
}

// MayChange refuses what a tool call of an agent would change of another agent's memory, unless the definition of the agent that calls grants
// it. What a person asks for himself, or has approved of, may change any.
func (k *Desk) MayChange(ctx context.Context, scope state.Scope, of, what string) error {
	turn, _ := state.ScopeFrom(ctx)
	call := CallFrom(ctx)
	own := cmp.Or(scope.Agent, turn.Agent, state.DefaultAgent)
	if call.approved || call.Approved || MadeBy(ctx).Who != state.ByAgent || state.MayWrite(k.Agents, own, of) {
		return nil
	}
	return state.Errorf(state.Denied, what, "is agent %s's memory, which agent %s only reads; add %s to the key writes of %s's definition, or let the user ask for it",
		of, own, of, own)
}

// ReadOnly refuses what would write, where autonomy is 0; op names what it is, way what else can be done.
func (k *Desk) ReadOnly(ctx context.Context, scope state.Scope, op, way string) error {
	ctx = k.Under(ctx, scope)
	switch {
	case k.Set(ctx).Autonomy == 0:
		return state.Errorf(state.Denied, op, "memory is read-only (autonomy 0); %sraise the setting autonomy", way)
	case k.Autonomy(ctx, scope) == 0:
		return state.Errorf(state.Denied, op, "memory is read-only for this agent (autonomy 0); %sraise autonomy in its definition", way)
	}
	return nil
}

// Levels of autonomy.
const (
	ReadOnlyLevel   = 0
	suggestLevel    = 1
	writeLevel      = 2
	ReorganiseLevel = 3
)

// Allows reports whether memory may be edited for the scope without asking.
func (k *Desk) Allows(ctx context.Context, scope state.Scope) bool {
	call := CallFrom(ctx)
	if call.approved {
		return true
	}
	level := k.Autonomy(ctx, scope)
	if call.Suggests {
		return false
	}
	return level >= writeLevel || level == suggestLevel && (call.Approved || call.Ordered)
}

// fence refuses edits that have come around the gate: a mistake of ours, and rather an error than an edit that nobody was asked about.
func (k *Desk) fence(ctx context.Context, effects []state.Effect) error {
	var allowed state.Scope // which was looked up last
	for _, e := range effects {
		if !IsEdit(e) || e.Scope == allowed {
			continue
		}
		if allowed = e.Scope; !k.Allows(ctx, e.Scope) {
			return cmp.Or(k.ReadOnly(ctx, e.Scope, "edit of memory", ""), error(state.Errorf(state.Internal, "edit of memory", "asks nobody by way of %s, and autonomy is 1", e.By.Path)))
		}
	}
	return nil
}

// IsEdit reports whether an effect is an edit of memory and no bookkeeping.
func IsEdit(e state.Effect) bool {
	switch {
	case e.Record != nil:
		return e.Record.Span == nil
	case e.Restore != nil:
		return e.Restore.Collection == state.Records
	case e.Affair != nil:
		return e.By != nil && e.By.Who != state.ByPipeline && e.By.Path != EndPath
	}
	return e.Repeat != nil || e.Archive != nil
}

// Wish is an edit of memory as a door was asked for it: what the gate lets pass, or keeps as a suggestion until its user answers.
type Wish struct {
	Kind    string   // names the door, and says how Request is read
	Request any      // what the door needs to carry it out later; it is kept as BSON
	Asks    string   // what is asked for, in a word or two
	Says    string   // the same as a person reads it
	Of      []string // ids of what it edits
	Target  string   // the agent whose memory it edits; "" = the asker's own, or nobody's
}
