package same

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Ending is what of an old record holds no longer, now that another one has taken its place.
type Ending struct {
	Denied bool // the new one denies the old, or says that it is over, and gives nothing in its place
	Abroad bool // the two are in different languages: only values are over, since all words differ and none proves anything

	reworded bool // the new one has words that the old one has not

	said  *face
	holds *face  // what the new one says in clauses that deny nothing
	gone  []term // words of the old record that the new one says no more
	over  []term // those, and words that it denies
	lang  string
}

// End compares a record with the one that has taken its place; language is that of the new one, BCP-47.
func End(old, next state.Record, language string) Ending {
	a, b := read(old, language), read(next, language)
	d := compare(a, b)
	ends := func(t term) bool { return t.is(end) }
	e := Ending{said: a, lang: language, Denied: d.negation || !slices.ContainsFunc(a.terms, ends) && slices.ContainsFunc(b.terms, ends)}
	e.reworded = len(d.come) > 0
	if Abroad(old.Content, next.Content) {
		e.Abroad, e.Denied, e.holds = true, false, b
		return e
	}
	if e.Denied || e.reworded { // to say less is not to say that the rest is over
		e.gone = d.gone
	}
	e.holds = affirmed(a, next, language)
	e.over = slices.Clone(e.gone)
	for _, t := range a.terms {
		alone := &face{terms: []term{t}, words: map[string]bool{t.folded: true}}
		if e.Denied && denies(b, alone) {
			e.over = append(e.over, t)
		}
	}
	return e
}

// Left returns the values of an old record that the one in its place says nothing of, each with what it is: "price: 4,200 CZK; order: 4471"; a bare number
// says nothing by itself. "" = none, and where the new one denies the old one or names somebody else, for then they hold no longer either; language is that of the new one.
func Left(old, next state.Record, language string) string {
	a, b := read(old, language), read(next, language)
	d := compare(a, b)
	names, ends := func(t term) bool { return t.name }, func(t term) bool { return t.is(end) }
	if d.negation || slices.ContainsFunc(d.come, ends) || slices.ContainsFunc(d.gone, names) && slices.ContainsFunc(d.come, names) {
		return ""
	}

	// What another value of its sort has come for is replaced; where fewer have come than are gone, only what they are of.
	var left []mark
	for _, r := range d.values {
		replaced := func(m mark) bool {
			again := slices.ContainsFunc(r.come, func(n mark) bool { return n.label == m.label })
			return m.subject || m.label == "" || len(r.come) > 0 && (again || len(r.come) >= len(r.gone))
		}
		left = append(left, slices.DeleteFunc(slices.Clone(r.gone), replaced)...)
	}
	slices.SortFunc(left, func(m, n mark) int { return m.start - n.start })
	out := make([]string, len(left))
	for i, m := range left {
		out[i] = m.label + ": " + a.body[m.start:m.end]
	}
	return strings.Join(out, "; ")
}

// Abroad reports whether two texts are surely in different languages. What both write alike, as a name or a currency, tells of neither.
func Abroad(a, b string) bool {
	a, b = ownWords(a, b), ownWords(b, a)
	of, other := text.Language(a, "en"), text.Language(b, "en")
	return text.Language(a, other) != other && text.Language(b, of) != of
}

// ownWords returns the words of a text that another one has not.
func ownWords(s, other string) string {
	has, own := text.Words(other), []string{}
	for _, t := range text.Tokens(s) {
		if !slices.Contains(has, t.Folded) {
			own = append(own, t.Surface)
		}
	}
	return strings.Join(own, " ")
}

// affirmed returns what a record says in clauses that deny nothing of an old one.
func affirmed(old *face, next state.Record, language string) *face {
	var left []string
	for clause := range strings.SplitSeq(strings.NewReplacer("; ", "\n", ", ", "\n", ". ", "\n").Replace(next.Content), "\n") {
		f := read(state.Record{Content: clause}, language)
		word := func(w string) bool { return roles().is(w, negates) || roles().is(w, end) }
		if !denies(f, old) && !slices.ContainsFunc(slices.Collect(maps.Keys(f.words)), word) {
			left = append(left, clause)
		}
	}
	return read(state.Record{Content: strings.Join(left, ". ")}, language)
}

// Covers reports whether a sentence says what is over: hardly anything but what the old record said, and a word of it that is over.
func (e Ending) Covers(sentence string) bool {
	f := read(state.Record{Content: sentence}, e.lang)
	return e.says(f) && f.hasAny(e.over) && !e.stands(f)
}

// CoversFact reports whether a key fact says what is over. Where the old record is denied that is also one whose label and value are both of it: "boat:
// Frank's" when Frank has no boat any more.
func (e Ending) CoversFact(label, value string) bool {
	l, v := read(state.Record{Content: label}, e.lang), read(state.Record{Content: value}, e.lang)
	bare := len(v.terms)+len(v.marks) == 0 // "breakfast: yes"
	switch {
	case !bare && (!e.says(v) || e.stands(v)):
		return false
	case v.hasAny(e.gone):
		return true
	}
	return e.Denied && e.named(l) && (!bare || l.hasAny(e.over))
}

// named reports whether most words of a label are of the old record, or begin as one of its words does: a helper, who helps.
func (e Ending) named(label *face) bool {
	const begins = 4 // letters
	head := func(t term) string { return string([]rune(t.folded)[:min(begins, utf8.RuneCountInString(t.folded))]) }
	known := 0
	for _, t := range label.terms {
		if e.said.has(t) || slices.ContainsFunc(e.said.terms, func(s term) bool { return len(head(t)) >= begins && head(s) == head(t) }) {
			known++
		}
	}
	return known > 0 && 3*known >= 2*len(label.terms)
}

// Touches reports whether a text may say what holds no longer: it has a word that is over or, where the new record has other words, one of the old record.
func (e Ending) Touches(s string) bool {
	f := read(state.Record{Content: s}, e.lang)
	said := slices.DeleteFunc(slices.Clone(e.said.terms), term.silent)
	return f.hasAny(e.over) || e.reworded && f.hasAny(said)
}

// stands reports whether the new record still says all of a text.
func (e Ending) stands(f *face) bool {
	lacks := func(t term) bool { return !t.silent() && !e.holds.has(t) }
	return len(f.terms)+len(f.marks) > 0 && !slices.ContainsFunc(f.terms, lacks) && !slices.ContainsFunc(f.marks, func(m mark) bool { return !e.holds.values(m) })
}

// says reports whether the old record said what a text says: each of its values and names, and two words of three.
func (e Ending) says(f *face) bool {
	if slices.ContainsFunc(f.marks, func(m mark) bool { return !e.said.values(m) }) {
		return false
	}
	known, all := 0, 0
	for _, t := range f.terms {
		switch {
		case t.silent():
			continue
		case e.said.has(t):
			known++
		case t.name:
			return false
		}
		all++
	}
	return known+len(f.marks) > 0 && 3*known >= 2*all
}

// values reports whether f has a value.
func (f *face) values(m mark) bool {
	return slices.ContainsFunc(f.marks, func(n mark) bool { same, _ := m.agree(n); return same })
}

// hasAny reports whether a word of f is one of these.
func (f *face) hasAny(words []term) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		return slices.ContainsFunc(words, func(o term) bool { return o.meets(t) || text.Akin(o.stem, t.stem, mostEnding) })
	})
}
