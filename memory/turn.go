package memory

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect/reason"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// CarryOut returns the second half of context_detect: what was active is parked, the affair named is opened or taken up, the user's
// message is filed. It adds the edits to the turn's effects and returns the view as it is then. No model is asked.
// A session had ended when nothing was said in it for longer than session_idle_minutes: then it goes on as a new part, and any
// message but one that goes on with the active affair parks that.
// What is parked has an extracted summary. The small model, when there is one, gives a better one behind the reply.
func (t Turn) CarryOut(ctx context.Context, v state.View, d state.Decision) (state.View, state.Decision, error) {
	ctx = t.m.desk.Under(ctx, desk.ScopeOf(v.Session))
	msg, err := question(v)
	if err != nil {
		return v, d, err
	}
	e := &edits{t.m, &desk.Edits{Scope: desk.ScopeOf(v.Session), View: v, By: pipeline("context_detect", msg)}}
	e.By.Why = d.Reasoning
	e.View.Affairs = slices.Clone(v.Affairs)
	if e.View, err = t.m.desk.Complete(ctx, e.View, d.AffairID); err != nil {
		return v, d, err
	}
	now := t.m.c.Now()
	if e.View.Session.LastSwitchAt.IsZero() {
		e.View.Session.LastSwitchAt = now
	}
	ended := t.m.idle(ctx, v.Session, msg.At) && (d.Kind != state.Continue || d.AffairID == "")
	if moves(d) || ended {
		if err := e.park(ctx, msg.Seq); err != nil {
			return v, d, err
		}
		e.View.Session.Active = ""
	}
	if ended {
		e.View.Session.Preferences = nil
		parts.End(&e.View.Session, msg.Seq, e.View.Session.LastAt, msg.At)
		e.View.Session.LastAt = msg.At // also when the turn comes no further: the part is not over again
	}
	if moves(d) {
		if d.Kind == state.NewAffair {
			d.AffairID = t.m.c.NewID()
			e.create(d, msg)
		} else if err := e.takeUp(ctx, d.AffairID); err != nil {
			return v, d, err
		}
		e.View.Session.Active, e.View.Session.LastSwitchAt = d.AffairID, now
	}
	e.View.Target = d.AffairID
	e.sweep(ctx)
	e.Add(state.Effect{File: &state.MessageEdit{Seq: msg.Seq, Affair: d.AffairID, Why: d.Reasoning}})
	e.Add(state.Effect{Session: &e.View.Session})
	if err := t.m.desk.Decide(ctx, e.Effects...); err != nil {
		return v, d, err
	}
	if !moves(d) && !ended {
		return e.View, d, nil
	}
	view, err := t.m.window(ctx, e.Scope, e.View, msg.Seq, false)
	return view, d, err
}

// Judge returns the first half of context_detect: the message is judged, against what was active however long ago that was. Paid
// tells that a small model was asked. A view without a message, whose turn was taken back, is state.ErrNotFound, here and in all
// that follows.
func (t Turn) Judge(ctx context.Context, v state.View, ask bool) (d state.Decision, paid bool, err error) {
	ctx = t.m.desk.Under(ctx, desk.ScopeOf(v.Session))
	msg, err := question(v)
	if err != nil {
		return d, false, err
	}
	asks, err := t.Asks(ctx, desk.ScopeOf(v.Session), msg, false)
	if err != nil {
		return d, false, err
	}
	names := slices.ContainsFunc(asks, Spoken.names)
	if len(asks) > 0 && !ask && !names {
		return t.m.goOn(ctx, v, msg), false, nil
	}
	if state.TraceFrom(ctx) == nil { // the bill tells what was paid
		ctx = state.ContextWithTrace(ctx, &state.Trace{})
	}
	asked := func() int { return state.TraceFrom(ctx).Bill().Usage.SmallModelCalls }
	before := asked()
	d, err = t.Detect(ctx, v, msg, ask)
	if msg.Unstored() { // of what it says nothing is learnt, neither that something is over
		d.Closes = ""
	}
	switch {
	case d.Kind == state.NewAffair && msg.Unstored():
		d = state.Decision{Kind: state.Continue, Confidence: d.Confidence, By: d.By, Reasoning: "store_knowledge is false: no affair is opened"}
	case d.Kind == state.NewAffair && names && !ask:
		d = t.m.goOn(ctx, v, msg)
	case d.Kind == state.Switch && names && !ask:
		d.Kind = state.AdHoc
	}
	return d, asked() > before, err
}

// goOn returns the decision about a command to the memory: what is active stays so, and nothing is opened. After a pause a new part of the session
// begins with it.
func (m *Memory) goOn(ctx context.Context, v state.View, msg state.Message) state.Decision {
	d := state.Decision{Kind: state.Continue, AffairID: v.Session.Active, Confidence: 1, By: "rules"}
	if m.idle(ctx, v.Session, msg.At) {
		d.AffairID = ""
	}
	d.Reasoning = reason.Of(v, desk.Said(msg), d, m.language(v, msg), m.c.Now())
	return d
}

// Say adds a message of the running turn (the assistant's or a tool's) to its effects. Outside a step and Together there is nothing to add it
// to: state.ErrInvalid.
func Say(ctx context.Context, scope state.Scope, msg state.Message) error {
	sink := state.EffectsFrom(ctx)
	if sink == nil {
		return state.Errorf(state.Invalid, "message of a turn", "is said outside a step and would be lost; say it in one, or within Turn.Together")
	}
	sink.Add(state.Effect{Scope: scope.Default(), Message: &msg})
	return nil
}
