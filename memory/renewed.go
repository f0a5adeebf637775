package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// current returns what a summary of what was said in a session from a time on says now: what records have replaced since is put right there, and what was
// forgotten is left out. The summary itself stays as it is kept, so an undo brings all back.
func current(ctx context.Context, d *mind.Mind, scope state.Scope, summary string, from time.Time) (string, error) {
	// One after the other, for a value may be corrected twice, or taken back.
	for _, old := range d.ReplacedSince(from, summary) {
		next, err := ledger.Get[state.Record](ctx, d.Docs, state.Records, scope.Key(old.ReplacedBy))
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		summary = readRenewal(old, next).renew(summary)
	}
	return d.WithoutForgotten(scope.Session, summary, from), nil
}

// renewal is a record and the one that has taken its place, as they are looked for in a summary.
type renewal struct {
	old, next state.Record
	over      map[string][]part // what has come for the parts of the old one
	terms     []string          // telling words of the old one, without its numbers
	ended     same.Ending
}

func readRenewal(old, next state.Record) renewal {
	return renewal{
		old: old, next: next, over: replacedIn(splitParts(old.Content), newParts(next.Content)), terms: tellingWords(old.Content),
		ended: same.End(state.Record{Kind: old.Kind, Content: old.Content}, state.Record{Kind: next.Kind, Content: next.Content}, text.Language(next.Content, "en")),
	}
}

// tellingWords returns the telling words of a text that are no numbers.
func tellingWords(s string) []string {
	return slices.DeleteFunc(text.Terms(s), func(t string) bool { return text.Digits(t) > 0 })
}

// renew returns a summary, line by line so that it keeps its form, with the new value in the sentences that surely say the old one. One that may say it, in other
// words or beside another value, stays, and behind the summary stands what holds since, unless another sentence tells that. That line is true in any case.
func (r renewal) renew(summary string) string {
	doubt, told := false, false
	var lines []string
	for line := range strings.SplitSeq(summary, "\n") {
		sentences := text.Sentences(line)
		var left []string
		for _, s := range sentences {
			now, sure := r.sentence(s)
			if now != "" {
				left = append(left, now)
			}
			told = told || sure && now != s
			doubt = doubt || !sure && (r.ended.Abroad || sharedTerms(r.terms, tellingWords(s)) > 0)
		}
		if !slices.Equal(left, sentences) {
			line = strings.Join(left, " ")
		}
		if line != "" || len(sentences) == 0 {
			lines = append(lines, line)
		}
	}
	if summary = strings.Join(lines, "\n"); doubt && !told {
		summary += "\nSince then: " + r.since()
	}
	return summary
}

// since says what holds now; of what belongs to an affair alone, whose facts are told there, only what does not.
func (r renewal) since() string {
	if r.old.Affair == "" || r.next.Affair == "" {
		return mind.RecordText(r.next)
	}
	var over []string
	for _, p := range splitParts(r.old.Content) {
		if len(r.over[p.is]) > 0 {
			over = append(over, p.written)
		}
	}
	return strings.Join(over, ", ") + " holds no longer."
}

// sentence returns what a sentence says now, "" for nothing; sure is false where it is not plain whether it says what is over.
func (r renewal) sentence(s string) (now string, sure bool) {
	said := splitParts(s)
	replaced := func(p part) bool { return len(r.over[p.is]) > 0 }
	told := func(p part) bool {
		return slices.ContainsFunc(said, func(q part) bool { return replaced(q) && has(r.over[q.is], p) })
	}
	words := tellingWords(s)
	states := sharedTerms(r.terms, words) == len(r.terms) || len(words) > 0 && sharedTerms(words, r.terms) == len(words)
	switch {
	case slices.ContainsFunc(said, told): // "340, not 300"
		return s, true
	case !slices.ContainsFunc(said, replaced) && states:
		return cut(s, r.ended.Covers), true
	case !slices.ContainsFunc(said, replaced):
		return s, true
	case !states:
		return s, false
	}
	if now = corrected(s, r.over); now != "" {
		return now, true
	}
	return s, false
}

// putSaidRight returns a summary and the messages that it is to take in, oldest first, with the new value where a later message of the user denies one: "340, not
// 300". Whatever that is filed under, and though nothing was stored of either. Only a sentence that has all words of the denial is meant, and no message is changed
// that is kept.
func putSaidRight(summary string, said []state.Message) (string, []state.Message) {
	said = slices.Clone(said)
	for i, msg := range said {
		if msg.Role != state.RoleUser || msg.Undone || msg.Unstored() {
			continue
		}
		for _, denial := range text.Sentences(whose.Own(msg.Text)) {
			is := newParts(denial)
			if !slices.ContainsFunc(is, func(p part) bool { return p.denied }) {
				continue
			}
			summary = putRightBy(summary, denial, is)
			for j := range said[:i] {
				said[j].Text = putRightBy(said[j].Text, denial, is)
			}
		}
	}
	return summary, said
}

// putRightBy returns a text with the new value in the sentences that say what a denial denies.
func putRightBy(s, denial string, is []part) string {
	terms := tellingWords(denial)
	for _, sentence := range text.Sentences(s) {
		was := splitParts(sentence)
		denied := func(p part) bool {
			return slices.ContainsFunc(is, func(q part) bool { return q.denied && q.is == p.is })
		}
		told := func(p part) bool { return !p.denied && has(was, p) } // "340, not 300"
		if !slices.ContainsFunc(was, denied) || slices.ContainsFunc(is, told) || len(terms) == 0 || sharedTerms(terms, tellingWords(sentence)) < len(terms) {
			continue
		}
		was = slices.DeleteFunc(was, func(p part) bool { return !denied(p) })
		if now := corrected(sentence, replacedIn(was, is)); now != "" {
			s = strings.Replace(s, sentence, now, 1)
		}
	}
	return s
}
