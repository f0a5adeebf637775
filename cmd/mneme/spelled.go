package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spelled returns a stem, by which words are compared, as the first word of the texts that has it is written; a stem that none has stays as it is.
func spelled(stem string, texts ...string) string {
	const least = 3 // letters that a word with another ending shares with its stem
	near, shares := stem, least-1
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }) {
			plain := plainLetters(word)
			if strings.HasPrefix(plain, stem) {
				return word
			}
			shared, a, b := 0, []rune(plain), []rune(stem)
			for shared < min(len(a), len(b)) && a[shared] == b[shared] {
				shared++
			}
			if shared > shares && shared >= len([]rune(stem))-2 {
				near, shares = word, shared
			}
		}
	}
	return near
}

// plainLetters returns a word in small letters without their marks, as stems are.
func plainLetters(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}
