package text

import (
	"slices"
	"strings"
	"unicode"
)

// Numbers returns the numbers of s as they are compared, each once: the runs of digits, and what is written in groups without the blanks between them, whatever
// blank that is.
func Numbers(s string) (out []string) {
	add := func(n string) {
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for run := range strings.FieldsFuncSeq(s, func(c rune) bool { return c < '0' || c > '9' }) {
		add(run)
	}
	for t := range tokensOf(s) {
		if t.Number && strings.ContainsFunc(t.Surface, unicode.IsSpace) {
			add(t.Folded)
		}
	}
	return out
}

// Packed returns s as values are compared: folded and without white space, so that "1 180 Kč" is "1180kc".
func Packed(s string) string { return strings.Map(dropSpace, Fold(s)) }

// Fields cuts s at white space and at the signs of apart, but not within a number that is written in groups.
func Fields(s, apart string) (out []string) {
	var inside []Token
	for t := range tokensOf(s) {
		if t.Number && strings.ContainsFunc(t.Surface, unicode.IsSpace) {
			inside = append(inside, t)
		}
	}
	from := -1
	for i, c := range s {
		for len(inside) > 0 && i >= inside[0].End {
			inside = inside[1:]
		}
		whole := len(inside) > 0 && i >= inside[0].Start
		switch cuts := !whole && (unicode.IsSpace(c) || strings.ContainsRune(apart, c)); {
		case cuts && from >= 0:
			out, from = append(out, s[from:i]), -1
		case !cuts && from < 0:
			from = i
		}
	}
	if from >= 0 {
		out = append(out, s[from:])
	}
	return out
}
