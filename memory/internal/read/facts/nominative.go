package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

	// The first noun gets its dictionary form, if that is sure.
	head := t.head(p)
	said := words[head]
	restored, sure := t.restore(said, p, head)
	if !sure || restored == said {
		return words, sure
	}

	// Its adjectives agree with it; one that does not say how is left out.
	words[head] = restored
	agreement := t.g.forms[masculineForm]
	if t.g.ends(restored, feminineEnding) {
		agreement = t.g.forms[feminineForm]
	}

	for k := range words {
		if i := p.words[k]; k != head && (p.parts[k] == adjectival || t.g.adjective(t.lex[i])) {
			words[k] = agree(words[k], agreement)
		}
	}
	return words, true
}

// head is the word of a phrase that its adjectives go with: the first noun.
func (t titler) head(p phrase) int {
	for k, i := range p.words {
		if l := t.lex[i]; p.parts[k] != adjectival && l.shape == word && !t.g.adjective(l) {
			return k
		}
	}
	return 0
}

// object reports whether a word of a phrase is an object, or behind a preposition that stands with the same form.
func (t titler) object(p phrase, head int) bool {
	i := p.words[head]
	if p.prep < 0 {
		return !startsUpper(t.lex[i]) && !t.starts(p.words[0]) && t.at(p.words[0]-1).shape == word
	}
	return t.lex[p.prep].is(beforeObject)
}

// of reports whether a phrase stands behind a preposition with the genitive alone, whose endings tell the dictionary's form.
func (t titler) of(p phrase) bool {
	return t.at(p.prep).set.meets(in(weakWord, beforeGenitive))
}

// restore gives the dictionary's form of a noun that stands behind a preposition, or of an object without one.
func (t titler) restore(said string, p phrase, head int) (string, bool) {
	// A word that is in the dictionary as it stands needs no other form.
	behind := p.prep >= 0 || t.oblique(said)
	if behind && text.Listed(said) {
		return said, true
	}

	// The endings that its place in the sentence allows, the genitive first where it must be one.
	endings := t.g.forms[objectForm]
	if behind {
		endings = slices.Concat(endings, t.g.forms[caseForm])
	}
	if t.of(p) {
		endings = slices.Concat(t.g.forms[genitiveForm], endings)
	}

	// The endings match lower-case letters; a word whose length changes by that is left alone.
	low, object := strings.ToLower(said), t.object(p, head)
	if len(low) != len(said) {
		return said, !behind
	}

	// The first ending that leads to a known word counts; a sure one also to an unknown word.
	for _, e := range endings {
		base, ok := strings.CutSuffix(low, e.from)
		if !ok || utf8.RuneCountInString(base) < 2 || e.from == "u" && strings.HasSuffix(base, "o") || e.from == "ii" && unicode.IsUpper([]rune(said)[0]) {
			continue
		}
		if text.Listed(base+e.to) || e.sure && (object || t.of(p) || utf8.RuneCountInString(e.from) > 2) && (!text.Listed(base) || unicode.IsUpper([]rune(said)[0])) && !text.Listed(said) {
			return said[:len(said)-len(e.from)] + e.to, true
		}
	}
	return said, !behind
}

// agree puts an adjective beside a noun in its dictionary form; "" where its ending does not tell how.
func agree(said string, forms []form) string {
	low := strings.ToLower(said)
	for _, e := range forms {
		if base, ok := strings.CutSuffix(low, e.from); ok && utf8.RuneCountInString(base) >= 2 {
			return said[:len(said)-len(e.from)] + e.to
		}
	}
	return ""
}
