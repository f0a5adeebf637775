package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
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
		if l := t.lex[i]; out[i] == noun && (out[i+1] == noun || out[i+1] == name) && t.g.ends(l.fold, adjectiveBefore) && !text.Listed(l.raw) {
			out[i] = adjectival
		}
		if out[i] == noun && out[i+1] == noun && t.objects(i) && t.accusative(t.lex[i+1].raw) {
			out[i] = adjectival
		}
	}

	for _, f := range t.found {
		t.blank(out, f)
	}
	return out
}

// objects reports whether lexeme i ends as an adjective beside a woman's noun does that is an object.
func (t titler) objects(i int) bool {
	return slices.ContainsFunc(t.g.forms[objectForm], func(f form) bool { return strings.HasSuffix(t.lex[i].raw, f.from) })
}

// announced counts the words from lexeme i on that greet, or only lead to the matter.
func (t titler) announced(i int) (n int) {
	const most = 8
	for rounds := 0; rounds < most; rounds++ {
		step := t.phrase(i+n, len(t.lex), in(opening))
		if step == 0 {
			step = t.phrase(i+n, len(t.lex), in(filler, reminder, obligation))
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

	// Numbers, codes and signs tell by their form.
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

	// Words: the first rule that fits counts, the surest first. What no rule knows is a noun.
	capital := startsUpper(l) && !t.starts(i) && !t.opens(i)
	switch {
	case utf8.RuneCountInString(l.fold) == 1 && !leadsTo(l):
		if t.lang == "en" && l.is(article) {
			return determiner
		}
		if unicode.IsUpper([]rune(l.raw)[0]) && i > 0 && !l.is(noFigure) && t.lang != "en" {
			return figure
		}
		return gap
	case l.owns():
		return determiner
	case leadsTo(l):
		return leadsIn
	case l.is(timeWord) || l.is(monthWord) || l.is(weekday):
		return gap
	case capital && !l.is(untitled):
		return name
	case l.is(knownAdjective):
		return adjectival
	case l.is(untitled) || t.stop(i) || t.verbal(i):
		return gap
	case l.is(weakWord) && !weak && (t.lang != "en" || t.part(i+1, false) != noun):
		return gap
	case i > 0 && t.lex[i-1].shape == number && l.is(unitWord):
		return gap
	case t.lang == "de" && !startsUpper(l):
		return gap
	case t.g.kind(l) == attribute || t.g.kind(l) == 0 && t.g.adjective(l):
		return adjectival
	}
	return noun
}

// opens reports whether lexeme i is the first word behind a colon or an opening sign, where a capital says nothing.
func (t titler) opens(i int) bool { return t.is(i-1, ":\"“„«(-–—") }

// stop reports whether lexeme i is a function word.
func (t titler) stop(i int) bool {
	words := text.Tokens(t.lex[i].raw)
	return len(words) == 1 && words[0].Stop || t.lang == "en" && len(words) > 1 && words[0].Stop && strings.ContainsAny(t.lex[i].raw, "'’")
}

// verbal reports whether lexeme i is a verb, by its ending or, in English, by its place.
func (t titler) verbal(i int) bool {
	l := t.lex[i]
	if startsUpper(l) && !t.starts(i) {
		return false
	}

	if t.g.inflects() {
		k := t.g.kind(l)
		return k == adverb || k == verbal && (!text.Listed(l.raw) || t.g.verb(l)) || t.g.verb(l) && !t.g.known(l)
	}
	if t.g.verb(l) && (t.lang != "en" || !t.afterDeterminer(i)) {
		return true
	}

	// What follows is English alone: a word is a verb by what stands around it.
	if t.lang != "en" || l.is(knownNoun) {
		return false
	}
	before, next := t.at(i-1), t.at(i+1)
	for j := i - 1; j > 0 && before.is(light); j-- {
		before = t.at(j - 1)
	}

	if before.is(beforeVerb) {
		return true
	}
	if t.starts(i-1) && before.fold == "" || before.is(objectPronoun) {
		return next.is(article) || next.is(possessive)
	}
	return next.is(article) && (t.starts(i) || t.opens(i) || strings.HasSuffix(l.fold, "s")) || next.is(possessive) && (t.starts(i) || strings.HasSuffix(l.fold, "s"))
}

// afterDeterminer reports whether a determiner or an adjective stands before lexeme i, so that a form in -ing or -ed is no verb.
func (t titler) afterDeterminer(i int) bool {
	before := t.at(i - 1)
	return before.shape == word && (before.owns() || before.is(knownAdjective) || strings.HasSuffix(before.fold, "'s"))
}
