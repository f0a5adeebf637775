package facts

import "iter"

// How sure the words before a value make it that the value is a number of something.
const (
	byNothing = iota
	byFarNoun // a noun with other words between
	byNoun
	byNumber // a word for "number"
)

// cue is what the words left of a value say about it.
type cue struct {
	label    string
	strength int
	plate    bool
	gap      int // other words between cue and value
}

// before goes back from lexeme i, without it, over so many lexemes of its sentence, but not into the last fact.
func (r *Reading) before(i, reach int) iter.Seq[lexeme] {
	return func(yield func(lexeme) bool) {
		for j := i - 1; j >= r.floor && j >= i-reach && !r.at(j).last && yield(r.at(j)); {
			j--
		}
	}
}

// hasBefore reports whether a word of a class stands shortly before lexeme i.
func (r *Reading) hasBefore(i, reach int, c class) bool {
	for l := range r.before(i, reach) {
		if l.is(c) {
			return true
		}
	}
	return false
}

// cueReach is how many lexemes left of a value may belong to its cue.
const cueReach = 7

// cue looks left of lexeme i for a noun that has numbers, a word for "number", or both, and makes the label
// of them: "číslo objednávky", "objednávka" (of "objednávka č."), "order number".
func (r *Reading) cue(i int) cue {
	noun, num, gap := -1, -1, 0
	var label string
	for j := i - 1; j >= r.floor && j >= i-cueReach && !r.at(j).last; j-- {
		l := r.at(j)
		if l.shape == mark {
			if (l.raw == "#" || l.raw == "№") && num < 0 {
				num = j
			} else if !r.is(j, ":=,.(\"„“”-–—") {
				break
			}
			continue
		}
		if l.shape != word {
			break
		}
		if found := r.referenceLabel(j); found != "" {
			noun, label = j, found
			break
		}
		if is, _ := r.numberAt(j); is && num < 0 {
			num = j
			continue
		}
		if num >= 0 && !l.is(copula) {
			break // "moje číslo": what stands left of the number word is no part of it
		}
		if !l.is(copula) && !l.is(preposition) && !l.is(possessive) && !l.is(article) {
			gap++
		}
	}
	return r.compose(i, noun, num, gap, label)
}

// compose makes the cue of lexeme i from where its noun and its word for "number" stand (-1 = nowhere).
func (r *Reading) compose(i, noun, num, gap int, label string) cue {
	c := cue{label: label, gap: gap, plate: noun >= 0 && r.at(noun).is(plate)}

	// The noun alone: how sure it is depends on what stands between it and the value, and on what stands before it.
	switch {
	case noun >= 0 && num < 0:
		c.strength = byNoun
		if gap > 1 {
			c.strength = byFarNoun
		}
		before := noun - 1
		if r.is(before, ".") {
			before--
		}
		is, _ := r.numberAt(before)
		if is && before >= r.floor && !r.at(noun-1).last || r.at(noun).set.meets(in(numberItself, acronym, weakAcronym)) {
			c.strength = byNumber
			if before >= r.floor && is && !r.at(before).is(numberShort) {
				c.label = r.words(before, noun+1)
			}
		}

	// With a word for "number" the value is a number. The label is what both say together.
	case noun >= 0:
		c.strength = byNumber
		if _, kept := r.numberAt(num); kept && num == noun+1 {
			c.label = r.words(noun, num+1)
		}
	case num >= 0:
		c.strength, c.label = byNumber, r.numbered(num, i)
	}
	return c
}

// numbered labels a value whose word for "number" has no known noun: with the words that follow it
// ("číslo pacienta"), with itself if it is a whole word ("kód"), else not at all.
func (r *Reading) numbered(num, i int) string {
	end := num + 1
	for end < i && end-num <= 3 && r.at(end).shape == word && !r.at(end).is(copula) && !r.at(end).is(possessive) && !capitals(r.at(end)) {
		end++
	}
	if r.at(num).is(numberShort) || r.at(num).shape != word {
		return ""
	}
	if end == num+1 && num > 0 && !r.at(num-1).last && r.lang == "en" && r.at(num-1).shape == word && !r.at(num-1).is(article) && !r.at(num-1).is(preposition) && !r.at(num-1).is(possessive) && num-1 >= r.floor {
		return r.words(num-1, end) // "patient number"
	}
	return r.words(num, end)
}

// referenceLabel returns the label of the noun or acronym at lexeme j, "" if it is neither.
func (r *Reading) referenceLabel(j int) string {
	l := r.at(j)
	if l.is(acronym) || l.is(weakAcronym) && (capitals(l) || r.is(j+1, ":")) {
		return r.called(l, acronym, weakAcronym)
	}
	if l.is(plate) {
		return r.words(j, j+1)
	}
	return r.called(l, orderWord, referenceWord)
}

// numberAt is numberWord for lexeme j, which must be followed by a point where it is a short form that is
// also another word ("č.", "no.").
func (r *Reading) numberAt(j int) (is, kept bool) {
	l := r.at(j)
	if l.raw == "#" || l.raw == "№" {
		return true, false
	}
	if l.shape != word {
		return false, false
	}
	if l.is(numberPointed) && !r.is(j+1, ".") {
		return false, false
	}
	return l.is(numberWord), l.is(numberKept)
}
