package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/affair"
	"github.com/mneme-graph/mneme/memory/background"
	"github.com/mneme-graph/mneme/memory/detect"
	"github.com/mneme-graph/mneme/memory/facts"
	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// Detect decides what the message does to the conversation. The rules answer first; the small model, when
// there is one, judges when they are unsure (settings detect: hybrid), or always (model, or ask). Its error,
// timeout or nonsense leaves the rules' answer and a note in the trace.
func (m *Memory) Detect(ctx context.Context, v state.View, msg state.Message, ask bool) (d state.Decision, err error) {
	scope := scopeOf(v.Session)
	mind, err := m.mind(ctx, scope)
	if err != nil {
		return d, err
	}
	h, err := m.historyFor(ctx, mind, scope, msg.Seq)
	if err != nil {
		mind.mu.Unlock()
		return d, err
	}
	h.describe(v.Affairs, v.Session.Active)
	rules := m.detector.Classify(h.History, said(msg))
	mind.mu.Unlock()

	d = rules.Decision
	d.By, d.Closing = "rules", rules.Closing
	if tasks := m.small(ctx); tasks != nil && m.asks(rules, ask) {
		judged, err := m.judge(ctx, tasks, v, msg)
		switch {
		case err == nil:
			judged.Closing = rules.Closing
			d = judged
		case !errors.Is(err, state.ErrNotFound):
			state.TraceFrom(ctx).Note("detect: the rules decided, because the small model did not: %v", err)
		}
	}
	return m.target(ctx, v, msg, d, rules.Cues), nil
}

// asks reports whether the small model is to judge.
func (m *Memory) asks(rules detect.Result, ask bool) bool {
	switch m.c.Settings.Detect {
	case "model":
		return true
	case "rules":
		return ask
	}
	return ask || rules.Unsure
}

// judge asks the small model and holds its answer to the threshold.
func (m *Memory) judge(ctx context.Context, tasks *background.Tasks, v state.View, msg state.Message) (d state.Decision, err error) {
	answer, err := tasks.Detect(ctx, background.DetectInput{
		Message: said(msg), Current: v.Active(), Affairs: v.Affairs, Recent: v.Window, Language: m.language(v, msg),
	})
	if err != nil {
		return d, err
	}
	d = state.Decision{
		Kind: answer.Type, AffairID: answer.Target, Title: answer.NewTitle,
		Confidence: answer.Confidence, Reasoning: answer.Reasoning, By: "model",
	}
	if d.Kind != state.Continue && d.Confidence < m.c.Settings.SwitchThreshold {
		d.Reasoning = fmt.Sprintf("%s (%s at %.2f is below the threshold %.2f)", d.Reasoning, d.Kind, d.Confidence, m.c.Settings.SwitchThreshold)
		d.Kind, d.AffairID, d.Title = state.Continue, "", ""
	}
	return d, nil
}

// target settles which affair the decision names, so that every later step can rely on it: CONTINUE the
// active one, SWITCH an existing other one, NEW_AFFAIR one that is really new (the duplicate guard).
func (m *Memory) target(ctx context.Context, v state.View, msg state.Message, d state.Decision, cues []string) state.Decision {
	if d.Kind == state.NewAffair {
		d = m.unique(ctx, v, opening(msg, cues), d)
	}
	if d.Kind == state.Switch && (d.AffairID == v.Session.Active || d.AffairID == "") {
		d.Kind = state.Continue
	}
	if d.Kind == state.AdHoc && d.AffairID != "" && d.AffairID == v.Session.Active {
		d.Kind = state.Continue
	}
	switch d.Kind {
	case state.Continue:
		d.AffairID = v.Session.Active
	case state.NewAffair:
		return d
	}
	d.Title = ""
	if a, ok := v.Affair(d.AffairID); ok {
		d.Title = a.Title
	}
	return d
}

// unique gives a new affair its title, unless it is one the user already has: then it becomes a SWITCH.
// When only the small model could tell, it is asked; without one both stay.
func (m *Memory) unique(ctx context.Context, v state.View, msg state.Message, d state.Decision) state.Decision {
	if d.Title == "" {
		d.Title = m.title(ctx, v, msg)
	}
	candidate := affair.Learn(state.Affair{Title: d.Title, Topics: facts.Topics(said(msg))}, msg, m.language(v, msg))
	id, similarity, sure := affair.Duplicate(candidate, v.Affairs)
	if id == "" {
		return d
	}
	if !sure {
		old, _ := v.Affair(id)
		same, err := m.small(ctx).Duplicate(ctx, candidate, old)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			state.TraceFrom(ctx).Note("duplicate guard: the small model did not answer: %v", err)
		}
		if err != nil || !same {
			return d
		}
	}
	d.Kind, d.AffairID, d.Title = state.Switch, id, ""
	d.Reasoning += fmt.Sprintf("; not new: %.2f like an affair there is", similarity)
	return d
}

// opening is the message without the phrases that only announce a change ("something else now"), which say
// nothing of what it is about.
func opening(msg state.Message, cues []string) state.Message {
	rest := said(msg)
	for _, cue := range cues {
		rest = strings.Replace(rest, cue, "", 1)
	}
	if len(text.Terms(rest)) > 0 {
		msg.Text, msg.Parts = strings.TrimLeft(rest, " .,:;!–—-\n"), nil
	}
	return msg
}

func (m *Memory) title(ctx context.Context, v state.View, msg state.Message) string {
	lang := m.language(v, msg)
	title, err := m.small(ctx).Title(ctx, said(msg), lang)
	if err == nil && title != "" {
		return title
	}
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		state.TraceFrom(ctx).Note("title: made by rule, the small model did not answer: %v", err)
	}
	return facts.Title(said(msg), lang)
}

// language is the message's, else the session's, else the last user message's that shows one, else English.
func (m *Memory) language(v state.View, msg state.Message) string {
	fallback := v.Session.Language
	if fallback == "" {
		fallback = "en"
	}
	return text.Language(said(msg), fallback)
}

// said is the text of a message with its text parts.
func said(msg state.Message) string {
	s := msg.Text
	for _, p := range msg.Parts {
		if p.Text != "" && p.Text != msg.Text {
			s += "\n" + p.Text
		}
	}
	return s
}

func scopeOf(s state.Session) state.Scope {
	return state.Scope{Client: s.Client, User: s.User, Session: s.ID}
}
