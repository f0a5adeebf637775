package facts

import (
	"slices"
	"strings"
	"unicode"
)

// Exact finds the key facts of a message: values that are whole and typed, each under a known word. What names one thing or a place to be reached at
// holds wherever it stands. Anything else is a fact only where its clause states it: not where it is asked, denied, supposed or told on hearsay,
// and no day that only today says ("tomorrow"). Whatever else a message tells stays in the message. Like Facts it takes time linear in the message.
func (r *Reading) Exact() (out []Fact) {
	found := r.Facts()
	for from, end := range r.spans() {
		asked := r.asksIn(from, end) || slices.ContainsFunc(r.lex[from:end], func(l lexeme) bool { return l.is(unsure) })
		for from < end {
			stop := r.clauseEnd(from, end, found)
			stated := !asked && !r.denies(from, stop)
			for len(found) > 0 && found[0].Start < r.lex[stop-1].end {
				if f := r.underKnown(found[0]); r.whole(f) && (f.Lasting() || stated) {
					out = append(out, r.withMatter(f, from, stop))
				}
				found = found[1:]
			}
			from = stop
		}
	}
	return out
}

// Lasting reports whether a fact names one thing or one place to be reached at: it holds also where it is only asked about, and
// another one does not take its place.
func (f Fact) Lasting() bool {
	return f.Kind.IsIdentifier() || f.Kind == Link || f.Kind == Email || f.Kind == Phone
}

// clauseEnd returns the index after the clause that begins at lexeme i.
func (r *Reading) clauseEnd(i, end int, found []Fact) int {
	for j := i + 1; j < end; j++ {
		l := r.lex[j]
		bound := r.is(j, ",;()") || r.is(j, ":-–—") && !l.glued || l.shape == word && l.is(clauseWord)
		within := slices.ContainsFunc(found[:min(len(found), 8)], func(f Fact) bool { return f.Start < l.start && l.start < f.End })
		if bound && !within {
			return j
		}
	}
	return end
}

// denies reports whether a clause says that something does not hold, or what held once.
func (r *Reading) denies(from, end int) bool {
	return slices.ContainsFunc(r.lex[from:end], func(l lexeme) bool {
		if l.shape != word {
			return false
		}
		cue := r.called(l, cueWord)
		return l.set.meets(in(denies, negates, orWord)) || cue == "not" || cue == "instead" || r.g.negative(l)
	})
}

// underKnown gives a fact whose own label is no known word the usual one of its kind.
func (r *Reading) underKnown(f Fact) Fact {
	if !f.Named {
		return f
	}
	label := r.w.scan(f.Label, r.lang)
	if !slices.ContainsFunc(label, func(l lexeme) bool { return l.set.meets(naming()) }) {
		f.Label, f.Named = r.w.call(string(f.Kind), r.lang), false
	}
	return f
}

// matterPhrases is how many phrases of its clause a day is told by.
const matterPhrases = 2

// withMatter gives a day under a word that fits any day what it is the day of, in the words of its clause: "date (boiler inspection)". An affair has several.
func (r *Reading) withMatter(f Fact, from, stop int) Fact {
	generic := f.Label == r.w.call(string(Date), r.lang) || f.Label == r.w.call(string(Deadline), r.lang)
	if f.Kind != Date && f.Kind != Deadline || !generic {
		return f
	}
	f.Named = false
	clause := Reading{w: r.w, g: r.g, text: r.text, lang: r.lang, lex: r.lex[from:stop]}
	if of := clause.details(f.Label); len(of) > 0 {
		f.Label += " (" + strings.Join(of[:min(len(of), matterPhrases)], ", ") + ")"
	}
	return f
}

// Matter returns the stems of the words of a label that say what its value is of; none of a word that fits any value of the kind: of "date (boiler
// inspection)" those of "boiler inspection", of "delivery" its own.
func Matter(label string) []string {
	generic, inner, _ := strings.Cut(label, " (")
	for _, lang := range Languages() {
		if generic == DefaultLabel(Date, lang) || generic == DefaultLabel(Deadline, lang) {
			return stems(inner)
		}
	}
	return stems(label)
}

// naming returns the classes of words that say what a value is.
func naming() set {
	return in(acronym, weakAcronym, dateWord, deadlineWord, measureWord, orderWord, priceWord, referenceWord, property, plate, personWord, phoneWord, numberWord, numberItself)
}

// whole reports whether a fact has a type and all that makes it exact.
func (r *Reading) whole(f Fact) bool {
	switch f.Kind {
	case Statement:
		return false
	case Reference:
		return f.Named || strings.ContainsFunc(f.Value, unicode.IsLetter)
	case Name, Time:
		return f.Named
	case Date, Deadline:
		return r.fixed(f)
	}
	return true
}

// fixed reports whether a day is one of the calendar, has a time of day, or is the last one of something named; one that only today says
// ("tomorrow", "by Friday") is none.
func (r *Reading) fixed(f Fact) bool {
	exact := f.Kind == Deadline && f.Named
	for _, l := range r.lex {
		if l.start < f.Start || l.end > f.End {
			continue
		}
		if l.set.meets(in(tomorrow, span, nextWord)) {
			return false
		}
		exact = exact || l.shape != word && l.shape != mark
	}
	return exact
}
