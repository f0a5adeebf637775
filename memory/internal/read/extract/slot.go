package extract

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Slot names what a record gives a value to, where that has one at a time: the folded subject of the only such fact its content says,
// else "". A content may begin with the record's subject and a colon.
func Slot(subject, content string) string {
	slot, said := "", strings.TrimPrefix(content, subject+": ")
	for _, f := range Facts([]string{said}, text.Language(said, "en")) {
		switch {
		case !f.One:
		case slot != "":
			return ""
		default:
			slot = text.Fold(f.Subject)
		}
	}
	return slot
}

// Overrules reports whether a rule takes the place of another: one says "always" and the other "never" of the same, or they say the same
// with another number. Each is read up to its first sign, and one has all telling words of the other. "On paper only" takes the place of what
// is said of the same in another medium.
func Overrules(next, old string) bool {
	a, b := ruleOf(old), ruleOf(next)
	if len(a.terms) == 0 || len(b.terms) == 0 {
		return false
	}
	if b.only && !a.never && !b.never && len(a.media) > 0 && len(b.media) > 0 && !slices.Equal(a.media, b.media) {
		return slices.ContainsFunc(a.terms, func(t string) bool { return slices.Contains(b.terms, t) })
	}
	if a.never != b.never {
		return holdsAll(a.terms, b.terms) || holdsAll(b.terms, a.terms)
	}
	return slices.Equal(a.terms, b.terms) && len(a.numbers) == 1 && len(b.numbers) == 1 && a.numbers[0] != b.numbers[0]
}

// rule is what a standing rule is about, whether it forbids it, and the numbers it has.
type rule struct {
	terms, numbers []string
	media          []string // "PDF", "paper"; they are no terms if the rule says "only"
	never, only    bool
}

// ruleOf reads a rule.
func ruleOf(s string) (r rule) {
	// The first clause has the rule.
	if at := strings.IndexAny(s, ",;:.!?"); at > 0 {
		s = s[:at]
	}
	k := listed(text.Language(s, "en"))
	if k == nil {
		return r
	}

	// Each word: what makes it a rule, what it is about, or a plain term.
	words := cut(s)
	plain := plainOf(words)
	for i, w := range words {
		if k.begins("always", plain[i:]) {
			continue
		}
		if k.begins("never", plain[i:]) {
			r.never = true
			continue
		}
		if k.begins("only", plain[i:]) {
			r.only = true
		}
		if k.begins("medium", plain[i:]) {
			r.media = append(r.media, w.Fold)
		}
		if w.Number || k.begins("number", plain[i:]) {
			r.numbers = append(r.numbers, w.Fold)
			continue
		}
		r.terms = append(r.terms, text.Terms(undenied(w.Raw))...)
	}
	slices.Sort(r.terms)
	r.terms = slices.Compact(r.terms)
	return r
}

// undenied returns a word without the Czech prefix of denial.
func undenied(word string) string {
	if rest, ok := strings.CutPrefix(strings.ToLower(word), "ne"); ok && len(rest) > 4 {
		return rest
	}
	return word
}
