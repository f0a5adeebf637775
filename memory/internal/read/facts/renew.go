package facts

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// renewing is the weight from which on a stated quantity is taken for a new one of a known thing.
const renewing = -1.0

// tie is how near two pairs weigh that nothing tells apart.
const tie = 0.05

// lookedBack is how many of the known facts learnt last are compared.
const lookedBack = 25

// little is how many words beside its quantities make a value a bare quantity at most.
const little = 1

// Renewal sets what a message states beside what is known, to find the known quantities whose place it takes.
type Renewal struct {
	w     *lexicon
	lang  string
	cued  bool
	seen  []trait  // of the message
	words []string // the stems of the message
	known []held
}

// held is a fact as it is compared: its quantities, and the stems of its words, numbers left out.
type held struct {
	label, value string
	doubtful     bool
	marks        []Mark
	own, words   []string // of the value, and of the label too
	moved        []string // what the value says to have changed
	base         string   // the label without a number
	heard        int      // how many of its own words the message says
	set          [Day + 1]bool
}

// Renewal reads the known facts, the last ones learnt, for the message.
func (r *Reading) Renewal(known state.Facts) *Renewal {
	out := Renewal{w: r.w, lang: r.lang, words: stems(r.text), seen: []trait{"any", extent(len(r.lex))}}
	for _, l := range r.lex {
		if kind := trait(r.called(l, cueWord)); l.shape == word && kind != "" && !slices.Contains(out.seen, kind) {
			out.seen = append(out.seen, kind)
		}
	}
	out.cued = slices.Contains(out.seen, "change") || slices.Contains(out.seen, "instead")
	for _, k := range known[max(0, len(known)-lookedBack):] {
		out.known = append(out.known, out.hold(k.Label, k.Value))
	}
	return &out
}

// hold reads a fact for comparing.
func (r *Renewal) hold(label, value string) held {
	h := held{label: label, base: BaseLabel(label), value: value, marks: r.w.read(value, r.lang).Marks(), own: stems(value)}
	h.words, h.heard = h.own, common(h.own, r.words)
	for _, w := range stems(h.base) {
		if !slices.Contains(h.own, w) {
			h.words = append(h.words[:len(h.words):len(h.words)], w)
		}
	}
	return h
}

// moved are the stems of what a statement says to have changed, right beside the word for it: the cake of "the cake was moved to Friday".
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

// text is the quantity as it was said.
func (h *held) text(m int) string { return h.value[h.marks[m].Start:h.marks[m].End] }

// stems are the stems of the words of s, each once.
func stems(s string) []string {
	all := slices.DeleteFunc(text.Terms(s), func(w string) bool { return w[0] >= '0' && w[0] <= '9' })
	slices.Sort(all)
	return slices.Compact(all)
}

// BaseLabel is a label without the number that sets it apart from another one: "order" of "order 2".
func BaseLabel(label string) string {
	if i := strings.LastIndexByte(label, ' '); i > 0 && strings.Trim(label[i+1:], "0123456789") == "" {
		return label[:i]
	}
	return label
}

// pair is a quantity of a stated fact beside a known one of the same sort.
type pair struct {
	known  int
	m, o   int // the marks
	shared int // the words that both facts say
	traits []trait
	weight float64
}

// Take finds the known facts that hold an old value of what f states, and returns them as they are then: with the new one where they say little
// else, else without the old one, and with the value "" where nothing is left. File is whether f says more than they do, and is to be kept too.
func (r *Renewal) Take(f Fact) (renewed state.Facts, file bool) {
	fresh := r.hold(f.Label, f.Value)
	fresh.doubtful, fresh.moved = f.Doubtful, r.moved(f.Label+" "+f.Value)
	file = !f.Doubtful

	// What was cut out of a known fact stands in this one alone.
	k, cut := r.swap(f)
	if cut {
		renewed, file = append(renewed, k), true
	}

	for _, p := range r.best(&fresh) {
		k := &r.known[p.known]
		if k.set[k.marks[p.o].Sort] {
			continue
		}
		was, old := *k, k.marks[p.o]
		cut = r.put(k, p.o, &fresh, p.m) || cut
		file = cut || file && common(fresh.own, was.own)+little < len(fresh.own) && k.value != fresh.value
		renewed = append(renewed.With(k.label, k.value), r.again(k, old, &fresh, p.m)...)
	}
	return renewed, file
}

// put takes the old quantity out of a known fact. One that says little besides gets all of the stated value, or its quantity where the stated one is
// doubtful, and so does one whose words the stated one says too. Any other is cut: nobody has said it with the new one. cut reports that.
func (r *Renewal) put(k *held, o int, fresh *held, m int) (cut bool) {
	// With a day goes its time, and the other way round; no sort is set twice.
	set := k.set
	into := [][2]int{{o, m}}
	for i, b := range k.marks {
		if b.Sort == Amount || b.Sort == k.marks[o].Sort || fresh.marks[m].Sort == Amount {
			continue
		}
		if j := slices.IndexFunc(fresh.marks, func(a Mark) bool { return a.Sort == b.Sort && !a.Denied }); j >= 0 && !set[b.Sort] {
			into = append(into, [2]int{i, j})
			set[b.Sort] = true
		}
	}
	set[k.marks[o].Sort] = true

	value := fresh.value
	bare := len(k.own) <= little
	switch cut = !bare && common(k.own, fresh.own) < len(k.own); {
	case cut:
		spans := make([][2]int, len(into))
		for i, x := range into {
			spans[i] = [2]int{k.marks[x[0]].Start, k.marks[x[0]].End}
		}
		value = k.without(spans...)
	case bare && fresh.doubtful:
		value = k.with(into, fresh)
	}
	*k = r.hold(k.label, value)
	k.set = set
	return cut
}

// with is the known value with quantities of a stated one in the places of its own.
func (h *held) with(into [][2]int, fresh *held) string {
	slices.SortFunc(into, func(a, b [2]int) int { return b[0] - a[0] }) // the last one first, so that the places of the others stay right
	value := h.value
	for _, x := range into {
		value = value[:h.marks[x[0]].Start] + fresh.text(x[1]) + value[h.marks[x[0]].End:]
	}
	return value
}

// again sets a quantity into the other known facts that say the old one of the same thing.
func (r *Renewal) again(of *held, old Mark, fresh *held, m int) (renewed state.Facts) {
	if old.Sort == Amount && old.Size < 13 {
		return nil
	}
	was := held{marks: []Mark{{Sort: old.Sort, Size: old.Size, plain: old.plain}}}
	for i := range r.known {
		k := &r.known[i]
		for o := range k.marks {
			if k != of && !k.set[old.Sort] && equal(&was, 0, k, o) && (common(k.words, of.words) > 0 || common(k.words, fresh.words) > 0) {
				r.put(k, o, fresh, m)
				renewed = append(renewed, state.Fact{Label: k.label, Value: k.value})
				break
			}
		}
	}
	return renewed
}

// best are the pairs that weigh enough, the weightiest first, each stated quantity and each known fact in one of them. In a tie of two
// known facts both stay.
func (r *Renewal) best(fresh *held) (out []pair) {
	all := r.pairs(fresh)

	weights := r.w.renewing
	alone := make([]float64, len(fresh.marks))
	for m := range alone {
		for _, x := range r.own(fresh, m) {
			alone[m] += weights[string(x)]
		}
	}
	for i := range all {
		all[i].weight = alone[all[i].m]
		for _, x := range all[i].traits {
			all[i].weight += weights[string(x)]
		}
	}

	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.weight, a.weight) })
	for _, p := range all {
		tied := slices.ContainsFunc(all, func(q pair) bool { return q.m == p.m && q.known != p.known && math.Abs(p.weight-q.weight) < tie })
		if p.weight >= renewing && !tied && !slices.ContainsFunc(out, func(q pair) bool { return p.m == q.m || p.known == q.known }) {
			out = append(out, p)
		}
	}
	return out
}

// pairs sets the quantities of a stated fact beside all known ones of the same sort, the latest first.
func (r *Renewal) pairs(fresh *held) (out []pair) {
	// Each known fact: its pairs, and how many facts of the sort were learnt after it.
	most, later, facts := 0, [Day + 1]int{}, [Day + 1]int{}
	for i := len(r.known) - 1; i >= 0; i-- {
		k, before := &r.known[i], len(out)
		for m, a := range fresh.marks {
			for o, b := range k.marks {
				if a.Denied || !alike(a, b) || repeats(fresh, k, o) || !sameMatter(fresh, k) && !deniesKnown(fresh, k, o) {
					continue
				}
				p := pair{known: i, m: m, o: o, shared: common(fresh.words, k.words)}
				p.traits = r.traits(fresh, k, p, later[a.Sort])
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
func sameMatter(fresh, k *held) bool {
	const inflected = 3
	return len(fresh.moved) == 0 || slices.ContainsFunc(fresh.moved, func(w string) bool {
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
