package facts

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// nominative returns the words of a phrase with the noun and its adjectives in the form that dictionaries give, and whether
// that is sure. A word that would be wrong beside it is "". English has but one form.
func (t titler) nominative(p phrase) (words []string, sure bool) {
	words = make([]string, len(p.words))
	for k, i := range p.words {
		words[k] = t.pieces[i]
	}
	if !t.g.inflects() {
		return words, true
	}

	// The first noun gets its dictionary form, its adjectives agree with it, and a person's name goes with what he is.
	head := t.head(p)
	said := words[head]
	restored, gender, sure := t.restore(said, p, head)
	words[head] = restored
	person := restored != said && t.lex[p.words[head]].set.meets(in(personWord, honorific))
	for k := range words {
		switch {
		case k < head && gender.noun() && (p.parts[k] == adjectival || t.lex[p.words[k]].is(knownAdjective)):
			words[k] = t.g.agree(words[k], gender, restored != said)
		case k > head && person && p.parts[k] == name:
			words[k] = t.g.alone(words[k])
		}
	}
	return words, sure
}

// head returns the word of a phrase that its adjectives go with: the first noun, in English the last one.
func (t titler) head(p phrase) int {
	if t.lang == "en" {
		return len(p.words) - 1
	}
	for k, i := range p.words {
		if l := t.lex[i]; p.parts[k] != adjectival && l.shape == word {
			return k
		}
	}
	return 0
}

// of reports whether a phrase stands behind a preposition with the genitive alone, where what looks like several is one.
func (t titler) of(p phrase) bool {
	return t.at(p.prep).set.meets(in(weakWord, beforeGenitive))
}

// restore gives the dictionary's form of a noun, its gender where adjectives are to agree with it, and whether that is sure. A noun that may stand for
// several is left as it is, and so are its adjectives.
func (t titler) restore(said string, p phrase, head int) (string, kind, bool) {
	e, base := t.g.form(said)
	l := t.lex[p.words[head]]
	switch {
	case base == said || p.prep < 0 && startsUpper(l) && !t.starts(p.words[head]) && !t.g.ends(strings.ToLower(said), objectEnding):
		return said, e.kind, true
	case !e.kind.noun():
		return said, 0, p.prep < 0 || l.is(knownNoun) || text.Listed(said)
	case !t.of(p) && !t.single(p, head) && t.g.several(said, base) || text.Listed(said) && !text.Listed(base):
		return said, 0, true
	}
	return base, e.kind, true
}

// single reports whether an adjective before the noun of a phrase ends as it does beside one thing that is not the subject.
func (t titler) single(p phrase, head int) bool {
	for k, i := range p.words[:head] {
		if p.parts[k] == adjectival && t.g.ends(strings.ToLower(t.lex[i].raw), singleEnding) {
			return true
		}
	}
	return false
}

// several reports whether a form of a noun may stand for several, as the subject does.
func (g *grammar) several(said, base string) bool {
	low, one := strings.ToLower(said), strings.ToLower(base)
	for _, f := range g.forms[pluralForm] {
		if stem, ok := strings.CutSuffix(low, f.from); ok && stem+f.to == one {
			return true
		}
	}
	return false
}

// alone returns a person's name in its dictionary form.
func (g *grammar) alone(said string) string {
	for _, f := range g.forms[objectForm] {
		if stem, ok := strings.CutSuffix(said, f.from); ok {
			return stem + f.to
		}
	}
	if e, base := g.form(said); e.kind.noun() {
		return base
	}
	return said
}

// agree puts an adjective beside a noun of a gender in its dictionary form; "" where its ending does not tell how. Where the noun stands as it was said,
// only the ending that a woman's has as an object is changed: it tells the gender by itself.
func (g *grammar) agree(said string, gender kind, changed bool) string {
	for _, f := range g.forms[objectForm] {
		if stem, ok := strings.CutSuffix(said, f.from); ok && gender != neuter {
			return stem + f.to
		}
	}
	if !changed {
		return said
	}
	e, base := g.form(said)
	if e.kind != attribute {
		return ""
	}
	forms := g.forms[feminineForm]
	switch gender {
	case masculine:
		return base
	case neuter:
		forms = g.forms[neuterForm]
	}
	for _, f := range forms {
		if stem, ok := strings.CutSuffix(base, f.from); ok {
			return stem + f.to
		}
	}
	return base
}
