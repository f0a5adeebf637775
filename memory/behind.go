package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
)

// askBehind asks the small model what the reply did not wait for.
func (e *edits) askBehind(ctx context.Context, user state.Message, written []state.Receipt) error {
	if err := e.confirm(ctx, written); err != nil {
		return err
	}
	if err := e.sumUp(ctx, user); err != nil {
		return err
	}
	return e.m.sessions.Summarise(ctx, e.Edits)
}

// sumUp has the small model sum up what the session's turns have set aside before their replies: this one, or one that was cut
// off before it came so far.
func (e *edits) sumUp(ctx context.Context, user state.Message) error {
	if !e.m.desk.Sums(ctx, e.View.Agent) {
		return nil
	}

	for _, a := range slices.Clone(e.View.Affairs) {
		if a.SumUp != e.Scope.Session {
			continue
		}
		edit := state.AffairEdit{ID: a.ID, SetSumUp: true, At: a.UpdatedAt}
		if a.Status != state.Archived {
			said, err := e.m.filed(ctx, e.Scope, user.Seq, a.ID)
			if err != nil {
				return err
			}
			left := ""
			switch now := stored(spokenIn(e.View.Turn)); {
			case a.ID == e.View.Target, a.Status == state.Resolved: // whatever the message that settles it is filed under
				said = append(said, now...)
			case len(now) > 0 && now[0].Role == state.RoleUser:
				left = now[0].Text
			}
			e.improve(ctx, *a, said, left, &edit)
		}
		e.edit(edit)
	}
	return nil
}

// confirm asks the small model, when there is one, what records that the turn's tools have stored are to the older ones that the
// rules compared them with, and puts right what it sees otherwise.
func (e *edits) confirm(ctx context.Context, written []state.Receipt) error {
	small, asked := e.m.desk.Small(ctx, e.View.Agent), map[string]bool{}
	if small == nil || len(written) == 0 || !e.m.desk.Allows(ctx, e.Scope) {
		return nil
	}

	// Each record that the rules have compared is asked about once.
	from, err := e.m.desk.Reads(ctx, e.Scope)
	if err != nil {
		return err
	}
	for _, w := range written {
		next, old, err := compared(ctx, from, e.Scope, w.ID)
		switch {
		case err != nil:
			return err
		case old.ID == "" || asked[w.ID] || next.Due != nil || old.Due != nil: // a task is no record of what is so
			continue
		}
		asked[w.ID] = true

		// A model that does not answer leaves the rules' verdict, and the trace tells.
		answer, err := small.Same(ctx, old, next)
		if err != nil {
			answer = background.SameAnswer{Kind: same.Unsure, Reasoning: "the rules"}
			if next.Replaces != "" {
				answer.Kind = same.Replaces
			}
			if !errors.Is(err, state.ErrNotFound) {
				state.TraceFrom(ctx).Note("write: the rules judged %q, because the small model did not: %v", next.Subject, err)
			}
		} else {
			answer.Reasoning = "the small model: " + answer.Reasoning
		}
		if e.correct(old, next, answer) {
			if err := e.endFacts(ctx, old, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// endFacts ends in the affair of a record what that has made untrue by taking the place of an old one.
func (e *edits) endFacts(ctx context.Context, old, next state.Record) error {
	d, err := e.m.desk.Mind(ctx, e.Scope)
	if err != nil {
		return err
	}
	edit, err := newFacts(ctx, d, plan{record: next, old: old, is: same.Verdict{Kind: same.Replaces}}, e.m.c.Now().UTC(), e.m.desk.Sums(ctx, e.View.Agent), e.Effects...)
	d.Unlock()
	if err != nil || edit == nil {
		return err
	}
	if _, shown := e.View.Affair(edit.ID); shown {
		e.edit(*edit)
	} else {
		e.Add(state.Effect{Affair: edit})
	}
	return nil
}

// compared returns a record and the older one that it was compared with: it has ended that, or the rules could not tell. Old is zero
// when there is none, or when either has been ended otherwise.
func compared(ctx context.Context, from ledger.Reader, scope state.Scope, id string) (next, old state.Record, err error) {
	next, err = ledger.Get[state.Record](ctx, from, state.Records, scope.Key(id))
	if errors.Is(err, state.ErrNotFound) {
		return next, old, nil
	}

	other := cmp.Or(next.Replaces, next.Like)
	if err != nil || other == "" || next.ValidTo != nil || next.Trust == state.TrustUser { // what the user says is not judged
		return next, old, err
	}

	old, err = ledger.Get[state.Record](ctx, from, state.Records, scope.Key(other))
	if err == nil && next.Trust.Foreign() && !old.Trust.Foreign() {
		return next, state.Record{}, nil
	}

	ended := err == nil && old.ValidTo != nil && old.ReplacedBy != next.ID
	if errors.Is(err, state.ErrNotFound) || ended {
		return next, state.Record{}, nil
	}
	return next, old, err
}

// correct makes of two records what the small model says that the newer one is to the older one, or the rules, and reports whether it takes its place.
func (e *edits) correct(old, next state.Record, is background.SameAnswer) bool {
	by := e.By
	defer func() { e.By = by }()
	e.By.Why = is.Reasoning

	now := e.m.c.Now()
	replaces := is.Kind == same.Refines || is.Kind == same.Replaces
	whole := withLeft(old, next, is.Stays)
	taken, asked := next.Replaces != "", next.Like != "" && is.Kind != same.Unsure
	if !asked && replaces == taken && is.Kind != same.Same && (!replaces || whole == next.Content) {
		return replaces // as the rules said
	}

	// What the rules decided is taken back before the model's verdict is put in its place.
	old.ValidTo, old.ReplacedBy, next.Replaces, next.Like = nil, "", "", ""
	switch {
	case replaces:
		old.ValidTo, old.ReplacedBy = &now, next.ID
		next.Content = whole
		next.Replaces, next.Pinned, next.Importance = old.ID, next.Pinned || old.Pinned, max(next.Importance, old.Importance)
	case is.Kind == same.Same:
		next.ValidTo, next.ReplacedBy = &now, old.ID
	}

	if taken || replaces {
		e.Add(state.Effect{Record: &old})
	}
	e.Add(state.Effect{Record: &next})
	return replaces
}
