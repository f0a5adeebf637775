package facts

import (
	"strings"
)

// subjectWords is how many words a label may have.
const subjectWords = 5

// owned returns what stands before lexeme i as "my X is", "X:" or, with a word for a property, "X is", "" if nothing
// of the kind does; and whether the label belongs to somebody ("my X is").
func (r *Reading) owned(i int) (string, bool) {
	j := i - 1
	for skipped := 0; skipped < 2 && (r.is(j, "\"„“”«'(") || r.at(j).is(preposition)); skipped++ {
		j--
	}
	if r.starts(j+1) || !r.links(j) {
		return "", false
	}
	return r.label(j)
}

// links reports whether lexeme j joins a subject to its value.
func (r *Reading) links(j int) bool {
	switch l := r.at(j); l.shape {
	case word:
		return l.is(copula) || l.is(joinsHere)
	case mark:
		return l.raw == ":" || l.raw == "=" || (l.raw == "—" || l.raw == "–") && !l.glued
	}
	return false
}

// label reads the subject that ends before the joining lexeme j.
func (r *Reading) label(j int) (label string, owned bool) {
	// Back over the words of the subject, to what says whose it is.
	from := j
	for from > 0 && j-from <= subjectWords && !r.starts(from) && r.at(from-1).shape == word && !owned {
		if l := r.at(from - 1); l.is(possessive) || l.is(myFirst) && r.starts(from-1) {
			owned = true
		} else if l.is(copula) || l.is(subordinate) {
			break
		} else {
			from--
		}
	}

	for from < j && r.at(from).is(article) {
		from++
	}

	n := j - from
	if n == 0 || n > subjectWords || r.at(from).is(speech) || r.at(j-1).points() || r.phrase(from, j, in(opening)) > 0 {
		return "", false
	}

	// It counts when it is owned, stands before a colon, or names a property.
	bounded := r.starts(from) || r.at(from-1).shape == mark || r.at(from-1).is(subordinate) || r.at(from-1).is(article)
	colon := r.at(j).raw == ":" && bounded && n < subjectWords
	if owned || colon || bounded && r.property(from, j) {
		return r.words(from, j), owned
	}
	return "", false
}

// property reports whether a word for a property heads the subject of lexemes from to end-1: its first word, or in
// English, where the head comes last, its last.
func (r *Reading) property(from, end int) bool {
	return r.at(from).set.meets(in(property, measureWord, plate)) || r.at(end-1).is(property) && r.lang == "en"
}

// statements adds what clauses without any other fact say as "label: value" or "my X is Y".
func (r *Reading) statements() {
	found := r.facts
	for i, end := range r.spans() {
		for len(found) > 0 && found[0].End <= r.lex[i].start {
			found = found[1:]
		}
		if r.at(end-1).raw != "?" {
			r.statement(i, end, found)
		}
	}
}

// statement looks for a joining word in lexemes from to end-1 and takes what stands after it, up to the clause's end.
func (r *Reading) statement(from, end int, found []Fact) {
	// A joining word with a subject before it.
	for j := from + 1; j+1 < end; j++ {
		if !r.links(j) || r.at(j).raw == ":" && r.at(j+1).glued && !r.at(j+1).line {
			continue
		}
		label, _ := r.label(j)
		if label == "" {
			continue
		}

		// The value runs to the clause's end, and has no other fact in it.
		stop := r.valueEnd(j+1, end, r.at(j).raw == ":")
		if stop > j+1 && overlaps(found, r.lex[j+1].start, r.lex[stop-1].end) {
			stop = r.valueEnd(j+1, end, false)
		}
		if stop <= j+1 || overlaps(found, r.lex[j+1].start, r.lex[stop-1].end) || r.vague(j+1, stop) {
			continue
		}

		// Quotation marks around it go.
		first, last := j+1, stop
		if r.is(first, "\"„“”«'") && last-first > 2 && r.is(last-1, "\"“”»'") {
			first, last = first+1, last-1
		}

		// What a person is called is a name.
		kind := Statement
		if startsUpper(r.at(first)) && (r.at(j-1).is(personWord) || r.w.classes(foldWord(firstWord(label)), "").has(personWord)) {
			kind = Name
		}
		r.facts = append(r.facts, Fact{
			Kind: kind, Label: label, Named: true,
			Value: squeeze(r.text[r.lex[first].start:r.lex[last-1].end]), Start: r.lex[first].start, End: r.lex[last-1].end,
		})
		return
	}
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// valueEnd returns the index after the value that begins at lexeme i: after a colon the rest of the line's
// sentence, after "is" the clause.
func (r *Reading) valueEnd(i, end int, colon bool) int {
	const most = 12
	stop := i
	for ; stop < end && stop-i < most; stop++ {
		l := r.at(stop)
		if stop > i && (r.is(stop, ";.!?…") || !colon && (r.is(stop, ",") || (l.raw == "–" || l.raw == "—")) || l.is(subordinate)) {
			break
		}
	}
	if stop-i == most {
		return i // a long clause is a tale, not a value
	}
	return stop
}

// vague reports whether a value says nothing that could be kept: "my problem is that ...", "to go home".
func (r *Reading) vague(from, end int) bool {
	l := r.at(from)
	if l.shape != word {
		return !r.is(from, "\"„“”«'") && l.shape == mark
	}
	return l.is(vague) || end-from == 1 && l.set.meets(in(copula, preposition))
}

func overlaps(found []Fact, start, end int) bool {
	for _, f := range found {
		if f.Start >= end {
			return false
		}
		if f.End > start {
			return true
		}
	}
	return false
}
