package facts

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/text"
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
			if prep < 0 && !owned && t.lang != "en" && t.lang != "de" && i > 0 && t.words["weak"][t.lex[i-1].fold] && !titlePreposition(t.lang, t.at(i-2).fold) {
				p.prep = i - 1 // "the number of": what follows is in the same form as behind a preposition
			}
			end := t.read(parts, i, phraseWords, &p.words)
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
// Adjectives at its end go with something else; a phrase without a noun is none.
func (t titler) read(parts []part, i, most int, words *[]int) int {
	start := i
	for ; i < len(parts) && len(*words) < most; i++ {
		if i > start && t.lex[i-1].last {
			break
		}
		if p := parts[i]; p != adjectival && p != noun && p != name && (p != figure || i == start) || i > start && !t.joins(parts, i) {
			break
		}
		*words = append(*words, i)
	}
	end := max(i, start+1)
	for n := len(*words); n > 0 && parts[(*words)[n-1]] == adjectival; n-- {
		*words = (*words)[:n-1]
	}
	return end
}

// joins reports whether lexeme i goes on with the phrase that the one before it is in: a number with the name of a model, a noun with
// one that it may be an attribute of, an adjective only with such a one.
func (t titler) joins(parts []part, i int) bool {
	l, before := t.lex[i], t.lex[i-1]
	switch {
	case parts[i] == figure:
		return parts[i-1] == name && (before.raw == strings.ToUpper(before.raw) || t.lang == "en") && digits(l.raw) <= 4 && !t.at(i+1).glued && !measureUnit(t.at(i+1).fold)
	case parts[i] == name || parts[i-1] == adjectival || t.lang == "en" || t.lang == "de":
		return true
	case parts[i] == adjectival:
		return hasEnding(l.fold, genitive(t.lang)...)
	}
	return !oblique(t.lang, l.raw) && (!text.Listed(l.raw) || hasEnding(l.fold, "i", "e", "u", "a", "y", "и", "а", "я")) && !t.accusative(l.raw)
}

// accusative reports whether a noun has the ending of an object.
func (t titler) accusative(raw string) bool {
	for _, e := range objectEndings(t.lang) {
		if base, ok := strings.CutSuffix(strings.ToLower(raw), e.from); ok && text.Listed(base+e.to) && !text.Listed(base) && !text.Listed(raw) {
			return true
		}
	}
	return t.lang == "pl" && strings.HasSuffix(raw, "ę") || t.lang == "ru" && hasEnding(raw, "у", "ю")
}

// genitive lists the endings of an adjective of a noun that is an attribute.
func genitive(lang string) []string {
	switch lang {
	case "cs":
		return []string{"eho", "ych", "ich", "skeho"}
	case "pl":
		return []string{"ego", "ej", "ych", "ich", "ny", "na", "ne", "ski", "ska", "wy", "wa"}
	}
	return []string{"ого", "его", "ои", "еи", "ых", "их"}
}

// oblique reports whether a noun ends as it does only behind a preposition, or as what something is done with or given to.
func oblique(lang, raw string) bool {
	if text.Listed(raw) {
		return false
	}
	low := strings.ToLower(raw)
	switch lang {
	case "cs":
		return hasEnding(low, "em", "ovi", "ům", "um", "ami", "emi", "ách", "ích", "ou", "kách", "mi")
	case "pl":
		return hasEnding(low, "em", "ą", "owi", "om", "ami", "ach")
	case "ru":
		return hasEnding(low, "ом", "ем", "ой", "ам", "ям", "ами", "ями", "ах", "ях", "ью")
	}
	return false
}

// readTied adds what the preposition right behind a phrase ties to it.
func (t titler) readTied(parts []part, i int, p *phrase) int {
	if i >= len(parts) || parts[i] != leadsIn || t.lex[i-1].last || !binds(t.lang, t.lex[i].fold) {
		return i
	}
	j := i + 1
	for j < len(parts) && parts[j] == determiner {
		j++
	}
	if j >= len(parts) {
		return i
	}
	end := t.read(parts, j, min(titleWords-1-len(p.words), phraseWords-1), &p.tied)
	if len(p.tied) == 0 {
		return i
	}
	p.tie = i
	return end
}
