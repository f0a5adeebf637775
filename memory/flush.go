package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// Flush closes a turn's books: what the user's message states goes into the key facts of the affair it is
// filed under, what he says of himself becomes records of his own, closing words resolve the one they name or this one, summaries are brought forward when
// they are due, and the session learns how far it has come. The small model, when there is one, is asked here about all that the
// reply did not wait for: what was set aside, and the records that the turn has written. It adds the edits to the turn's effects
// and returns the view as it is then.
func (t Turn) Flush(ctx context.Context, v state.View, d state.Decision, written ...state.Receipt) (state.View, error) {
	ctx = t.m.desk.Under(ctx, desk.ScopeOf(v.Session))
	user, err := question(v)
	if err != nil {
		return v, err
	}
	e := &edits{t.m, &desk.Edits{Scope: desk.ScopeOf(v.Session), View: v, Behind: true, By: pipeline(flushPath, user)}}
	e.View.Affairs = slices.Clone(v.Affairs)
	if len(v.Turn) > 1 { // else respond has committed nothing, and the view knows more than the mind
		if err := e.refresh(ctx); err != nil {
			return v, err
		}
	}
	last := v.Turn[len(v.Turn)-1]
	lang := t.m.language(v, user)
	e.View.Session.Language = lang
	quiet, err := t.m.quiet(ctx, e.Scope, v.Turn)
	if err != nil {
		return v, err
	}
	if a, ok := e.View.Affair(v.Target); ok {
		if err := e.learn(ctx, a, user, lang, quiet); err != nil {
			return v, err
		}
	}
	if d.Closes != "" && !resolvedByCall(v.Turn) {
		if err := e.settle(ctx, user, d.Closes); err != nil {
			return v, err
		}
	}
	if !quiet {
		hears := e.Scope
		hears.Agent = v.Agent
		if err := t.m.hearUser(ctx, hears, user); err != nil {
			return v, err
		}
	}
	if err := e.keepBrought(ctx, user); err != nil {
		return v, err
	}
	s := &e.View.Session
	if e.View.Active() == nil {
		s.Active = ""
	}
	s.Messages, s.LastAt, s.Agent = last.Seq, t.m.c.Now(), v.Agent
	s.Touched = parts.Touch(s.Touched, v.Target)
	if err := e.askBehind(ctx, user, written); err != nil {
		return v, err
	}
	if err := e.archive(ctx); err != nil {
		return v, err
	}
	e.Add(state.Effect{Session: s})
	return e.View, t.m.desk.Decide(ctx, e.Effects...)
}

// refresh takes over what the turn's tools did to affairs.
func (e *edits) refresh(ctx context.Context) error {
	d, err := e.m.desk.Mind(ctx, e.Scope)
	if err != nil {
		return err
	}
	defer d.Unlock()

	fresh := d.Seen(e.Scope.Session)
	for _, a := range e.View.Affairs { // opened in this turn and not committed yet
		if !d.Knows(a.ID) {
			fresh = slices.Insert(fresh, 0, a)
		}
	}
	e.View.Affairs = fresh

	for _, a := range fresh {
		if a.Status == state.Active { // a tool took it up
			e.View.Session.Active = a.ID
		}
	}
	e.View, err = d.Complete(ctx, e.View, e.View.Target, e.View.Session.Active)
	return err
}

// quiet reports whether nothing is made of what the turn's message says: nothing of it may be kept, it is a command to the memory that respond
// has carried out, or something was forgotten for it.
func (m *Memory) quiet(ctx context.Context, scope state.Scope, turn []state.Message) (bool, error) {
	if turn[0].Unstored() || carriedOut(turn) {
		return true, nil
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return false, err
	}
	defer d.Unlock()
	return d.ForgotIn(turn[0].Turn), nil
}

// learn brings an affair forward by the turn's messages, a quiet one by their number alone.
func (e *edits) learn(ctx context.Context, a state.Affair, user state.Message, lang string, quiet bool) error {
	// A quiet affair learns nothing of what was said.
	if quiet {
		e.edit(state.AffairEdit{ID: a.ID, Messages: len(spokenIn(e.View.Turn))})
		return nil
	}

	// What is new: facts, pending actions, topics, a better title.
	learnt := affair.Learn(a, user, lang)
	edit := state.AffairEdit{ID: a.ID, Facts: besideTools(a, learnt, user.At), Topics: learnt.Topics}
	if scheduled(e.View.Turn) { // its day is the task's
		edit.Facts = slices.DeleteFunc(edit.Facts, isMoment(user, lang))
	}
	if !scheduled(e.View.Turn) && !slices.Equal(learnt.PendingActions, a.PendingActions) {
		edit.Pending, edit.SetPending = learnt.PendingActions, true
	}
	sums := e.m.desk.Sums(ctx, e.View.Agent)
	if sums && affair.Unsettles(a, user, lang) { // what a model has written, a model writes anew
		edit.SumUp, edit.SetSumUp = e.Scope.Session, true
	}
	title, err := e.betterTitle(ctx, a, user, lang)
	if err != nil {
		return err
	}
	if title != "" {
		edit.Title, edit.TitleBy = title, state.AuthorRules
	}

	// The summary is renewed each time that the messages pass a multiple of two windows, if the affair is not to be summed up behind the reply.
	edit.Messages = len(spokenIn(e.View.Turn))
	step := 2 * e.m.desk.Set(ctx).SummaryWindow
	due := sums && (a.SumUp == e.Scope.Session || edit.SetSumUp)
	if before, after := a.Messages/step, (a.Messages+edit.Messages)/step; after > before && !due && e.m.desk.Set(ctx).SummaryStrategy != desk.SummaryOff {
		said, err := e.m.filed(ctx, e.Scope, user.Seq, a.ID)
		if err != nil {
			return err
		}
		said = append(said, stored(spokenIn(e.View.Turn))...) // they may have changed what the others say
		edit.Summary = e.m.desk.SumUp(ctx, e.View.Agent, a.Title, a.Summary, said, e.m.desk.Set(ctx).SummaryMaxTokens)
	}
	e.edit(edit)
	return nil
}

// isMoment tells the days and times of a message among facts.
func isMoment(msg state.Message, lang string) func(state.Fact) bool {
	found := facts.Read(msg.Text, lang).Exact()
	return func(k state.Fact) bool {
		return slices.ContainsFunc(found, func(f facts.Fact) bool {
			return f.Value == k.Value && f.Moment()
		})
	}
}

// scheduled reports whether the turn has set a task: then what its message has to be done is that.
func scheduled(turn []state.Message) bool {
	return slices.ContainsFunc(turn, func(msg state.Message) bool {
		return msg.ToolName == "schedule_task" && strings.HasPrefix(msg.Text, "scheduled ")
	})
}

// besideTools returns what the rules have learnt of a message: what a tool has set in its turn stands over it.
func besideTools(a, learnt state.Affair, since time.Time) state.Facts {
	return slices.DeleteFunc(learnt.KeyFacts.ChangesFrom(a.KeyFacts), func(f state.Fact) bool {
		return slices.ContainsFunc(a.KeyFacts, func(had state.Fact) bool { return had.Label == f.Label && !had.Since.Before(since) })
	})
}
