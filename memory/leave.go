package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// leaveAffairs takes what a record says that is forgotten with others out of its affair and the turn's, and of those that messages tell it in: these are
// looked for unless so much is forgotten at once that its affairs are named by the records. What stays of the record leaves nothing.
func (m *Memory) leaveAffairs(ctx context.Context, scope state.Scope, r state.Record, with []state.Record, stays string, decided []state.Effect) ([]state.Effect, error) {
	along := desk.DraftsOf(ctx, scope).Ended()
	for _, other := range with {
		along = append(along, other.ID)
	}
	is := mind.GoneOf(r).Along(along...)

	// The affairs.
	origin := desk.CallFrom(ctx)
	affairs := []string{r.Affair, origin.Affair}
	var hits []Hit
	if len(with) <= mostTelling {
		var err error
		if hits, err = m.Recall(ctx, Query{Scope: scope, Text: r.Content, Limit: 2 * mostTelling}); err != nil {
			return nil, err
		}
	}
	for _, h := range hits {
		if h.Message != nil && (h.Message.ID == r.Source.Message || is.StatedIn(h.Message.Text)) {
			affairs = append(affairs, h.Affair)
		}
	}

	// What they lose.
	var says []state.Fact
	goes := text.Terms(r.Gone)
	for _, f := range facts.Extract(r.Content, text.Language(r.Content, "en")) {
		numbers := slices.DeleteFunc(text.Terms(f.Value), func(t string) bool { return text.Digits(t) == 0 })
		inPart := len(numbers) > 0 && sharedTerms(numbers, goes) == len(numbers)
		if (r.Gone == "" || inPart || strings.Contains(r.Gone, f.Value)) && !strings.Contains(stays, f.Value) {
			says = append(says, state.Fact{Label: f.Label, Value: f.Value})
		}
	}
	return m.dropFacts(ctx, scope, says, time.Time{}, is.Except(stays), decided, affairs...)
}

// asDecided returns an affair as the edits of the running step leave it, and those that are to be decided with it: what is made of it whole is made of that. The
// caller holds the mind.
func asDecided(ctx context.Context, d *mind.Mind, id string, more ...state.Effect) (state.Affair, error) {
	a, err := d.Whole(ctx, id)
	if sink := state.EffectsFrom(ctx); sink != nil {
		more = slices.Concat(sink.List(), more)
	}
	for _, e := range more {
		if e.Affair != nil && e.Affair.ID == id {
			ledger.EditAffair(&a, *e.Affair, e.Scope)
		}
	}
	return a, err
}

// mostTelling is how many messages are looked at that may tell what is forgotten, and of how many records.
const mostTelling = 10

// dropFacts takes what a text says out of the key facts of affairs, as far as it came since, and what is gone with its codes, unless another
// valid record says them, out of facts, pending actions, summary, title and topics.
func (m *Memory) dropFacts(
	ctx context.Context, scope state.Scope, says []state.Fact, since time.Time, is mind.Gone, decided []state.Effect, affairs ...string,
) ([]state.Effect, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()

	var values []string
	for _, s := range says {
		values = append(values, s.Value)
	}
	codes, only := d.CodesOf(is, values...), d.Besides(is)
	gone := func(s string) bool {
		return is.States(s) || slices.ContainsFunc(codes, func(code string) bool { return strings.Contains(s, code) })
	}

	// Each affair that is still open loses the facts that the text states.
	var out []state.Effect
	slices.Sort(affairs)
	for _, of := range slices.Compact(affairs) {
		if of = d.Joined.Of(of); of == "" || !d.Knows(of) || d.IsArchived(of) {
			continue
		}
		a, err := asDecided(ctx, d, of, decided...)
		if err != nil {
			return nil, err
		}
		edit := state.AffairEdit{ID: of, At: m.c.Now()}
		stated := func(value string) bool {
			return slices.ContainsFunc(says, func(s state.Fact) bool { return text.Packed(s.Value) == text.Packed(value) })
		}
		for _, f := range a.PastFacts {
			if !f.Since.Before(since) && (stated(f.Value) || gone(f.Value) || gone(f.Label+" "+f.Value) || only.Unname(f.Label) != f.Label || only.Unname(f.Value) != f.Value) {
				edit.Unlearn = append(edit.Unlearn, f.Value)
			}
		}
		for _, f := range a.KeyFacts {
			left := only.Unname(f.Value)
			switch {
			case f.Since.Before(since):
			case stated(f.Value), gone(f.Value), gone(f.Label + " " + f.Value), only.Unname(f.Label) != f.Label, left != f.Value && len(text.Terms(strings.ReplaceAll(left, mind.Unsaid, ""))) == 0:
				edit.Drop = append(edit.Drop, f.Label)
			case left != f.Value:
				f.Value = left
				edit.Drop, edit.Facts = append(edit.Drop, f.Label), append(edit.Facts, f) // dropped first, so that no history has it
			}
		}
		leaveOut(&edit, a, gone, func(s string) string { // its rest stays, where it says something
			rest := only.Unname(s)
			if rest == s || gone(rest) || len(text.Terms(strings.ReplaceAll(rest, mind.Unsaid, ""))) < 3 {
				return ""
			}
			return rest
		})
		strikeOut(&edit, a, only)
		if len(edit.Drop) > 0 || len(edit.Unlearn) > 0 || edit.SetPending {
			out = append(out, state.Effect{Scope: scope, Affair: &edit})
		}
	}
	return out, nil
}

// twins returns the records that were stored from the same message as one and say nothing that it does not say, and not what stays of it.
func (m *Memory) twins(ctx context.Context, scope state.Scope, of state.Record, stays string) (out []state.Record, err error) {
	if of.Source.Message == "" {
		return nil, nil
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	stored := slices.Clone(d.Stated(of.Session, of.Source.Message))
	d.Unlock()

	says := func(s string, r state.Record) bool {
		terms := text.Terms(r.Content)
		return len(terms) > 0 && sharedTerms(terms, text.Terms(s)) == len(terms)
	}
	for _, r := range stored {
		if newer, ok := desk.DraftsOf(ctx, scope).Get(r.ID); ok {
			r = newer
		}
		if r.ID != of.ID && r.Holds(m.c.Now()) && says(of.Content, r) && !says(stays, r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// checkKeep refuses to keep what the record does not say, and anything where not one record is meant. What is kept has the trust of the record, so that
// no word may be new, nor one that turns it round.
func (a Amendment) checkKeep(found []state.Record) error {
	const op = "amend memory"
	switch {
	case a.Keep == "":
		return nil
	case len(found) != 1 || found[0].Span != nil:
		return state.Errorf(state.Invalid, op, "what is kept is the rest of one record that is forgotten; name it by its id")
	}
	if !saysAll(found[0], whose.Read(a.Keep)) {
		return state.Errorf(state.Invalid, op, "what is kept says what the record does not: %q; repeat only what of it stays, in its words", text.Head(a.Keep, 60))
	}
	return nil
}

// keepRest keeps what of a record stays that was forgotten, as it was kept.
func (m *Memory) keepRest(ctx context.Context, scope state.Scope, r state.Record, rest string) (Amended, error) {
	origin := desk.CallFrom(ctx)
	origin.Ground, origin.Affair = nil, r.Affair // it was admitted before
	subject := mind.GoneOf(r).Except(rest).Strike(r.Subject)
	c := correction(r, Amendment{Content: rest, Subject: &subject})
	c.corrects, c.Trust, c.Author, c.Importance = nil, r.Trust, r.Source.Author, r.Importance
	receipts, err := m.write(ctx, scope, origin, []Change{c})
	if err != nil {
		return Amended{}, err
	}
	r.ID, r.Subject, r.Content = receipts[0].ID, c.Subject, rest
	return Amended{receipts[0], r}, nil
}
