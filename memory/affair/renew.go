package affair

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/facts"
	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// renewing is the weight from which on a stated value takes the place of a known one. The weights below are the logarithms
// of odds fitted on the development dialogues.
const renewing = -0.9

// lookedBack is how many of the facts learnt last are looked at.
const lookedBack = 30

// little is how many words make a value a bare quantity at most.
const little = 2

// pair is a fact that a message states beside one that is known, by the first quantity of the same sort that differs.
type pair struct {
	fresh facts.Fact
	known state.Fact
	marks [2]facts.Mark // of the fresh and of the known value, the first that differ
	later int           // how many known facts of the sort were learnt later
	cued  bool          // the message says that something changes
}

// renewed finds the known fact whose value a stated one takes the place of; ok is false if there is none.
func (l *learner) renewed(f facts.Fact) (best pair, ok bool) {
	if f.Kind.IsIdentifier() || f.Kind == facts.Link || f.Kind == facts.Email || f.Kind == facts.Phone || !l.user {
		return pair{}, false
	}
	most, later := renewing, 0
	stated := facts.Marks(f.Value, l.lang)
	for i := len(l.known) - 1; i >= max(0, len(l.known)-lookedBack) && len(stated) > 0; i-- {
		k := l.known[i]
		if slices.Contains(l.fresh, k.Label) {
			continue
		}
		p, match := match(f, k, stated, facts.Marks(k.Value, l.lang))
		if !match {
			continue
		}
		p.later, p.cued = later, l.corrects
		later++
		if sum := p.weight(); sum > most && p.related() {
			best, most, ok = p, sum, true
		}
	}
	return best, ok
}

// match sets a fresh fact beside a known one.
func match(fresh facts.Fact, known state.Fact, stated, had []facts.Mark) (pair, bool) {
	for _, m := range stated {
		for _, o := range had {
			if m.Sort == o.Sort && (m.Unit == o.Unit || m.Unit == "" || o.Unit == "") && plain(fresh.Value[m.Start:m.End]) != plain(known.Value[o.Start:o.End]) {
				return pair{fresh: fresh, known: known, marks: [2]facts.Mark{m, o}}, true
			}
		}
	}
	return pair{}, false
}

// weight sums up what speaks for the fresh value being a new one of the same thing.
func (p pair) weight() float64 {
	sum := -1.3
	add := func(on bool, weight float64) {
		if on {
			sum += weight
		}
	}
	shared := p.shared()
	add(p.cued, 0.40)
	add(p.cued && shared > 0, 0.27)
	add(shared == 1, 0.81)
	add(shared > 1, 1.58)
	add(base(p.known.Label) == p.fresh.Label, 0.34)
	add(p.later == 2, -0.32)
	add(p.later > 4, -0.62)
	if p.marks[0].Sort != facts.Amount {
		add(p.marks[0].Sort == facts.Day, -0.45)
		add(p.later == 0, -0.32)
		add(p.later == 0 && p.cued, 0.88)
		return sum
	}
	a, b := p.marks[0].Size, p.marks[1].Size
	ratio := max(a, b) / max(min(a, b), 0.01)
	add(true, -1.25)
	add(ratio < 1.3, 1.33)
	add(ratio < 2 && p.cued, 0.60)
	add(ratio < 2 && p.later == 0, 0.77)
	add(p.later == 0, -0.32)
	add(ratio > 5, -0.87)
	add(min(a, b) >= 100, 0.41)
	return sum
}

// related reports whether the facts speak of the same thing in words; if not, the message must say that something changes, and the known
// fact be the last of its sort and little more than its quantity.
func (p pair) related() bool {
	return p.shared() > 0 || base(p.known.Label) == p.fresh.Label || p.cued && p.later == 0 && len(text.Terms(p.known.Value)) <= 2*little
}

// shared counts the words that both facts say; numbers are none.
func (p pair) shared() (n int) {
	had := text.Terms(p.known.Label + " " + p.known.Value)
	for _, w := range text.Terms(p.fresh.Label + " " + p.fresh.Value) {
		if (w[0] < '0' || w[0] > '9') && slices.Contains(had, w) {
			n++
		}
	}
	return n
}

// value is the known fact's value with the fresh quantities in the places of those of their sort: all of the fresh value where the known one
// says little else.
func (p pair) value(lang string) string {
	if p.shared() == 0 {
		return p.fresh.Value
	}
	value := p.known.Value
	stated, had := facts.Marks(p.fresh.Value, lang), facts.Marks(value, lang)
	rest := value
	for i := len(had) - 1; i >= 0; i-- {
		o := had[i]
		rest = rest[:o.Start] + rest[o.End:]
		same := func(m facts.Mark) bool { return m.Sort == o.Sort }
		if first := slices.IndexFunc(had, same); first < i {
			continue
		}
		if at := slices.IndexFunc(stated, same); at >= 0 {
			value = value[:o.Start] + p.fresh.Value[stated[at].Start:stated[at].End] + value[o.End:]
		}
	}
	if len(text.Terms(rest)) <= little {
		return p.fresh.Value
	}
	return value
}
