package same

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nearOrOne is near, but Unsure too for values of one thing, whatever else the records say: "the repair costs 1 180, the bill is due on 15 December", "the repair
// costs 1 240 (he said on the phone)".
func (j *judge) nearOrOne(differ []sort, reason string) (Kind, string) {
	kind, reason := j.near(reason)
	if kind == Other && slices.ContainsFunc(differ, j.ofOne) {
		return Unsure, "another value of what may be one thing"
	}
	return kind, reason
}

// ofOne reports whether a value of each record that differs is said with the same words: more than half of those of the clauses and subjects.
func (j *judge) ofOne(s sort) bool {
	for _, m := range j.d.values[s].gone {
		old := j.old.aboutValue(m)
		for _, n := range j.d.values[s].come {
			next := j.new.aboutValue(n)
			common := countMet(old, next) + countMet(next, old)
			if 2*common > len(old)+len(next) {
				return true
			}
		}
	}
	return false
}

// countMet counts the words that another list has too.
func countMet(words, others []term) (n int) {
	for _, t := range words {
		if slices.ContainsFunc(others, t.meets) {
			n++
		}
	}
	return n
}

// aboutValue returns the words of the clause that a value stands in and those of the subject, each once.
func (f *face) aboutValue(m mark) (out []term) {
	from, to := f.clause(m)
	for _, t := range f.terms {
		if (t.subject || t.start >= from && t.start < to) && !t.silent() && !slices.ContainsFunc(out, t.meets) {
			out = append(out, t)
		}
	}
	return out
}

// clause returns the bounds of the clause that a value stands in.
func (f *face) clause(m mark) (from, to int) {
	from, to = 0, len(f.body)
	for i, r := range f.body {
		switch {
		case !f.parts(i, r) || slices.ContainsFunc(f.marks, func(m mark) bool { return i >= m.start && i < m.end }):
		case i < m.start:
			from = i
		case i < to:
			to = i
		}
	}
	return from, to
}

// parts reports whether a sign at byte i stands between two clauses: a bracket, a quotation mark, a dash, or a comma or full stop before the next one.
func (f *face) parts(i int, r rune) bool {
	next := f.body[i+utf8.RuneLen(r):]
	switch {
	case strings.ContainsRune("()[]{};\n\"„“”«»–—", r):
		return true
	case !strings.HasPrefix(next, " "):
		return false
	case r == ',' || r == ':':
		return true
	case r == '-':
		return i > 0 && f.body[i-1] == ' '
	}
	first, _ := utf8.DecodeRuneInString(next[1:])
	return strings.ContainsRune(".!?", r) && unicode.IsUpper(first)
}
