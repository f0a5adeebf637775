package facts

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// part is what a lexeme is in a noun phrase.
type part uint8

const (
	gap        part = iota // nothing of a noun phrase: a verb, an adverb, a sign, a value
	leadsIn                // a preposition
	determiner             // "the", "my": in front of a phrase, and no word of it
	adjectival
	noun
	name   // a word with a capital inside a sentence, a model's number
	figure // a number that stands behind a name
)

// The length of a phrase, in words.
const (
	phraseWords = 4 // without the words that a preposition ties to it
	titleWords  = 6
)

// phrase is a noun phrase of a message, as lexemes.
type phrase struct {
	words []int // of the phrase itself
	parts []part
	prep  int   // the preposition before it, -1 for none
	tie   int   // the preposition behind it, -1 for none
	tied  []int // the words it ties to the phrase
	owned bool  // a determiner stands before it
	nth   int   // place among the phrases of the message
}

// phrases finds the noun phrases of the message's beginning. Weak words are part of them only if weak is true.
func (t titler) phrases(weak bool) (found []phrase) {
	const reach = 120
	parts := t.parts(min(len(t.lex), reach), weak)
	prep, owned := -1, false
	for i := 0; i < len(parts); {
		switch parts[i] {
		case leadsIn:
			prep, owned = i, false
			i++
		case determiner:
			owned = true
			i++
		case adjectival, noun, name:
			p := phrase{prep: prep, tie: -1, owned: owned, nth: len(found)}
			if prep < 0 && !owned && t.g.inflects() && i > 0 && t.lex[i-1].is(weakWord) && !leadsTo(t.at(i-2)) {
				p.prep = i - 1 // "the number of": what follows is in the same form as behind a preposition
			}
			end := t.read(parts, i, i+1, phraseWords, &p.words)
			if len(p.words) > 0 {
				for _, w := range p.words {
					p.parts = append(p.parts, parts[w])
				}
				if _, sure := t.nominative(p); sure {
					end = t.readTied(parts, end, &p)
				}
				found = append(found, p)
			}
			i, prep, owned = end, -1, false
		default:
			i, prep, owned = i+1, -1, false
		}
	}
	return found
}

// read collects the words of a phrase from lexeme i on, at most so many, and returns the index behind what was read.
// Adjectives at its end go with something else, and an abbreviation stands only before a name, from lexeme titled on: who somebody is
// is told by his name alone. A phrase without a noun is none.
func (t titler) read(parts []part, i, titled, most int, words *[]int) int {
	start := i
	for ; i < len(parts) && len(*words) < most; i++ {
		if i > start && t.lex[i-1].last {
			break
		}
		if i > titled && t.pointed(i-1) && i+1 < len(parts) && parts[i+1] == name { // "Dr. Lindner"
			continue
		}
		if p := parts[i]; p != adjectival && p != noun && p != name && (p != figure || i == start) || i > start && !t.joins(parts, i) {
			break
		}
		*words = append(*words, i)
	}

	end := max(i, start+1)
	for n := len(*words); n > 0 && (parts[(*words)[n-1]] == adjectival || t.pointed((*words)[n-1])); n-- {
		*words = (*words)[:n-1]
	}
	return end
}

// pointed reports whether lexeme i is an abbreviation with its point right behind it.
func (r *Reading) pointed(i int) bool {
	return r.abbreviated(i) && r.is(i+1, ".") && r.at(i+1).glued
}

// joins reports whether lexeme i goes on with the phrase that the one before it is in: a number with the name of a model, a noun with
// one that it may be an attribute of, an adjective only with such a one.
func (t titler) joins(parts []part, i int) bool {
	l, before := t.lex[i], t.lex[i-1]
	switch {
	case parts[i] == figure:
		return parts[i-1] == name && (before.raw == strings.ToUpper(before.raw) || t.lang == "en") && text.Digits(l.raw) <= 4 && !t.at(i+1).glued && !t.at(i+1).is(unitWord)
	case parts[i] == name || parts[i-1] == adjectival || !t.g.inflects():
		return true
	case parts[i] == adjectival:
		return t.g.ends(l.fold, attributeEnding)
	}
	return !t.oblique(l.raw) && (!text.Listed(l.raw) || t.g.ends(l.fold, attributeNoun)) && !t.accusative(l.raw)
}

// accusative reports whether a noun has the ending of an object.
func (t titler) accusative(raw string) bool {
	e, base := t.g.form(raw)
	return e.kind == feminine && base != raw && t.g.ends(strings.ToLower(raw), objectEnding)
}

// oblique reports whether a noun ends as it does only behind a preposition, or as what something is done with or given to.
func (t titler) oblique(raw string) bool {
	return !text.Listed(raw) && t.g.ends(strings.ToLower(raw), obliqueEnding)
}

// leadsTo reports whether a word stands before a noun and shows that it is not the subject.
func leadsTo(l lexeme) bool { return l.set.meets(in(binds, preposition, beforeNoun)) }

// readTied adds what the preposition right behind a phrase ties to it.
func (t titler) readTied(parts []part, i int, p *phrase) int {
	if i >= len(parts) || parts[i] != leadsIn || t.lex[i-1].last || !t.lex[i].is(binds) {
		return i
	}

	j := i + 1
	for j < len(parts) && parts[j] == determiner {
		j++
	}
	if j >= len(parts) {
		return i
	}

	end := t.read(parts, j, j, min(titleWords-1-len(p.words), phraseWords-1), &p.tied)
	if len(p.tied) == 0 {
		return i
	}
	p.tie = i
	return end
}
