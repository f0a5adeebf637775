package facts

import (
	"slices"
	"strings"
)

// IsQuestion reports whether a message asks something: a sentence of it ends in a question mark, or begins,
// after openings, with a question word or, in English, with a verb before its subject.
func IsQuestion(message string) bool { return skim(message).IsQuestion() }

// IsQuestion is IsQuestion for a message that was read.
func (r *Reading) IsQuestion() bool {
	for i, end := range r.spans() {
		if r.asksIn(i, end) {
			return true
		}
	}
	return false
}

// asksIn reports whether the sentence of lexemes from to end-1 is a question.
func (r *Reading) asksIn(from, end int) bool {
	return end > from && (r.lex[end-1].raw == "?" || r.inverted(r.body(from, end), end))
}

// body steps over the openings of a sentence.
func (r *Reading) body(i, end int) int {
	for i < end {
		if r.lex[i].shape == mark {
			i++
			continue
		}
		n := r.phrase(i, end, in(opening))
		if n == 0 || r.lex[i].is(questionWord) {
			return i
		}
		i += n
	}
	return end
}

// inverted reports whether the sentence that begins at lexeme i has the form of a question without its mark.
func (r *Reading) inverted(i, end int) bool {
	first, second := r.at(i), r.at(i+1)
	switch {
	case i+1 >= end:
		return i < end && first.is(questionWord)
	case first.is(preposition) && second.is(questionWord), r.phrase(i, end, in(asksPlainly)) > 0:
		return true
	case first.is(asksByVerb):
		return second.is(auxiliary)
	case first.is(asksAlone):
		return !slices.ContainsFunc(r.lex[i:end], func(l lexeme) bool { return l.raw == "," })
	}
	return first.is(questionWord) || first.is(auxiliary) && second.is(subjectWord) || second.is(asksBehind)
}

// IsIndirect reports whether a clause begins as an indirect question does: "what the crown costs", "na co jest alergická".
func IsIndirect(clause string) bool {
	r := skim(clause)
	first, second := r.at(0), r.at(1)
	return first.is(questionWord) || first.is(preposition) && second.is(questionWord)
}

// Asks returns which kinds of fact a question asks for, the most wanted first: when -> days and times, how much -> price,
// number -> reference, where -> address, who -> name, and link, phone, e-mail by their words. Nil when the question asks for none
// of these or message is no question. lang is not needed to know the words; it is taken for symmetry with Extract.
func Asks(message, _ string) []Kind {
	r := skim(message)
	if !r.IsQuestion() {
		return nil
	}

	var nouns, words []Kind
	for _, l := range r.lex {
		nouns = append(nouns, r.askedNoun(l)...)
	}
	for i := 0; i < len(r.lex); {
		n := max(1, r.phrase(i, len(r.lex), in(asks)))
		words = append(words, kinds(r.asked(i, n))...)
		i += n
	}

	var out []Kind
	for _, kind := range append(nouns, words...) { // a noun says more: "where is the link" asks for the link
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// asked returns what the n words from lexeme i on ask for.
func (r *Reading) asked(i, n int) string {
	e := r.w.whole[r.lex[i].fold]
	if e == nil || n == 1 {
		return e.label(asks, r.lang)
	}
	for k := range e.phrases {
		if p := &e.phrases[k]; len(p.rest) == n-1 && r.says(i+1, p.rest) {
			return p.entry.label(asks, r.lang)
		}
	}
	return ""
}

// kinds returns those that a label names.
func kinds(label string) (out []Kind) {
	for name := range strings.FieldsSeq(label) {
		out = append(out, Kind(name))
	}
	return out
}

// askedNoun returns what a noun in a question asks for.
func (r *Reading) askedNoun(l lexeme) []Kind {
	switch {
	case l.is(numberWord) && !l.is(numberPointed):
		return []Kind{Reference, Item}
	case l.set.meets(in(acronym, plate)):
		return []Kind{Reference}
	}
	return kinds(r.called(l, wants))
}
