package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// newFacts is the edit that brings what a record states into its affair, nil for nothing new. What it takes the place of ends there too: in key facts,
// pending actions and the summary. What it states besides is added under labels that are free: under one that is taken it may be another thing's,
// unless the record is about just that.
func newFacts(ctx context.Context, d *mind.Mind, p plan, now time.Time) (*state.AffairEdit, error) {
	r := p.record
	if r.Affair == "" || d.IsArchived(r.Affair) { // what is put away does not change
		return nil, nil
	}

	a := state.Affair{ID: r.Affair} // opened in this very turn
	if d.Knows(r.Affair) {
		var err error
		if a, err = d.Whole(ctx, r.Affair); err != nil {
			return nil, err
		}
	}

	// What the record has made untrue.
	edit := state.AffairEdit{ID: r.Affair, At: now}
	var old string
	if p.is.Kind == same.Replaces || p.is.Kind == same.Refines {
		old = mind.RecordText(p.old)
	}
	for _, over := range p.over {
		old += "\n" + mind.RecordText(over)
	}
	outdate(&edit, a, old, mind.RecordText(r))

	// What it adds.
	for _, f := range extracted(r.Content, text.Language(r.Content, "en")) {
		same := func(k state.Fact) bool { return text.Fold(k.Value) == text.Fold(f.Value) }
		known := slices.ContainsFunc(a.KeyFacts, same) || slices.ContainsFunc(edit.Facts, same)
		_, taken := a.KeyFacts.Get(f.Label)
		_, free := edit.Facts.Get(f.Label)
		if !known && (!taken || free || text.Fold(f.Label) == text.Fold(r.Subject)) {
			edit.Facts = edit.Facts.With(f.Label, f.Value)
		}
	}
	if len(edit.Facts) == 0 && !edit.SetPending {
		return nil, nil
	}
	return &edit, nil
}

// extracted is what a text states, as key facts.
func extracted(s, lang string) state.Facts {
	var out state.Facts
	for _, f := range facts.Read(s, lang).Exact() {
		out = out.With(f.Label, f.Value)
	}
	return out
}

// outdate ends in an affair the numbers, days and times of an old text in whose place the new one has others. A correction that only leaves something out
// does not say that it is over.
func outdate(edit *state.AffairEdit, a state.Affair, old, anew string) {
	was, is := parts(old), parts(anew)
	var other []string // what is new, as it looks
	for _, part := range is {
		if !slices.Contains(was, part) {
			other = append(other, looks(part))
		}
	}
	goes := func(s string) bool {
		return slices.ContainsFunc(parts(s), func(part string) bool {
			return slices.Contains(was, part) && !slices.Contains(is, part) && slices.Contains(other, looks(part))
		})
	}
	for _, f := range a.KeyFacts {
		if goes(f.Value) {
			edit.Facts = edit.Facts.With(f.Label, corrected(f.Value, was, is))
		}
	}
	leaveOut(edit, a, goes)
}

// corrected is a value with the one new part in the place of its old one; "" where it is not plain which that is.
func corrected(value string, was, is []string) string {
	of := slices.DeleteFunc(parts(value), func(part string) bool { return !slices.Contains(was, part) || slices.Contains(is, part) })
	other := slices.DeleteFunc(slices.Clone(is), func(part string) bool {
		return slices.Contains(was, part) || len(of) > 0 && looks(part) != looks(of[0])
	})
	if len(of) != 1 || len(other) != 1 || !strings.Contains(value, of[0]) {
		return ""
	}
	return strings.Replace(value, of[0], other[0], 1)
}

// leaveOut takes the pending actions and the sentences of the summary that go out of an affair.
func leaveOut(edit *state.AffairEdit, a state.Affair, goes func(string) bool) {
	inSummary := goes(a.Summary)
	if inSummary || slices.ContainsFunc(a.PendingActions, goes) {
		edit.Pending, edit.SetPending = slices.DeleteFunc(slices.Clone(a.PendingActions), goes), true
	}
	if inSummary { // anew, so that a summary of which nothing is left goes too
		anew(edit, a)
		edit.Summary = strings.Join(slices.DeleteFunc(facts.Sentences(a.Summary), goes), " ")
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

// looks is what a part looks like: a time of day, a code, or a number.
func looks(part string) string {
	switch {
	case strings.Contains(part, ":"):
		return "time"
	case len(mind.Codes(part)) > 0:
		return "code"
	}
	return "number"
}

// parts are the numbers, days, times and codes of a text.
func parts(s string) (out []string) {
	for _, w := range strings.FieldsFunc(text.Fold(s), func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`,;()"„“”«»`, c) }) {
		if w = strings.Trim(w, ".:!?"); strings.ContainsFunc(w, unicode.IsDigit) {
			out = append(out, w)
		}
	}
	return out
}
