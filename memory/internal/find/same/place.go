package same

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// sameSubject reports whether the words of each record's subject are in the other record.
func (j *judge) sameSubject() bool {
	named := func(t term) bool { return t.subject }
	return !slices.ContainsFunc(j.d.gone, named) && !slices.ContainsFunc(j.d.come, named)
}

// opens reports whether the word that the old record's content begins with is in the new record.
func (j *judge) opens() bool {
	at := slices.IndexFunc(j.old.terms, func(t term) bool { return !t.subject && !t.silent() })
	return at >= 0 && j.new.has(j.old.terms[at])
}

// newValue reports whether all words that differ stand where an attribute of both records has its value: behind "lives" and
// "works", behind "boss is". Both records must have such words.
func (j *judge) newValue() bool {
	for _, a := range shared(attributes(j.old), attributes(j.new)) {
		from, fromNew := j.old.valueOf(a), j.new.valueOf(a)
		if from < 0 || fromNew < 0 {
			continue
		}
		if behind(j.d.gone, from) && behind(j.d.come, fromNew) && j.valuesBehind(from, fromNew) && j.differs() {
			return true
		}
	}
	return false
}

// differs reports whether each record has a word or value of its own.
func (j *judge) differs() bool {
	some := func(terms []term, marks func(relation) []mark) bool {
		return len(terms) > 0 || slices.ContainsFunc(j.d.values[:], func(r relation) bool { return len(marks(r)) > 0 })
	}
	return some(j.d.gone, func(r relation) []mark { return r.gone }) && some(j.d.come, func(r relation) []mark { return r.come })
}

// behind reports whether all words stand behind byte at.
func behind(terms []term, at int) bool {
	return !slices.ContainsFunc(terms, func(t term) bool { return t.start < at })
}

// valuesBehind reports whether all values that differ stand behind these bytes.
func (j *judge) valuesBehind(from, fromNew int) bool {
	return !slices.ContainsFunc(j.d.values[:], func(r relation) bool {
		return slices.ContainsFunc(r.gone, func(m mark) bool { return m.start < from }) ||
			slices.ContainsFunc(r.come, func(m mark) bool { return m.start < fromNew })
	})
}

// gaps files a record's own words of the content by how many shared words stand before them, and counts the shared words.
func gaps(f, g *face, own []term) (out map[int][]term, shared int) {
	out = map[int][]term{}
	for _, t := range f.terms {
		switch {
		case t.subject:
		case slices.ContainsFunc(own, func(u term) bool { return u.start == t.start }):
			out[shared] = append(out[shared], t)
		case !t.silent() && g.has(t):
			shared++
		}
	}
	return out, shared
}

// begins returns the byte where the content begins.
func (f *face) begins() int {
	if f.cut == 0 {
		return 0
	}
	return min(f.cut+2, len(f.body))
}

// wordsBefore counts the words of the content before byte at.
func (f *face) wordsBefore(at int) (n int) {
	for _, t := range f.terms {
		if !t.subject && !t.silent() && t.start < at {
			n++
		}
	}
	return n
}

// ending reports whether subjects agree and all words that differ stand behind all that do not, as the value of an attribute that no list
// knows would.
func (j *judge) ending() bool {
	old, shared := gaps(j.old, j.new, j.d.gone)
	next, sharedNew := gaps(j.new, j.old, j.d.come)
	return shared > 0 && len(old) == 1 && len(next) == 1 && len(old[shared]) > 0 && len(next[sharedNew]) > 0 && j.sameSubject()
}

// goesOn reports whether a word stands behind byte at.
func (f *face) goesOn(at int) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.start >= at && !t.silent() })
}

// attributes lists the attributes a record has words of, in order.
func attributes(f *face) []string {
	var out []string
	for _, t := range f.terms {
		if a, _ := t.attribute(); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func shared(a, b []string) []string {
	var out []string
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// valueOf returns the byte where the value of an attribute begins: behind its verb, behind the "is" that follows its noun, behind
// a noun of the content that has none, at the content if the noun is the subject. -1 if that is not to be seen.
func (f *face) valueOf(attribute string) int {
	noun := -1
	for _, t := range f.terms {
		a, verb := t.attribute()
		switch {
		case a != attribute:
		case verb && !t.subject:
			return f.afterVerb(t)
		default:
			noun = t.end
		}
	}
	if noun < 0 {
		return -1
	}
	for _, l := range f.links {
		if l >= noun && l > f.begins() {
			return l
		}
	}
	return max(noun, f.begins())
}

// afterVerb returns the end of a verb, unless what follows is no value: "works on a report", "lives with her parents".
func (f *face) afterVerb(t term) int {
	rest := text.Tokens(f.body[t.end:min(len(f.body), t.end+40)])
	for i, w := range rest {
		can := term{meanings: roles().of(w.Folded)}
		switch {
		case can.is(reflexive):
			if i+1 < len(rest) && !roles().is(rest[i+1].Folded, towards) {
				return -1 // "bydlí se sestrou"
			}
		case can.is(away):
			return -1
		case !can.is(between):
			return t.end
		}
	}
	return t.end
}

// extended reports whether words of one record only stand before its first value that differs, where they may say which thing has
// the value, or are names.
func (j *judge) extended() bool {
	limit := func(f *face, marks func(relation) []mark) int {
		at := len(f.body)
		for _, r := range j.d.values {
			for _, m := range marks(r) {
				at = min(at, m.start)
			}
		}
		return at
	}
	before := func(terms []term, at int) bool {
		return slices.ContainsFunc(terms, func(t term) bool { return t.start < at || t.name || t.is(kin) })
	}
	return before(j.d.gone, limit(j.old, func(r relation) []mark { return r.gone })) ||
		before(j.d.come, limit(j.new, func(r relation) []mark { return r.come }))
}

// widened reports whether words of f alone may make it somebody else's: words of the subject, and names and relatives that do not
// stand behind "with" or "called", at or before the first word that the other record has too.
func (j *judge) widened(only []term, f *face) bool {
	first := len(f.body)
	for _, t := range f.terms {
		if !t.subject && !t.silent() && !slices.ContainsFunc(only, func(u term) bool { return u.start == t.start }) {
			first = min(first, t.start)
			break
		}
	}
	return slices.ContainsFunc(only, func(t term) bool {
		switch {
		case t.subject:
			return true
		case t.is(kin):
			return !t.with
		}
		return t.capital && t.start < first
	})
}

// swapped reports whether names or numbers that both records have stand in another order, which may say another thing: "Petr owes Jana", "Jana owes Petr".
func (j *judge) swapped() bool {
	names := func(f *face) (stems []string) {
		for _, t := range f.terms {
			if t.capital && !t.subject && !slices.Contains(stems, t.stem) {
				stems = append(stems, t.stem)
			}
		}
		return stems
	}
	a, b := names(j.old), names(j.new)
	if a, b = shared(a, b), shared(b, a); !slices.Equal(a, b) {
		return true
	}
	for _, s := range []sort{amount, count, measure} {
		x, y := canons(j.old.of(s)), canons(j.new.of(s))
		if x, y = shared(x, y), shared(y, x); !slices.Equal(x, y) {
			return true
		}
	}
	return false
}

func canons(marks []mark) []string {
	out := make([]string, len(marks))
	for i, m := range marks {
		out[i] = m.canon
	}
	return out
}
