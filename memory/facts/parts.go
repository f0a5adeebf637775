package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

// parts tells of each of the first n lexemes what it is in a noun phrase.
func (t titler) parts(n int, weak bool) []part {
	out := make([]part, n)
	for i := 0; i < n; i++ {
		if i == 0 || t.lex[i-1].shape == mark || t.lex[i-1].last {
			i += t.announced(i)
		}
		if i < n {
			out[i] = t.part(i, weak)
		}
	}
	for i := 0; i+1 < n; i++ {
		if l := t.lex[i]; out[i] == noun && (out[i+1] == noun || out[i+1] == name) && t.lang == "cs" && hasEnding(l.fold, "ni", "ou", "ovy") && !text.Listed(l.raw) {
			out[i] = adjectival
		}
	}
	for _, f := range t.found {
		t.blank(out, f)
	}
	return out
}

// announced counts the words from lexeme i on that greet, or only lead to the matter.
func (t titler) announced(i int) (n int) {
	const most = 8
	for rounds := 0; rounds < most; rounds++ {
		step := phraseAt(t.folds(i+n, len(t.lex)), opening)
		if step == 0 {
			step = phraseAt(t.folds(i+n, len(t.lex)), func(p string) bool { return filler(p) || reminder(p) || obligation(p) })
		}
		if step == 0 {
			break
		}
		n += step
	}
	return n
}

// blank takes the values of a fact out of the phrases; names, addresses of places and quantities behind nouns stay.
func (t titler) blank(parts []part, f Fact) {
	switch f.Kind {
	case Name, Statement, Link, Address:
		return
	}
	for i := range parts {
		if l := t.lex[i]; l.start >= f.Start && l.end <= f.End {
			parts[i] = gap
		}
	}
}

// part tells what lexeme i is.
func (t titler) part(i int, weak bool) part {
	if i >= len(t.lex) || t.pieces[i] == "" {
		return gap
	}
	l := t.lex[i]
	switch l.shape {
	case number:
		return figure
	case code:
		if r, _ := utf8.DecodeRuneInString(l.raw); unicode.IsLetter(r) {
			return name
		}
		return figure
	case word:
	default:
		return gap
	}
	v := t.words
	capital := startsUpper(l) && !t.starts(i) && !t.opens(i)
	switch {
	case utf8.RuneCountInString(l.fold) == 1 && !titlePreposition(t.lang, l.fold):
		if t.lang == "en" && l.fold == "a" {
			return determiner
		}
		if unicode.IsUpper([]rune(l.raw)[0]) && i > 0 && l.raw != "I" && l.raw != "Я" && l.raw != "V" && t.lang != "en" {
			return figure
		}
		return gap
	case ownWord(l.fold):
		return determiner
	case titlePreposition(t.lang, l.fold):
		return leadsIn
	case v["time"][l.fold] || month(l.fold) > 0 || weekday(l.fold):
		return gap
	case capital && !v["no"][l.fold]:
		return name
	case v["adj"][l.fold]:
		return adjectival
	case t.verbal(i) || v["no"][l.fold] || t.stop(i):
		return gap
	case v["weak"][l.fold] && !weak && (t.lang != "en" || t.part(i+1, false) != noun):
		return gap
	case i > 0 && t.lex[i-1].shape == number && measureUnit(l.fold):
		return gap
	case t.lang == "de" && !startsUpper(l):
		return gap
	case v.adjective(t.lang, l.raw, l.fold):
		return adjectival
	}
	return noun
}

// opens reports whether lexeme i is the first word behind a colon or an opening sign, where a capital says nothing.
func (t titler) opens(i int) bool { return t.is(i-1, ":\"“„«(-–—") }

// stop reports whether lexeme i is a function word.
func (t titler) stop(i int) bool {
	words := text.Tokens(t.lex[i].raw)
	return len(words) == 1 && words[0].Stop
}

// verbal reports whether lexeme i is a verb, by its ending or, in English, by its place.
func (t titler) verbal(i int) bool {
	l := t.lex[i]
	if startsUpper(l) && !t.starts(i) {
		return false
	}
	if t.words.verb(t.lang, l.raw, l.fold) && (t.lang != "en" || !t.afterDeterminer(i)) {
		return true
	}
	if t.lang != "en" || t.words["noun"][l.fold] {
		return false
	}
	before, next := t.at(i-1).fold, t.at(i+1).fold
	for j := i - 1; j > 0 && (before == "just" || before == "also" || before == "really" || before == "now" || before == "then"); j-- {
		before = t.at(j - 1).fold
	}
	switch before {
	case "i", "we", "you", "he", "she", "they", "it", "to", "must", "should", "would", "could", "can", "will", "shall", "may", "might", "who", "cant", "wont", "don't", "can't", "won't", "i'll", "we'll", "let", "lets", "let's", "please":
		return true
	}
	if t.starts(i-1) && before == "" || before == "me" || before == "us" || before == "him" || before == "them" {
		return article(next) || possessive(next)
	}
	return article(next) && (t.starts(i) || t.opens(i) || strings.HasSuffix(l.fold, "s")) || possessive(next) && (t.starts(i) || strings.HasSuffix(l.fold, "s"))
}

// afterDeterminer reports whether a determiner or an adjective stands before lexeme i, so that a form in -ing or -ed is no verb.
func (t titler) afterDeterminer(i int) bool {
	before := t.at(i - 1)
	return before.shape == word && (ownWord(before.fold) || t.words["adj"][before.fold] || strings.HasSuffix(before.fold, "'s"))
}
