package memory

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// AffairChange is what a person changes about an affair. What is nil or empty stays as it is.
type AffairChange struct {
	Title     string      // stays then: no rule and no model gives another
	Summary   *string     // up to the next time that the affair is parked
	Facts     state.Facts // set label by label
	DropFacts []string    // labels of facts that go
	Pending   *[]string   // all of them
	Topics    []string    // all of them
}

// Create opens an affair by hand. It is PARKED, so that no conversation is taken elsewhere: ResumeAffair takes it up. A title
// that another one has is state.ErrConflict.
func (f Affairs) Create(ctx context.Context, scope state.Scope, title string, c AffairChange) (state.Affair, error) {
	c.Title = title
	if strings.TrimSpace(title) == "" {
		return state.Affair{}, state.Errorf(state.Invalid, "create affair", "it has no title; give it a few words")
	}
	scope = scope.Default()
	return f.m.editAs(f.m.desk.Under(ctx, scope), scope, state.Affair{}, c)
}

// Edit changes title, summary, key facts, pending actions or topics of an affair, named as for Affair. The feed keeps who
// did it. Nothing else that was decided at the same time is lost: facts are set label by label.
func (f Affairs) Edit(ctx context.Context, scope state.Scope, name string, c AffairChange) (state.Affair, error) {
	scope = scope.Default()
	ctx = f.m.desk.Under(ctx, scope)
	a, err := f.m.named(ctx, scope, name)
	switch {
	case err != nil:
		return a, err
	case a.MergedInto != "":
		return a, merged(a)
	}
	return f.m.editAs(ctx, scope, a, c)
}

// editAs carries a change out, on a new affair when a is none.
func (m *Memory) editAs(ctx context.Context, scope state.Scope, a state.Affair, c AffairChange) (state.Affair, error) {
	if origin := desk.CallFrom(ctx); origin.Unstored {
		return a, errUnstored("edit affair")
	}

	// The change as it can be kept; no two affairs have one title.
	c, err := m.checked(ctx, c)
	if err != nil {
		return a, err
	}
	if err := m.mustBeDistinct(ctx, scope, a.ID, c.Title); err != nil {
		return a, err
	}
	if err := m.suggestions.Gate(ctx, scope, affairWish{ID: a.ID, Change: c}.wish(a.Title)); err != nil {
		return a, err
	}

	// An empty field of the change leaves the affair's as it is.
	e := &edits{m, &desk.Edits{Scope: scope, By: desk.MadeBy(ctx)}}
	if a.ID != "" {
		e.View.Affairs = []*state.Affair{&a}
	}
	edit := state.AffairEdit{ID: a.ID, Title: c.Title, Facts: c.Facts, Drop: c.DropFacts, Topics: c.Topics}
	if c.Title != "" {
		edit.TitleBy = state.AuthorUser
	}
	if c.Summary != nil {
		edit.Summary = *c.Summary
	}
	if c.Pending != nil {
		edit.Pending, edit.SetPending = *c.Pending, true
	}

	// A new affair is parked: it is worked on when a turn switches to it.
	if a.ID == "" {
		now := m.c.Now()
		edit.ID = m.c.NewID()
		edit.Create = &state.Affair{
			ID: edit.ID, Client: scope.Client, User: scope.User, Title: c.Title, TitleBy: state.AuthorUser, Status: state.Parked, CreatedAt: now, UpdatedAt: now,
		}
	}
	e.edit(edit)
	if err := m.desk.Decide(ctx, e.Effects...); err != nil {
		return a, err
	}
	after, _ := e.View.Affair(edit.ID)
	return after, nil
}

// mustBeDistinct refuses a title that another of the user's affairs has; "" is none.
func (m *Memory) mustBeDistinct(ctx context.Context, scope state.Scope, own, title string) error {
	if title == "" {
		return nil
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return err
	}
	defer d.Unlock()
	for _, id := range d.Titled(title) {
		if other := d.Recognised(id, scope.Session); id != own && other.MergedInto == "" {
			return state.Errorf(state.Conflict, "affair "+title, "affair %s has that title, %s; take another one, or merge the two", id, other.Status)
		}
	}
	return nil
}

// checked returns a change with its secrets masked; one that cannot be kept is state.ErrInvalid.
func (m *Memory) checked(ctx context.Context, c AffairChange) (AffairChange, error) {
	const op = "edit affair"

	// The first error is the one that is told; the rest of the change is still looked through.
	var err error
	fail := func(what error) {
		if err == nil {
			err = what
		}
	}

	// Each text is checked before it is masked, and loses its secrets.
	clean := func(s, what string, most int) string {
		if !utf8.ValidString(s) {
			fail(state.Errorf(state.Invalid, op, "the %s is not valid UTF-8; send it as UTF-8 text", what))
		}
		if tooLong := state.CheckSize(op+": "+what, len(s), most, "a few words are enough"); tooLong != nil {
			fail(tooLong)
		}
		s, _ = m.desk.Masker.Secrets(strings.TrimSpace(s))
		return s
	}
	list := func(in []string, what string) []string {
		out := []string{}
		for _, s := range in {
			if s = clean(s, what, limit.SubjectBytes); s != "" {
				out = append(out, s)
			}
		}
		return out
	}

	// The fields in their order; what is nil stays nil, for it changes nothing.
	c.Title = clean(c.Title, "title", limit.SubjectBytes)
	if c.Summary != nil {
		s := clean(*c.Summary, "summary", 4*limit.SubjectBytes)
		s = m.c.Tokens.Cut(s, m.desk.Set(ctx).SummaryMaxTokens)
		c.Summary = &s
	}
	facts := state.Facts(nil)
	for _, f := range c.Facts {
		f = state.Fact{Label: clean(f.Label, "label of a fact", limit.SubjectBytes), Value: clean(f.Value, "value of a fact", limit.SubjectBytes)}
		if f.Label == "" || f.Value == "" {
			fail(state.Errorf(state.Invalid, op, "a fact needs a label and a value"))
		}
		facts = facts.With(f.Label, f.Value)
	}
	for i := range facts {
		facts[i].By = state.AuthorUser
	}
	c.Facts = facts
	if c.Pending != nil {
		pending := list(*c.Pending, "pending action")
		c.Pending = &pending
	}
	c.Topics = list(c.Topics, "topic")
	return c, err
}

// merged returns the error of who would go on with an affair that is part of another one.
func merged(a state.Affair) error {
	return state.Errorf(state.Conflict, "affair "+a.ID, "it was merged into affair %s; use that one", a.MergedInto)
}

// Merge makes one affair of two: facts, pending actions and topics of the first go into the second, and all that is filed
// under it is found there from now on. The first is archived and names the second; it is a target of nothing any more. A session in which
// it was active goes on with the second, unless that is active elsewhere. Merged again nothing changes.
func (f Affairs) Merge(ctx context.Context, scope state.Scope, name, into string) (state.Affair, error) {
	scope = scope.Default()
	ctx = f.m.desk.Under(ctx, scope)

	// The two affairs; one that was merged into the other before is done.
	from, err := f.m.named(ctx, scope, name)
	if err != nil {
		return from, err
	}
	to, err := f.m.named(ctx, scope, into)
	switch {
	case err != nil:
		return to, err
	case from.MergedInto == to.ID:
		return to, nil
	case from.ID == to.ID:
		return to, state.Errorf(state.Invalid, "merge affair "+from.ID, "into itself; name two")
	case from.MergedInto != "":
		return from, merged(from)
	case to.MergedInto != "":
		return to, merged(to)
	}

	// A session in which the first is active goes on with the second.
	if err := f.m.suggestions.Gate(ctx, scope, affairWish{ID: from.ID, Into: to.ID}.wish(from.Title+" into "+to.Title)); err != nil {
		return to, err
	}
	e := &edits{f.m, &desk.Edits{Scope: scope, By: desk.MadeBy(ctx)}}
	e.View.Affairs = []*state.Affair{&from, &to}
	if err := e.follow(ctx, from, to); err != nil {
		return to, err
	}
	e.edit(state.AffairEdit{ID: to.ID, Absorb: &from})
	e.edit(state.AffairEdit{ID: from.ID, Into: to.ID})
	if err := f.m.desk.Decide(ctx, e.Effects...); err != nil {
		return to, err
	}
	return f.Get(ctx, scope, to.ID)
}

// follow moves the session in which an affair is active to the one that it is merged into.
func (e *edits) follow(ctx context.Context, from, to state.Affair) error {
	d, err := e.m.desk.Mind(ctx, e.Scope)
	if err != nil {
		return err
	}
	defer d.Unlock()

	for _, s := range d.Sessions {
		if s.Active != from.ID {
			continue
		}
		e.Scope.Session = s.ID
		s.Active = ""
		if held := d.Hot(to.ID); held == nil || held.Status != state.Active {
			e.edit(state.AffairEdit{ID: from.ID, Status: state.Parked})
			e.activate(to.ID)
			s.Active = to.ID
		}
		e.Add(state.Effect{Session: &s})
	}
	return nil
}
