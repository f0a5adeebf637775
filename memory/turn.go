package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect/reason"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// CarryOut is the second half of context_detect: what was active is parked, the affair named is opened or taken up, the user's
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
	moves := d.Kind == state.Switch || d.Kind == state.NewAffair
	ended := t.m.idle(ctx, v.Session, msg.At) && (d.Kind != state.Continue || d.AffairID == "")
	if moves || ended {
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
	if moves {
		if d.Kind == state.NewAffair {
			d.AffairID = t.m.c.NewID()
			e.create(d, msg)
		} else {
			e.activate(d.AffairID)
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
	if !moves && !ended {
		return e.View, d, nil
	}
	view, err := t.m.window(ctx, e.Scope, e.View, msg.Seq)
	return view, d, err
}

// pipeline says that a node of a turn has memory changed, from its message.
func pipeline(path string, msg state.Message) state.By {
	return state.By{Who: state.ByPipeline, Path: path, Turn: msg.Turn, Message: msg.ID}
}

// edits are those of a decision, and the memory that they are decided in.
type edits struct {
	m *Memory
	*desk.Edits
}

// edit applies an affair edit to the view and adds it to the effects.
func (e *edits) edit(edit state.AffairEdit) {
	edit.At = cmp.Or(edit.At, e.m.c.Now())
	e.Add(state.Effect{Affair: &edit})
	at := slices.IndexFunc(e.View.Affairs, func(a *state.Affair) bool { return a.ID == edit.ID })
	if at < 0 {
		e.View.Affairs, at = slices.Insert(e.View.Affairs, 0, &state.Affair{}), 0
	}
	edited := *e.View.Affairs[at]
	ledger.EditAffair(&edited, edit, e.Scope)
	e.View.Affairs[at] = &edited
}

// park sets aside what is active in a session that ends.
func (m *Memory) park(ctx context.Context, e *desk.Edits) error {
	return (&edits{m, e}).park(ctx, e.View.Session.Messages+1)
}

// park sets the active affair aside.
func (e *edits) park(ctx context.Context, seq int64) error {
	if active := e.View.Active(); active != nil {
		return e.setAside(ctx, *active, state.Parked, seq)
	}
	return nil
}

// setAside parks or resolves an affair, with a summary of what was said of it before message number seq and of what is said now. Its facts and
// pending actions are those that its messages gave it, each in its turn, until a model writes the whole list. Within a turn the small model is
// not asked before the reply, and the affair notes that it is due.
func (e *edits) setAside(ctx context.Context, a state.Affair, to state.Status, seq int64, now ...state.Message) error {
	said, err := e.m.filed(ctx, e.Scope, seq, a.ID)
	if err != nil {
		return err
	}
	said = append(said, now...)

	// What a model has summed up the rules add nothing to; what is settled waits for nothing.
	edit := state.AffairEdit{ID: a.ID, Status: to, SetSumUp: true, SetPending: to == state.Resolved}
	sums := e.m.desk.Sums(ctx, e.View.Agent)
	if !sums || a.Summary == "" {
		edit.Summary = parts.ByRule(e.m.c.Tokens.Count)(a.Summary, said, e.m.desk.Set(ctx).SummaryMaxTokens)
	}
	switch {
	case !sums:
	case e.Behind || state.EffectsFrom(ctx) == nil:
		e.improve(ctx, a, said, "", &edit)
	default:
		edit.SumUp = e.Scope.Session
	}
	e.edit(edit)
	return nil
}

// sweptAtOnce bounds how many affairs a turn archives.
const sweptAtOnce = 16

// sweep archives resolved affairs: those untouched for archive_after_days, and while more affairs are in sight than may be hot,
// those untouched for longest. The one that the turn is about stays.
func (e *edits) sweep(ctx context.Context) {
	days, over, swept := e.m.desk.Set(ctx).ArchiveAfterDays, len(e.View.Affairs)-e.m.desk.Set(ctx).HotAffairsMax, 0
	if days == 0 {
		return
	}

	now := e.m.c.Now()
	for _, a := range slices.Backward(e.View.Affairs) {
		old := now.Sub(a.UpdatedAt) > time.Duration(days)*24*time.Hour
		if a.Status != state.Resolved || a.ID == e.View.Target || !old && over <= 0 {
			continue
		}
		state.TraceFrom(ctx).Note("archived: %q, resolved, last touched %s", a.Title, a.UpdatedAt.Format(time.DateOnly))
		e.edit(state.AffairEdit{ID: a.ID, Status: state.Archived})
		over--
		if swept++; swept == sweptAtOnce {
			return
		}
	}
}

func (e *edits) create(d state.Decision, msg state.Message) {
	now := e.m.c.Now()
	e.edit(state.AffairEdit{ID: d.AffairID, Create: &state.Affair{
		ID: d.AffairID, Client: e.Scope.Client, User: e.Scope.User, Project: e.View.Project, Session: e.Scope.Session,
		Title: d.Title, TitleBy: d.TitleBy, Status: state.Active, Topics: facts.Topics(desk.Said(msg), e.m.language(e.View, msg)), CreatedAt: now, UpdatedAt: now,
	}})
}

func (e *edits) activate(id string) {
	e.edit(state.AffairEdit{ID: id, Status: state.Active, Session: e.Scope.Session})
}

// filed returns the session's messages before number seq that are filed under an affair, oldest first, as far as they were said
// since the session was last cleared: what was cleared or forgotten stands in no summary that is made later. Commands to the memory are not among them.
func (m *Memory) filed(ctx context.Context, scope state.Scope, seq int64, affair string) ([]state.Message, error) {
	gone, err := m.desk.Cleared(ctx, scope)
	if err != nil {
		return nil, err
	}
	into, err := m.desk.Joined(ctx, scope)
	if err != nil {
		return nil, err
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	d.Unlock()
	put := refiledIn(ctx, scope)
	read, err := m.desk.LastMessages(ctx, scope, seq, desk.LookBack, func(msg state.Message) bool {
		return into.Of(cmp.Or(put[msg.Seq], msg.Affair)) == affair && !gone.Hides(scope.Session, msg.Seq) && msg.Role != state.RoleTool && !msg.Unstored()
	})
	obeyed := obeyedTurns(read)
	return slices.DeleteFunc(read, func(msg state.Message) bool { return obeyed[msg.Turn] || msg.Text == "" }), err
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Judge is the first half of context_detect: the message is judged, against what was active however long ago that was. Paid
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

// goOn is the decision about a command to the memory: what is active stays so, and nothing is opened. After a pause a new part of the session
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
