package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// markAlike returns ids as a list is to show them: one that a person could take for another is followed by a mark that says why.
func markAlike(ids []string) map[string]string {
	shapes := map[string]int{}
	for _, id := range ids {
		shapes[shapeOf(id)]++
	}
	out := map[string]string{}
	for _, id := range ids {
		out[id] = id
		switch {
		case mixesScripts(id):
			out[id] += " (! mixes alphabets)"
		case shapes[shapeOf(id)] > 1:
			out[id] += " (! looks like another)"
		case norm.NFKC.String(id) != id:
			out[id] += " (! unusual letters)"
		}
	}
	return out
}

// mixesScripts reports whether a word of an id has letters of alphabets that look alike: Latin beside Cyrillic or Greek.
func mixesScripts(id string) bool {
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) }) {
		latin := strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
		if latin && strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) {
			return true
		}
	}
	return false
}

// shapeOf returns how an id looks: ids that look the same have the same.
func shapeOf(id string) string {
	const letters, looks = "авекмнорстухіјѕһԁαβεηικνορτυχ", "abekmhopctyxijshdabeniknoptux"
	as := []rune(looks)
	by := map[rune]rune{}
	for i, r := range []rune(letters) {
		by[r] = as[i]
	}
	return strings.Map(func(r rune) rune {
		to, ok := by[unicode.ToLower(r)]
		switch {
		case !ok:
			return r
		case unicode.IsUpper(r):
			return unicode.ToUpper(to)
		}
		return to
	}, norm.NFKC.String(id))
}
