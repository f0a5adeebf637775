package facts

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// renewing is the weight from which on a stated quantity is taken for a new one of a known thing.
const renewing = -1.0

// lookedBack is how many of the known facts learnt last are compared.
const lookedBack = 25

// trait is one thing that speaks for or against a quantity taking another's place, or a phrase naming a matter.
type trait string

// Renewal sets a sentence beside those that were said before, to find whether it takes the place of what one of them states.
type Renewal struct {
	w     *lexicon
	lang  string
	cued  bool
	seen  []trait  // of the sentence
	words []string // its stems
	fresh held
	known []held
}

// held is a sentence as it is compared: its quantities, and the stems of its words, numbers left out.
type held struct {
	value string
	marks []Mark
	words []string
	heard int // how many of its words the later sentence says
}

// Outdates reports whether what a later sentence states takes the place of what an earlier one does: of its quantities, or of a word that the later one
// denies.
func Outdates(later, earlier string) bool {
	r := Read(later, "en").Renewal(earlier)
	return r.weighs() || r.swaps()
}

// Renewal reads sentences that were said before, the oldest first, of which the last are compared with this one.
func (r *Reading) Renewal(known ...string) *Renewal {
	out := Renewal{w: r.w, lang: r.lang, words: stems(r.text), seen: []trait{"any", extent(len(r.lex))}}
	for _, l := range r.lex {
		if kind := trait(r.called(l, cueWord)); l.shape == word && kind != "" && !slices.Contains(out.seen, kind) {
			out.seen = append(out.seen, kind)
		}
	}
	out.cued = slices.Contains(out.seen, "change") || slices.Contains(out.seen, "instead")
	out.fresh = out.hold(r.text)
	for _, k := range known[max(0, len(known)-lookedBack):] {
		out.known = append(out.known, out.hold(k))
	}
	return &out
}

// hold reads a sentence for comparing.
func (r *Renewal) hold(value string) held {
	own := stems(value)
	return held{value: value, marks: r.w.read(value, r.lang).Marks(), words: own, heard: common(own, r.words)}
}

// moved returns the stems of what a statement says to have changed, right beside the word for it: the cake of "the cake was moved to Friday".
func (r *Renewal) moved(s string) (out []string) {
	lex := r.w.scan(s, r.lang)
	for i, l := range lex {
		if l.shape != word || !l.is(cueWord) || r.w.label(l.fold, r.lang, cueWord) != "change" {
			continue
		}
		for _, step := range []int{-1, 1} {
			j := beside(lex, i, step)
			if j < 0 || lex[j].set.meets(in(weekday, monthWord, hourWord, timeUnit, timeWord, unitWord, currencyWord, nextWord, span, tomorrow, dateWord, deadlineWord, priceWord, measureWord)) {
				continue
			}
			if between := lex[min(i, j)+1 : max(i, j)]; !slices.ContainsFunc(between, func(l lexeme) bool { return l.is(preposition) }) {
				out = append(out, stems(lex[j].raw)...)
			}
		}
	}
	return out
}

// text returns the quantity as it was said.
func (h *held) text(m int) string { return h.value[h.marks[m].Start:h.marks[m].End] }

// stems are the stems of the words of s, each once.
func stems(s string) []string {
	all := slices.DeleteFunc(text.Terms(s), func(w string) bool { return w[0] >= '0' && w[0] <= '9' })
	slices.Sort(all)
	return slices.Compact(all)
}

// pair is a quantity of the sentence beside an earlier one of the same sort.
type pair struct {
	known  int
	m, o   int // the marks
	shared int // the words that both facts say
	traits []trait
}

// weighs reports whether a quantity of the sentence weighs enough for one of an earlier one.
func (r *Renewal) weighs() bool {
	return slices.ContainsFunc(r.pairs(), func(p pair) bool {
		sum := 0.0
		for _, x := range append(r.own(p.m), p.traits...) {
			sum += r.w.renewing[string(x)]
		}
		return sum >= renewing
	})
}

// pairs sets the quantities of a stated fact beside all known ones of the same sort, the latest first.
func (r *Renewal) pairs() (out []pair) {
	fresh, moved := &r.fresh, r.moved(r.fresh.value)
	// Each known fact: its pairs, and how many facts of the sort were learnt after it.
	most, later, facts := 0, [Day + 1]int{}, [Day + 1]int{}
	for i := len(r.known) - 1; i >= 0; i-- {
		k, before := &r.known[i], len(out)
		for m, a := range fresh.marks {
			for o, b := range k.marks {
				if a.Denied || !alike(a, b) || repeats(fresh, k, o) || !sameMatter(moved, k) && !deniesKnown(fresh, k, o) {
					continue
				}
				p := pair{known: i, m: m, o: o, shared: common(fresh.words, k.words)}
				p.traits = r.traits(k, p, later[a.Sort])
				most = max(most, p.shared)
				out = append(out, p)
			}
		}
		for sort := Amount; sort <= Day; sort++ {
			if slices.ContainsFunc(out[before:], func(p pair) bool { return fresh.marks[p.m].Sort == sort }) {
				facts[sort]++
			}
			if slices.ContainsFunc(k.marks, func(b Mark) bool { return b.Sort == sort }) {
				later[sort]++
			}
		}
	}

	// What can be told only of all pairs together: whether there is a choice, and which one shares more.
	for i, p := range out {
		switch {
		case facts[fresh.marks[p.m].Sort] == 1:
			out[i].traits = append(p.traits, "only one")
		case p.shared < most:
			out[i].traits = append(p.traits, "less shared")
		}
	}
	return out
}

// sameMatter reports whether a stated fact may be about the matter of a known one: what it says to have changed is named there too, or not at all.
func sameMatter(moved []string, k *held) bool {
	const inflected = 3
	return len(moved) == 0 || slices.ContainsFunc(moved, func(w string) bool {
		return slices.ContainsFunc(k.words, func(known string) bool { return text.Akin(w, known, inflected) })
	})
}

// alike reports whether a quantity may be a new one of another.
func alike(a, b Mark) bool {
	return a.Sort == b.Sort && (a.Unit == b.Unit || a.Unit == "" || b.Unit == "")
}

// repeats reports whether a stated fact says a known quantity too, as one that holds.
func repeats(fresh, k *held, o int) bool {
	for m, a := range fresh.marks {
		if !a.Denied && equal(fresh, m, k, o) {
			return true
		}
	}
	return false
}

// extent names how long a message is.
func extent(n int) trait {
	switch {
	case n <= 3:
		return "of 3"
	case n <= 6:
		return "of 6"
	case n <= 12:
		return "of 12"
	case n <= 24:
		return "of 24"
	case n <= 48:
		return "of 48"
	}
	return "of more"
}
