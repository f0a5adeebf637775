package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/detect/reason"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// A message is judged against what was active, however long ago that was. After session_idle_minutes it begins a session, and the likelier of
// staying and leaving counts, not only a leaving that is sure.
//
// Every affair is a target of a message, also one that is not hot: the rest of it is read when a decision names it. An archived one
// is a target only of a message that says its title, before a restart and after it.

// Detect decides what the message does to the conversation. The rules answer first; the small model, when there is one,
// judges when they are unsure, or in doubt whether an affair is new (setting detect: hybrid), or always (model, or ask), or never (rules; tool, where the
// answering model is told what was decided and puts it right by the tool switch_affair). It
// is asked once, for detect_timeout at most. Its error, silence or nonsense leaves the rules' answer and a note in the trace.
func (t Turn) Detect(ctx context.Context, v state.View, msg state.Message, ask bool) (d state.Decision, err error) {
	ctx = t.m.desk.Under(ctx, desk.ScopeOf(v.Session))
	scope := desk.ScopeOf(v.Session)
	known, err := t.m.desk.Mind(ctx, scope)
	if err != nil {
		return d, err
	}
	h, err := known.Heard(ctx, scope.Session, msg.Seq)
	if err != nil {
		known.Unlock()
		return d, err
	}
	h.SetCurrent(v.Session.Active)
	h.Next(msg.At)
	h.Idle(time.Duration(t.m.desk.Set(ctx).IdleMinutes) * time.Minute)
	rules := t.m.detector.At(t.m.desk.Set(ctx).SwitchThreshold).Classify(h, desk.Said(msg))
	v, err = known.Complete(ctx, v, known.Archived(rules.Targets)...)
	known.Unlock()
	if err != nil {
		return d, err
	}
	if t.m.idle(ctx, v.Session, msg.At) && rules.Greets { // a greeting after a silence leaves what was active
		v.Session.Active = ""
	}
	state.TraceFrom(ctx).Judged(rules.Best.Reasoning)
	if whole := len(msg.Said()); whole > desk.MostRead {
		state.TraceFrom(ctx).Note("detect: of a message of %d bytes the first %d were read for what it is about", whole, desk.MostRead)
	}

	// The rules decide.
	d, like, err := t.m.target(ctx, v, msg, rules.Decision, rules.Cues)
	if err != nil {
		return d, err
	}
	if t.m.desk.Set(ctx).Detect != "tool" { // there the answering model says what is settled
		d.Closes = closes(v, msg, t.m.language(v, msg), rules, d.AffairID)
	}
	d.Reasoning = reason.Of(v, desk.Said(msg), d, t.m.language(v, msg), t.m.c.Now())

	// The model does where it is to, and is shown the likeliest affairs first.
	tasks := t.m.desk.Small(ctx, v.Agent)
	if tasks == nil || !t.m.asks(ctx, rules.Unsure || like != "", ask) {
		return d, nil
	}
	shown, err := t.m.shown(ctx, v, msg, append([]string{like}, rules.Targets...))
	if err != nil {
		return d, err
	}
	answer, err := tasks.Detect(ctx, shown)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return d, nil
	case err != nil:
		state.TraceFrom(ctx).Note("detect: the rules decided, because the small model did not: %v", err)
		return d, nil
	}
	judged, _, err := t.m.target(ctx, v, msg, t.m.held(ctx, answer, rules, ask), rules.Cues)
	if judged.Closes = answer.Closes; !answer.SaysCloses {
		judged.Closes = closes(v, msg, t.m.language(v, msg), rules, judged.AffairID)
	}
	return judged, err
}

// asks reports whether the small model is to judge.
func (m *Memory) asks(ctx context.Context, unsure, ask bool) bool {
	switch m.desk.Set(ctx).Detect {
	case "model":
		return true
	case "rules", "tool":
		return ask
	}
	return ask || unsure
}

// shownMessages is how many of the session's last messages a judge may be shown.
const shownMessages = 12

// shown returns what a judge is shown: of many affairs the likely targets first.
func (m *Memory) shown(ctx context.Context, v state.View, msg state.Message, likely []string) (in background.DetectInput, err error) {
	if v, err = m.desk.Complete(ctx, v, likely...); err != nil {
		return in, err
	}

	scope, affairs := desk.ScopeOf(v.Session), first(v.Affairs, likely)
	known, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return in, err
	}
	lately := known.Lately(affairs)
	known.Unlock()

	recent, err := m.desk.LastMessages(ctx, scope, msg.Seq, shownMessages, func(old state.Message) bool {
		return old.Seq > v.Session.WindowFrom && old.Role != state.RoleTool && old.Text != "" && !old.Unstored()
	})
	if err != nil {
		return in, err
	}

	current, err := m.summed(ctx, scope, v.Active(), msg.Seq)
	return background.DetectInput{
		Message: desk.Said(msg), Current: current, Affairs: affairs, Said: lately, Recent: recent,
		Since: v.Session.LastSwitchAt, Now: m.c.Now().In(m.desk.Set(ctx).Location()), Language: m.language(v, msg),
	}, err
}

// summed returns the active affair, with a summary: one that is young has none yet.
func (m *Memory) summed(ctx context.Context, scope state.Scope, active *state.Affair, seq int64) (*state.Affair, error) {
	if active == nil || active.Summary != "" {
		return active, nil
	}
	said, err := m.filed(ctx, scope, seq, active.ID)
	young := *active
	young.Summary = affair.Summarise("", affair.FromUser(said), m.desk.Set(ctx).SummaryMaxTokens, m.c.Tokens.Count)
	return &young, err
}

// leaning is the confidence at which a model's change is taken when the rules lean to a change too.
const leaning = 0.5

// held returns a model's answer, held to the threshold: a change below it goes on with what is active. A question aside about an affair is taken at any
// confidence, one about none and a change that the rules lean to as well from leaning on. A scripted answer is held to the threshold whatever it is.
func (m *Memory) held(ctx context.Context, answer background.DetectAnswer, rules detect.Result, scripted bool) state.Decision {
	d := state.Decision{
		Kind: answer.Type, AffairID: answer.Target, Title: answer.NewTitle, TitleBy: state.AuthorModel,
		Confidence: answer.Confidence, Reasoning: answer.Reasoning, By: "model",
	}
	threshold := m.desk.Set(ctx).SwitchThreshold
	switch {
	case scripted:
	case d.Kind == state.AdHoc && d.AffairID != "":
		threshold = 0
	case d.Kind == state.AdHoc, rules.Probabilities[state.Continue] < leaning:
		threshold = min(threshold, leaning)
	}
	if d.Kind != state.Continue && d.Confidence < threshold {
		d.Reasoning = fmt.Sprintf("%s (%s at %.2f is below the threshold %.2f)", d.Reasoning, d.Kind, d.Confidence, threshold)
		d.Kind, d.AffairID, d.Title = state.Continue, "", ""
	}
	return d
}

// target settles which affair the decision names, so that every later step can rely on it: CONTINUE the active one, SWITCH
// an existing other one, NEW_AFFAIR one that is really new (the duplicate guard), with a title. Like is one that a new affair
// may be the same as; a model, which is shown both, can tell.
func (m *Memory) target(ctx context.Context, v state.View, msg state.Message, d state.Decision, cues []string) (_ state.Decision, like string, err error) {
	// A new affair that is there already is switched to instead.
	if v, err = m.desk.Complete(ctx, v, d.AffairID); err != nil {
		return d, "", err
	}
	if d.Kind == state.NewAffair {
		if d, like, err = m.unique(ctx, v, opening(msg, cues), d); err != nil {
			return d, "", err
		}
	}

	// A switch to, or a question about, the active affair goes on with it.
	if d.Kind == state.Switch && (d.AffairID == v.Session.Active || d.AffairID == "") {
		d.Kind = state.Continue
	}
	if d.Kind == state.AdHoc && d.AffairID != "" && d.AffairID == v.Session.Active {
		d.Kind = state.Continue
	}

	// Each kind has its target: the active affair, none yet, or the one named.
	switch d.Kind {
	case state.Continue:
		d.AffairID = v.Session.Active
	case state.NewAffair:
		return d, like, nil
	}
	d.Title, d.TitleBy = "", ""
	if a, ok := v.Affair(d.AffairID); ok {
		d.Title = a.Title
	}
	return d, "", nil
}

// unique gives a new affair a title of its own, unless it is surely one the user already has: then it becomes a SWITCH.
func (m *Memory) unique(ctx context.Context, v state.View, msg state.Message, d state.Decision) (_ state.Decision, like string, err error) {
	lang := m.language(v, msg)
	if d.Title == "" || titledByOthers(d.Title, v, msg) {
		d.Title, d.TitleBy = facts.Title(ownWords(msg), lang), state.AuthorRules
	}
	candidate := affair.Learn(state.Affair{Title: d.Title, Topics: facts.Topics(desk.Said(msg), lang)}, msg, lang)
	known, err := m.desk.Mind(ctx, desk.ScopeOf(v.Session))
	if err != nil {
		return d, "", err
	}
	faces := known.Faces
	known.Unlock()
	like, _, sure := faces.Duplicate(candidate, v.Affairs)
	if !sure {
		d.Title, err = m.distinct(ctx, desk.ScopeOf(v.Session), "", d.Title, msg, lang)
		return d, like, err
	}
	d.Kind, d.AffairID, d.Title, d.TitleBy = state.Switch, like, "", ""
	d.Reasoning += "; it is not new: there is such an affair already"
	return d, "", nil
}

// first returns the affairs with those of the ids in front, in their order.
func first(list []*state.Affair, ids []string) []*state.Affair {
	place := func(a *state.Affair) int {
		if at := slices.Index(ids, a.ID); at >= 0 {
			return at
		}
		return len(ids)
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b *state.Affair) int { return place(a) - place(b) })
}
