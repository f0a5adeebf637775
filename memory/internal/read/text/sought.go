package text

import (
	"slices"
	"unicode"
)

// CutToFind is Cut of a text that is to be found, or looked for: one of stop words alone is found by them.
func CutToFind(s string) []Token {
	out := Cut(s)
	if !slices.ContainsFunc(out, func(t Token) bool { return !t.Stop }) {
		for i := range out {
			out[i].Stop = false
		}
	}
	return out
}

// Sought returns the terms that a text is looked for by: the stems of CutToFind.
func Sought(s string) []string {
	var out []string
	for _, t := range CutToFind(s) {
		if !t.Stop {
			out = append(out, t.FindStem())
		}
	}
	return out
}

// Emoji lists the pictures of s, in order. They are no tokens: beside words they say how something is meant.
func Emoji(s string) []string {
	var out []string
	for _, r := range s {
		if Picture(r) {
			out = append(out, string(r))
		}
	}
	return out
}

// Picture reports whether a sign is an emoji.
func Picture(r rune) bool { return r >= 0x2600 && unicode.Is(unicode.So, r) }
