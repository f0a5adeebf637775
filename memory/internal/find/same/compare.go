package same

import (
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// difference is what two faces do not share. Words that only join, and words for a new value, are left out.
type difference struct {
	gone, come []term // of the old record only, of the new record only
	shared     int    // words of the old record that the new one has too
	values     [sorts]relation
	negation   bool // a shared word is denied in one of them
	feeling    bool // liked in one, disliked in the other
	states     bool // each has a state that the other lacks
	doubtful   bool // a name of one may be that of somebody else in the other: Jan, Jana
}

// relation is how the values of one sort compare.
type relation struct {
	shared     bool // some value is in both
	gone, come []mark
	conflict   bool // a value of each contradicts one of the other
	unclear    bool // values that cannot be compared: a Friday and 5 May
	finer      bool // a shared value says more in the new record
	rougher    bool // or less
}

func compare(a, b *face) difference {
	var d difference
	d.gone, d.shared = unmatched(a, b)
	d.come, _ = unmatched(b, a)
	for s := range sorts {
		d.values[s] = relate(a.of(s), b.of(s))
		if r := &d.values[s]; s != identifier && r.shared && len(r.gone) == 0 && len(r.come) > 0 && b.changes() && !a.changes() {
			r.conflict, r.unclear = true, false // "moved from 4 May to 6 May"
		}
	}
	d.negation = denies(a, b) || denies(b, a)
	d.feeling = feeling(a)*feeling(b) < 0
	d.doubtful = doubtfulNames(a, b) || doubtfulNames(b, a)
	goneState := slices.ContainsFunc(d.gone, func(t term) bool { return t.is(status) })
	comeState := slices.ContainsFunc(d.come, func(t term) bool { return t.is(status) })
	d.states = goneState && comeState
	return d
}

// changes reports whether the record says that a value is a new one.
func (f *face) changes() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.is(change) })
}

// of lists the marks of a sort without repeats.
func (f *face) of(s sort) []mark {
	var out []mark
	for _, m := range f.marks {
		if m.sort == s && !slices.ContainsFunc(out, func(n mark) bool { return n.canon == m.canon }) {
			out = append(out, m)
		}
	}
	return out
}

// unmatched lists the words of f that g lacks, and counts the others.
func unmatched(f, g *face) (out []term, matched int) {
	for _, t := range f.terms {
		switch {
		case g.has(t):
			if !t.silent() {
				matched++
			}
		case !t.silent():
			out = append(out, t)
		}
	}
	return out, matched
}

// has reports whether a word of f means what t means, whether or not it is denied.
func (f *face) has(t term) bool {
	return slices.ContainsFunc(f.terms, func(u term) bool { return t.meets(u) })
}

func (t term) meets(u term) bool {
	if t.feeling() != 0 && u.feeling() != 0 {
		return true // compared by itself
	}
	if a, _ := t.attribute(); a != "" {
		if b, _ := u.attribute(); a == b {
			return true
		}
	}
	if t.name || u.name {
		return t.stem == u.stem || t.folded == u.folded
	}
	return text.Akin(t.stem, u.stem, mostEnding) || opposite(t.folded, u.folded)
}

// mostEnding is how many letters the stems of one word may differ in.
const mostEnding = 3

// opposite reports whether one word is the other with the Czech prefix of denial: kouří, nekouří.
func opposite(a, b string) bool {
	return strings.TrimPrefix(a, "ne") == b && a != b || strings.TrimPrefix(b, "ne") == a && a != b
}

// denies reports whether f denies a word that g says without denying it.
func denies(f, g *face) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		if rest, ok := strings.CutPrefix(t.folded, "ne"); ok && len(rest) > 1 && !g.words[t.folded] && g.words[rest] {
			return true
		}
		if !t.negated || t.feeling() != 0 {
			return false
		}
		met := func(u term) bool { return t.meets(u) || text.Akin(t.stem, u.stem, mostEnding) }
		denied := slices.ContainsFunc(g.terms, func(u term) bool { return met(u) && u.negated })
		return !denied && slices.ContainsFunc(g.terms, met)
	})
}

// feeling returns 1 or -1 if the words of liking in f agree, else 0.
func feeling(f *face) int {
	sum, all := 0, 0
	for _, t := range f.terms {
		if v := t.feeling(); v != 0 {
			sum, all = sum+v, all+1
		}
	}
	if all == 0 || sum != all && sum != -all {
		return 0
	}
	return sum / all
}

// doubtfulNames reports whether a word of f with a capital is met in g only by forms that may be another person's: Jan and
// Jana, Novák and Nováková, Kowalski and Kowalska.
func doubtfulNames(f, g *face) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		if !t.capital || g.words[t.folded] {
			return false
		}
		return slices.ContainsFunc(g.terms, func(u term) bool {
			return u.capital && t.meets(u) && (another(t.folded, u.folded) || another(u.folded, t.folded))
		})
	})
}

// another reports whether b may be the name of a woman, or her husband's or father's, that goes with a.
func another(a, b string) bool {
	for _, ends := range [][2]string{{"", "a"}, {"", "ova"}, {"i", "a"}, {"y", "a"}, {"el", "la"}, {"ek", "kova"}, {"а", ""}, {"", "а"}, {"ии", "ая"}} {
		base, ok := strings.CutSuffix(a, ends[0])
		if ok && base+ends[1] == b {
			return true
		}
	}
	return false
}

// relate matches the values of one sort, each with the first it can be.
func relate(a, b []mark) relation {
	// Each value of the first finds its like in the second; one may be finer than the other.
	var r relation
	taken := make([]bool, len(b))
	for _, m := range a {
		at := slices.IndexFunc(b, func(n mark) bool { same, _ := m.agree(n); return same })
		if at < 0 {
			r.gone = append(r.gone, m)
			continue
		}
		_, more := m.agree(b[at])
		_, less := b[at].agree(m)
		r.shared, r.finer, r.rougher, taken[at] = true, r.finer || more, r.rougher || less, true
	}

	// What has no like on either side.
	for i, n := range b {
		if !taken[i] && !slices.ContainsFunc(a, func(m mark) bool { same, _ := n.agree(m); return same }) {
			r.come = append(r.come, n)
		}
	}

	// Values that are gone and values that have come contradict each other, moments only when both can be compared.
	r.conflict = len(r.gone) > 0 && len(r.come) > 0
	if r.conflict && r.gone[0].sort == moment {
		r.unclear = !slices.ContainsFunc(r.gone, func(m mark) bool {
			return slices.ContainsFunc(r.come, func(n mark) bool { return m.when.contradicts(n.when) })
		})
		r.conflict = !r.unclear
	}

	// Where only one side has others, they may still cross a value of the other side.
	if len(r.gone)+len(r.come) > 0 && !r.conflict && len(a) > 0 && len(b) > 0 {
		r.unclear = r.unclear || crossed(r.gone, b) || crossed(r.come, a)
	}
	return r
}

// crossed reports whether a moment left over contradicts one that has its match already: 10:00 beside 12 May 15:00.
func crossed(left, others []mark) bool {
	return slices.ContainsFunc(left, func(m mark) bool {
		return m.sort == moment && slices.ContainsFunc(others, func(n mark) bool { return m.when.contradicts(n.when) })
	})
}

// overlap returns the weighted share of words and values that two faces have in common, in [0,1].
func overlap(a, b *face, weigh func(string) float64) float64 {
	commonA, allA := a.within(b, weigh)
	commonB, allB := b.within(a, weigh)
	if allA+allB == 0 {
		return 0
	}
	return (commonA + commonB) / (allA + allB)
}

func (f *face) within(g *face, weigh func(string) float64) (common, all float64) {
	for _, t := range f.terms {
		if t.silent() {
			continue
		}
		w := weigh(t.stem)
		all += w
		if slices.ContainsFunc(g.terms, func(u term) bool { return text.Akin(t.stem, u.stem, mostEnding) && t.negated == u.negated }) {
			common += w
		}
	}
	for _, m := range f.marks {
		w := weigh(m.canon)
		all += w
		if slices.ContainsFunc(g.marks, func(n mark) bool {
			forth, _ := m.agree(n)
			return m.sort == n.sort && forth
		}) {
			common += w
		}
	}
	return common, all
}

// weigher makes any weight a finite number above zero.
func weigher(weight func(string) float64) func(string) float64 {
	return func(stem string) float64 {
		if weight == nil {
			return 1
		}
		w := weight(stem)
		if math.IsNaN(w) || w <= 0 {
			return 0.01
		}
		return min(w, 100)
	}
}
