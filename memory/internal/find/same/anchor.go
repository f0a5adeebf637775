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

// deniedIn reports whether a text denies a value of the face: "at 7:25, not 6:40".
func (f *face) deniedIn(s string) bool {
	tokens := text.Tokens(s)
	for i, t := range tokens {
		if !t.Number || !slices.ContainsFunc(tokens[max(0, i-2):i], func(before text.Token) bool { return text.DeniesValue(before.Folded) }) {
			continue
		}
		if slices.ContainsFunc(f.marks, func(m mark) bool { return slices.Contains(text.Words(f.body[m.start:m.end]), t.Folded) }) {
			return true
		}
	}
	return false
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
