package same

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Corrects reports whether a text surely gives another value to what a record in another language says. Their words prove nothing, so that is told by what is
// written alike in any language: both name one thing by its number, or the text denies the record's value; or they share a name or a value, and speak of one
// everyday matter. In any case the text must have another value of a sort that the record has.
func Corrects(record, next string) bool {
	a := read(state.Record{Content: record}, text.Language(record, "en"))
	b := read(state.Record{Content: next}, text.Language(next, "en"))
	shared, another, named := 0, false, false
	for s := range sorts {
		has := a.of(s)
		for _, m := range b.of(s) {
			switch {
			case slices.ContainsFunc(has, func(n mark) bool { same, _ := n.agree(m); return same }):
				shared++
				named = named || s == identifier
			case len(has) > 0:
				another = true
			}
		}
	}
	if !another {
		return false
	}
	alike := slices.ContainsFunc(namesOf(next), func(n string) bool {
		return slices.ContainsFunc(namesOf(record), func(o string) bool { return text.Akin(o, n, mostEnding) })
	})
	return named || a.deniedIn(next) || (shared > 0 || alike) && sameMatter(record, next)
}

// Denies reports whether a text denies a value of a record, or says that it has left it: "at 7:25, not 6:40", "moved from 10 May to 11 May".
func Denies(record, next string) bool {
	return read(state.Record{Content: record}, text.Language(record, "en")).deniedIn(next)
}

// deniedIn is Denies of a face.
func (f *face) deniedIn(s string) bool {
	g := read(state.Record{Content: s}, text.Language(s, "en"))
	moved := text.Moves(s)
	tokens := text.Tokens(g.body)
	for i, t := range tokens {
		denied := slices.ContainsFunc(tokens[max(0, i-2):i], func(before text.Token) bool { return text.DeniesValue(before.Folded) })
		left := moved && i > 0 && i+1 < len(tokens) && text.LeavesValue(tokens[i-1].Folded)
		if !t.Number || !denied && !left {
			continue
		}
		of := slices.IndexFunc(g.marks, func(m mark) bool { return t.Start >= m.start && t.Start < m.end })
		if slices.ContainsFunc(f.marks, func(m mark) bool {
			if of >= 0 && m.sort == g.marks[of].sort {
				is, _ := m.agree(g.marks[of])
				return is
			}
			return slices.Contains(m.numbers(f.body), t.Folded)
		}) {
			return true
		}
	}
	return false
}

// numbers returns the words of a mark in a text; those of a moment one by one, also where it is written without spaces.
func (m mark) numbers(body string) []string {
	if m.sort == moment {
		return strings.FieldsFunc(body[m.start:m.end], func(r rune) bool { return r != ':' && !unicode.IsDigit(r) })
	}
	return text.Words(body[m.start:m.end])
}

// sameMatter reports whether two texts speak of one everyday matter, whatever their languages.
func sameMatter(a, b string) bool {
	of := text.Concepts(text.Terms(b))
	return slices.ContainsFunc(text.Concepts(text.Terms(a)), func(c string) bool { return !strings.HasPrefix(c, "@") && slices.Contains(of, c) })
}

// namesOf returns the stems of the words with a capital, but for function words, currencies and those of dates.
func namesOf(s string) (out []string) {
	for _, t := range text.Tokens(s) {
		first, _ := utf8.DecodeRuneInString(t.Surface)
		dated := calendar(t.Folded, month) > 0 || calendar(t.Folded, weekday) > 0 || roles().is(t.Folded, currency)
		if !t.Stop && !t.Number && !dated && unicode.IsUpper(first) && utf8.RuneCountInString(t.Folded) > 2 {
			out = append(out, t.Stem)
		}
	}
	return out
}
