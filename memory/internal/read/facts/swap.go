package facts

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// swaps reports whether the sentence says that a word of an earlier one does not hold: "bronze, not black", "a mug instead of the glass".
func (r *Renewal) swaps() bool {
	lex := r.w.scan(r.fresh.value, r.lang)

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

		// An earlier one has the old word, and not the new one.
		old, fresh := text.Terms(lex[was].raw)[0], text.Terms(lex[before].raw)[0]
		if slices.ContainsFunc(r.known, func(h held) bool { return slices.Contains(h.words, old) && !slices.Contains(h.words, fresh) }) {
			return true
		}
	}
	return false
}

// beside returns the first word with a meaning from lexeme i on in steps of step, with nothing but little words and commas between; -1 if there
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
