package facts

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Details returns short noun phrases of a message that say what a title does not, the weightiest first: what tells an affair from
// another of the same title, and what a title of one word lacks.
func Details(message, lang, title string) []string { return Read(message, lang).details(title) }

func (r *Reading) details(title string) []string {
	t := r.titler()
	var all []candidate
	for _, p := range t.phrases(false) {
		for _, short := range t.apart(p) {
			if _, sure := t.nominative(short); !sure || len(short.words) > 2 {
				continue
			}
			if c := t.candidate(short); c.text != "" && news(c.text, title) {
				c.weight += t.distinction(short)
				all = append(all, c)
			}
		}
	}

	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })

	var out []string
	for _, c := range all {
		if c.weight <= likely {
			break
		}
		out = append(out, lowerFirst(c.text, t.plain(c.phrase)))
	}
	return out
}

// apart returns a phrase and the one that is tied to it, each alone.
func (t titler) apart(p phrase) []phrase {
	tied := phrase{words: p.tied, prep: p.tie, tie: -1, nth: p.nth}
	for _, i := range p.tied {
		tied.parts = append(tied.parts, t.part(i, false))
	}
	p.tie, p.tied = -1, nil
	if len(tied.words) == 0 {
		return []phrase{p}
	}
	return []phrase{p, tied}
}

// distinction returns how much more than to a title a phrase gives to what tells two affairs apart: names do, kinds of matters do not.
func (t titler) distinction(p phrase) float64 {
	for _, i := range p.words {
		switch l := t.lex[i]; {
		case startsUpper(l) && !t.starts(i):
			return 1.5
		case l.set.meets(in(orderWord, referenceWord)):
			return -1
		}
	}
	return 0
}

// news reports whether a phrase says something and nothing that a title says.
func news(phrase, title string) bool {
	said, terms := text.Terms(title), text.Terms(phrase)
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(s string) bool { return slices.Contains(said, s) || text.General(s) })
}

// Widen adds a detail to a title: "Brake pads, Octavia"; the title itself where that would be too long.
func Widen(title, detail string) string {
	wide := title + ", " + detail
	if len(strings.Fields(wide)) > titleWords || utf8.RuneCountInString(wide) > titleRunes {
		return title
	}
	return wide
}
