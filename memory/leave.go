package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// leaveAffairs takes what a record says that is forgotten out of its affair and the turn's, and of those that messages tell it in: these are looked
// for unless so much is forgotten at once that its affairs are named by the records. What stays of the record leaves nothing.
func (m *Memory) leaveAffairs(ctx context.Context, scope state.Scope, r state.Record, is mind.Gone, stays, current string, look bool, decided []state.Effect) ([]state.Effect, error) {
	var says []state.Fact
	for _, f := range facts.Extract(r.Content, text.Language(r.Content, "en")) {
		if !strings.Contains(stays, f.Value) {
			says = append(says, state.Fact{Label: f.Label, Value: f.Value})
		}
	}
	affairs := []string{r.Affair, current}
	var hits []Hit
	if look {
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
	return m.dropFacts(ctx, scope, says, time.Time{}, is.Except(stays), decided, affairs...)
}

// asDecided is an affair as the edits of the running step leave it, and those that are to be decided with it: what is made of it whole is made of that. The
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
	d, err := m.mind(ctx, scope)
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
		for _, f := range a.KeyFacts {
			stated := slices.ContainsFunc(says, func(s state.Fact) bool { return text.Fold(s.Value) == text.Fold(f.Value) })
			left := only.Unname(f.Value)
			switch {
			case f.Since.Before(since):
			case stated, gone(f.Value), gone(f.Label + " " + f.Value), only.Unname(f.Label) != f.Label, left != f.Value && len(text.Terms(strings.ReplaceAll(left, mind.Unsaid, ""))) == 0:
				edit.Drop = append(edit.Drop, f.Label)
			case left != f.Value:
				f.Value = left
				edit.Drop, edit.Facts = append(edit.Drop, f.Label), append(edit.Facts, f) // dropped first, so that no history has it
			}
		}
		leaveOut(&edit, a, gone, func(string) string { return "" })
		strikeOut(&edit, a, only)
		if len(edit.Drop) > 0 || edit.SetPending {
			out = append(out, state.Effect{Scope: scope, Affair: &edit})
		}
	}
	return out, nil
}

// twins are the records that were stored from the same message as one and say nothing that it does not say, and not what stays of it.
func twins(valid []state.Record, of state.Record, stays string) (out []state.Record) {
	says := func(s string, r state.Record) bool {
		terms := text.Terms(r.Content)
		return len(terms) > 0 && sharedTerms(terms, text.Terms(s)) == len(terms)
	}
	for _, r := range valid {
		same := of.Source.Message != "" && r.ID != of.ID && r.Source.Message == of.Source.Message && r.Session == of.Session
		if same && says(of.Content, r) && !says(stays, r) {
			out = append(out, r)
		}
	}
	return out
}

// checkKeep refuses to keep what the record does not say, and anything where not one record is meant.
func (a Amendment) checkKeep(found []state.Record) error {
	const op, part = "amend memory", 3 // words in so many may be new: the rest is a sentence of its own
	switch {
	case a.Keep == "":
		return nil
	case a.Action != ForgetRecord || len(found) != 1:
		return state.Errorf(state.Invalid, op, "what is kept is the rest of one record that is forgotten; name it by its id")
	}
	rest := whose.Read(a.Keep)
	if lacks := whose.Read(found[0].Subject, found[0].Content).Lacks(rest); len(rest.Terms) == 0 || part*len(lacks) > len(rest.Terms) {
		return state.Errorf(state.Invalid, op, "what is kept says what the record does not: %q; repeat only what of it stays", text.Head(strings.Join(lacks, " "), 60))
	}
	return nil
}

// keepRest keeps what of a record stays that was forgotten, as it was kept.
func (m *Memory) keepRest(ctx context.Context, scope state.Scope, r state.Record, rest string) (Amended, error) {
	origin, _ := OriginFrom(ctx)
	origin.Ground, origin.Affair = nil, r.Affair // it was admitted before
	c := Change{
		Kind: r.Kind, Subject: mind.GoneOf(r).Except(rest).Strike(r.Subject), Content: rest, Affair: r.Affair, About: r.About, Trust: r.Trust, Author: r.Source.Author,
		Importance: r.Importance, Pinned: r.Pinned,
	}
	receipts, err := m.write(ctx, scope, origin, []Change{c})
	if err != nil {
		return Amended{}, err
	}
	r.ID, r.Subject, r.Content = receipts[0].ID, c.Subject, rest
	return Amended{receipts[0], r}, nil
}
