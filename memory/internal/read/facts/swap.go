package facts

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// swap finds a word of a known fact that a stated one says not to hold, and cuts it out: "bronze, not black", "a mug instead of the glass". ok is
// false if no known fact has the word, or more than one.
func (r *Renewal) swap(f Fact) (renewed state.Fact, ok bool) {
	lex := r.w.scan(f.Value, r.lang)

	// The word that is denied stands behind the denial, the one that holds before it or behind the other.
	for j, l := range lex {
		if l.shape != word || !l.is(denies) {
			continue
		}
		was, before := beside(lex, j, 1), beside(lex, j, -1)
		if was < 0 {
			continue
		}
		if before < 0 {
			before = beside(lex, was, 1)
		}
		if before < 0 {
			continue
		}

		// Exactly one known fact has the old word, and does not have the new one yet.
		old, fresh := text.Terms(lex[was].raw)[0], text.Terms(lex[before].raw)[0]
		holds := func(h held) bool { return slices.Contains(h.own, old) }
		i := slices.IndexFunc(r.known, holds)
		if i < 0 || slices.ContainsFunc(r.known[i+1:], holds) || slices.Contains(r.known[i].words, fresh) {
			continue
		}

		// The word is cut out where it stands; the rest of the fact stays as it was said.
		k := &r.known[i]
		for _, token := range text.Tokens(k.value) {
			if token.Stem == old {
				*k = r.hold(k.label, k.without([2]int{token.Start, token.End}))
				return state.Fact{Label: k.label, Value: k.value}, true
			}
		}
	}
	return state.Fact{}, false
}

// beside is the first word with a meaning from lexeme i on in steps of step, with nothing but little words and commas between; -1 if there
// is none.
func beside(lex []lexeme, i, step int) int {
	for j := i + step; j >= 0 && j < len(lex) && (j-i)*step <= 4; j += step {
		switch l := lex[j]; {
		case l.shape == mark && l.raw != ",", l.shape == number:
			return -1
		case l.shape == word && len(text.Terms(l.raw)) > 0 && !l.general() && !l.is(cueWord):
			return j
		}
	}
	return -1
}
