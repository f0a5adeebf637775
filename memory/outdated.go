package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// newFacts returns the edit that brings what a record states into its affair, nil for nothing new. What it takes the place of ends there too: in key facts,
// pending actions and the summary. What it states besides is added under labels that are free: under one that is taken it may be another thing's,
// unless the record is about just that. A record that the small model is asked about ends nothing before it has answered (endFacts). Where a model sums up it does so behind the reply if rules have cut something, or left what may be untrue now.
func newFacts(ctx context.Context, d *mind.Mind, p plan, now time.Time, sums bool, decided ...state.Effect) (*state.AffairEdit, error) {
	r := p.record
	if r.Affair == "" || r.Due != nil || d.IsArchived(r.Affair) { // what is put away does not change, and a task is no fact
		return nil, nil
	}

	a := state.Affair{ID: r.Affair} // opened in this very turn
	if d.Knows(r.Affair) {
		var err error
		if a, err = asDecided(ctx, d, r.Affair, decided...); err != nil {
			return nil, err
		}
	}

	// What the record has made untrue.
	edit := state.AffairEdit{ID: r.Affair, At: now}
	var old string
	if !p.asked && (p.is.Kind == same.Replaces || p.is.Kind == same.Refines) {
		old = mind.RecordText(p.old)
	}
	for _, over := range p.over {
		old += "\n" + mind.RecordText(over)
	}
	if old != "" {
		ended := same.End(state.Record{Kind: r.Kind, Content: old}, state.Record{Kind: r.Kind, Content: r.Content}, text.Language(r.Content, "en"))
		outdate(&edit, a, old, mind.RecordText(r), ended)
		if sums && leavesDoubt(edit, a, ended) {
			edit.SumUp, edit.SetSumUp = r.Session, true
		}
	}

	// What it adds. Where a model sums up, that is its to say, but for what the record is about; it does so anew for another value under a label that is taken.
	for _, f := range extracted(r.Content, text.Language(r.Content, "en")) {
		about := text.Fold(f.Label) == text.Fold(r.Subject)
		same := func(k state.Fact) bool { return text.Packed(k.Value) == text.Packed(f.Value) }
		known := slices.ContainsFunc(a.KeyFacts, same) || slices.ContainsFunc(edit.Facts, same)
		_, taken := a.KeyFacts.Get(f.Label)
		_, free := edit.Facts.Get(f.Label)
		switch {
		case known:
		case about || !sums && (!taken || free):
			edit.Facts = edit.Facts.With(f.Label, f.Value)
		case sums && taken: // it may be the same thing's
			edit.SumUp, edit.SetSumUp = r.Session, true
		}
	}
	if len(edit.Facts) == 0 && !edit.SetPending && !edit.SetSumUp {
		return nil, nil
	}
	return &edit, nil
}

// leavesDoubt reports whether a correction has cut something out of an affair, or has left
// something that may say what is over.
func leavesDoubt(edit state.AffairEdit, a state.Affair, ended same.Ending) bool {
	if ended.Abroad { // the words of what is over are not known
		return true
	}
	cut := slices.ContainsFunc(edit.Facts, func(f state.Fact) bool { return f.Value == "" }) || edit.SetPending && len(edit.Pending) < len(a.PendingActions)
	summary := a.Summary
	if edit.Anew {
		summary = edit.Summary
		cut = cut || len(facts.Sentences(edit.Summary)) < len(facts.Sentences(a.Summary))
	}
	for _, f := range a.KeyFacts {
		if _, touched := edit.Facts.Get(f.Label); !touched {
			cut = cut || ended.Touches(f.Value)
		}
	}
	return cut || ended.Touches(summary)
}

// extracted returns what a text states, as key facts.
func extracted(s, lang string) state.Facts {
	var out state.Facts
	for _, f := range facts.Read(s, lang).Exact() {
		out = out.With(f.Label, f.Value)
	}
	return out
}

// outdate ends in an affair what a newer text has in the place of an old one: numbers, days and times, which are put right where what stands there says as
// the old text did, and what is over of its words. A correction that only leaves something out does not say that it is over.
func outdate(edit *state.AffairEdit, a state.Affair, old, anew string, ended same.Ending) {
	over, said := replacedIn(splitParts(old), newParts(anew)), text.Terms(old)
	replaced := func(s string) bool {
		return slices.ContainsFunc(splitParts(s), func(p part) bool { return len(over[p.is]) > 0 })
	}
	says := func(s string) bool { // as the old text did: two of its words, or one and a date of it
		terms := slices.DeleteFunc(text.Terms(s), func(t string) bool { return text.Digits(t) > 0 })
		shared := sharedTerms(terms, said)
		return shared >= 2 || shared == 1 && dated(s, old)
	}
	days := same.Weekdays(anew)
	moved := func(day int) bool { return len(days) > 0 && !slices.Contains(days, day) }
	right := func(s string) string {
		if ended.Denied || slices.ContainsFunc(same.Weekdays(s), moved) { // nothing has come in its place, or not its time alone has changed
			return ""
		}
		return corrected(s, over)
	}

	for _, f := range a.KeyFacts {
		switch {
		case ended.CoversFact(f.Label, f.Value):
			edit.Facts = edit.Facts.With(f.Label, "")
		case replaced(f.Value):
			edit.Facts = edit.Facts.With(f.Label, right(f.Value))
		}
	}

	// A sentence that says what the record said is true with the new value; another one with the old value is left out, and so is a clause that is over.
	leaveOut(edit, a, func(s string) bool { return replaced(s) || slices.ContainsFunc(clauses(s), ended.Covers) }, func(sentence string) string {
		left := cut(sentence, ended.Covers)
		if replaced(left) {
			switch {
			case says(left):
				left = right(left)
			case !ended.Abroad: // else it may be another thing's
				return ""
			}
		}
		return left
	})
}

// leaveOut takes the pending actions and the sentences of the summary that go out of an affair; left is what stands in their place, "" = nothing.
func leaveOut(edit *state.AffairEdit, a state.Affair, goes func(string) bool, left func(string) string) {
	stay := func(list []string) (out []string) {
		for _, s := range list {
			if goes(s) {
				s = left(s)
			}
			if s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	inSummary := slices.ContainsFunc(facts.Sentences(a.Summary), goes)
	if inSummary || slices.ContainsFunc(a.PendingActions, goes) {
		edit.Pending, edit.SetPending = stay(a.PendingActions), true
	}
	if inSummary { // anew, so that a summary of which nothing is left goes too
		anew(edit, a)
		edit.Summary = strings.Join(stay(facts.Sentences(a.Summary)), " ")
	}
}

// strikeOut takes the words of what is forgotten out of the title and the topics of an affair that it was told in, and its names out of the summary and
// the pending actions that stay. A title that was given goes only if it says it.
func strikeOut(edit *state.AffairEdit, a state.Affair, is mind.Gone) {
	pending, summary := a.PendingActions, a.Summary
	if edit.SetPending {
		pending = edit.Pending
	}
	if edit.Anew {
		summary = edit.Summary
	}
	left := make([]string, len(pending))
	for i, p := range pending {
		left[i] = is.Unname(p)
	}
	if unnamed := is.Unname(summary); unnamed != summary || !slices.Equal(left, pending) {
		anew(edit, a)
		edit.Summary, edit.Pending = unnamed, left
	}

	title, topics := a.Title, []string{}
	if a.TitleBy == state.AuthorRules || is.StatedIn(title) {
		title = is.Strike(title)
	}
	for _, topic := range a.Topics {
		if left := is.Strike(topic); left != "" {
			topics = append(topics, left)
		}
	}
	if title == a.Title && slices.Equal(topics, a.Topics) {
		return
	}
	anew(edit, a)
	edit.Title, edit.Topics = cmp.Or(title, facts.Title("", text.Language(a.Title, "en"))), topics
}

// anew makes an edit say all that an affair is, where it does not yet.
func anew(edit *state.AffairEdit, a state.Affair) {
	if !edit.SetPending {
		edit.Pending, edit.SetPending = a.PendingActions, true
	}
	if !edit.Anew {
		edit.Anew, edit.Title, edit.TitleBy, edit.Topics, edit.Summary = true, a.Title, a.TitleBy, a.Topics, a.Summary
	}
}
