package memory

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// SaidBefore returns what the user said in the session before the turn that asks, commands to the memory aside that state nothing;
// state.ErrNotFound when that is nothing.
func (t Turn) SaidBefore(ctx context.Context, scope state.Scope) (state.Message, error) {
	origin := desk.CallFrom(ctx)
	said, err := t.m.desk.LastMessages(ctx, scope.Default(), origin.Seq, 1, func(msg state.Message) bool {
		asked := t.m.spoken(msg)
		return msg.Role == state.RoleUser && (asked.Action == "" || asked.states())
	})
	if err != nil {
		return state.Message{}, err
	}
	if len(said) == 0 {
		return state.Message{}, state.Errorf(state.NotFound, "message before", "there is none; say what is meant")
	}
	return said[0], nil
}

// Withhold sees to it that nothing is kept of what the user says in the turn that asks, or in the one before it: its messages stay in their
// session and are found nowhere else, the records made of them are forgotten, and so is what their affair has learnt of them. It returns the user's message. Without
// such a message it is state.ErrNotFound, with autonomy 0 state.ErrDenied.
func (t Turn) Withhold(ctx context.Context, scope state.Scope, before bool) (state.Message, error) {
	scope = scope.Default()
	ctx = t.m.desk.Under(ctx, scope)
	if err := t.m.writable(ctx, scope); err != nil {
		return state.Message{}, err
	}

	origin := desk.CallFrom(ctx)
	if err := mayWithhold(origin); err != nil {
		return state.Message{}, err
	}

	user := state.Message{Seq: origin.Seq, Turn: origin.Turn, Text: "message " + origin.Message}
	if before {
		var err error
		if user, err = t.SaidBefore(ctx, scope); err != nil {
			return user, err
		}
	}

	if err := t.m.suggestions.Gate(ctx, scope, desk.Wish{Kind: "withhold", Asks: "do not remember", Says: user.Text, Request: withholdWish{Seq: user.Seq, Turn: user.Turn}}); err != nil {
		return user, err
	}
	return t.m.withhold(ctx, scope, user, origin.Seq)
}

// withhold has nothing kept of the turn of a user's message, up to a number.
func (m *Memory) withhold(ctx context.Context, scope state.Scope, user state.Message, upTo int64) (state.Message, error) {
	// The turn's messages stay where they are, and nothing is made of them any more.
	said, err := m.desk.LastMessages(ctx, scope, upTo+1, desk.LookBack, func(msg state.Message) bool { return msg.Turn == user.Turn })
	if err != nil {
		return user, err
	}
	var effects []state.Effect
	for _, msg := range said {
		if !msg.Unstored() {
			effects = append(effects, state.Effect{Scope: scope, File: &state.MessageEdit{Seq: msg.Seq, Unstored: true}})
		}
		if msg.Seq == user.Seq {
			user = msg
		}
	}

	// Records that were learnt from the turn are forgotten.
	valid, err := m.validRecords(ctx, scope)
	if err != nil {
		return user, err
	}
	valid = slices.DeleteFunc(valid, func(r state.Record) bool { return r.Session != scope.Session || r.Source.Turn != user.Turn })
	_, edits, err := m.amended(ctx, scope, Amendment{Action: ForgetRecord}, valid)
	if err != nil {
		return user, err
	}

	// Its affair loses what it had learnt: key facts, then title, topics, pending actions and summary.
	learnt := affair.Learn(state.Affair{}, user, text.Language(user.Text, "en")).KeyFacts
	drops, err := m.dropFacts(ctx, scope, learnt, user.At, mind.Gone{}, nil, user.Affair)
	if err != nil {
		return user, err
	}
	anew, err := m.unlearn(ctx, scope, user, upTo)
	if err != nil {
		return user, err
	}
	return user, m.desk.Decide(ctx, slices.Concat(effects, edits, drops, anew)...)
}

// unlearn takes out of the title, topics, pending actions and summary of the affair of a user's message what no other message of the session
// says, up to a number. A title that the user gave stays.
func (m *Memory) unlearn(ctx context.Context, scope state.Scope, user state.Message, upTo int64) ([]state.Effect, error) {
	// The affair, and what else of the session is filed under it.
	a, err := m.affairOf(ctx, scope, user)
	if err != nil || a == nil {
		return nil, err
	}
	left, err := m.filed(ctx, scope, upTo, a.ID)
	if err != nil {
		return nil, err
	}
	left = affair.FromUser(slices.DeleteFunc(left, func(msg state.Message) bool { return msg.Turn == user.Turn }))

	// What the turn says and nothing else does goes.
	gone, lang := []state.Message{user}, text.Language(desk.Said(user), "en")
	was, is := affair.Values(gone, lang), affair.Values(left, lang)
	goes := func(s string) bool { return was[text.Fold(s)] && !is[text.Fold(s)] }

	edit := state.AffairEdit{
		ID: a.ID, At: m.c.Now(), Anew: true, SetPending: true, Summary: a.Summary,
		Topics: slices.DeleteFunc(slices.Clone(a.Topics), goes), Pending: slices.DeleteFunc(slices.Clone(a.PendingActions), goes),
	}

	// A summary or title that has words of it is made again.
	if affair.Names(a.Summary, gone, left) {
		edit.Summary = affair.Summarise("", left, m.desk.Set(ctx).SummaryMaxTokens, m.c.Tokens.Count)
	}
	if a.TitleBy != state.AuthorUser && affair.Names(a.Title, gone, left) {
		if edit.Title, err = m.titleOf(ctx, scope, a.ID, left, lang); err != nil {
			return nil, err
		}
		edit.TitleBy = state.AuthorRules
	}

	// An edit that changes nothing is none.
	if edit.Title == "" && edit.Summary == a.Summary && len(edit.Topics) == len(a.Topics) && len(edit.Pending) == len(a.PendingActions) {
		return nil, nil
	}
	return []state.Effect{{Scope: scope, Affair: &edit}}, nil
}

// affairOf returns the affair that a message is filed under, nil for none.
func (m *Memory) affairOf(ctx context.Context, scope state.Scope, msg state.Message) (*state.Affair, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	id := d.Joined.Of(msg.Affair)
	if id == "" || !d.Knows(id) || d.IsArchived(id) {
		return nil, nil
	}
	a, err := d.Whole(ctx, id)
	return &a, err
}

// titleOf returns a title for an affair by what is said in it, or the one of an affair of which nothing is known.
func (m *Memory) titleOf(ctx context.Context, scope state.Scope, id string, left []state.Message, lang string) (string, error) {
	for _, msg := range left {
		if title := facts.Title(desk.Said(msg), lang); !facts.Untitled(title) {
			return m.distinct(ctx, scope, id, title, msg, lang)
		}
	}
	return m.distinct(ctx, scope, id, facts.Title("", lang), state.Message{}, lang)
}
