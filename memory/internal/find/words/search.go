package words

import (
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Search returns the documents that share a term with the query, are named in Query.Near, or with Query.Around stand in a
// session that does, best first; the newer first among equals, then by id. A query of stop words alone looks for them. It
// takes time in proportion to the documents that have a term of the query.
func (x *Index) Search(q Query) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.search(q, x.t.profile())
}

// search answers by a given profile. The caller holds the lock.
func (x *Index) search(q Query, p profile) []Hit {
	s := search{t: x.t, q: q, p: p, asked: text.AskedBy(q.Text), words: text.CutToFind(q.Text), pad: x.pad()}
	defer x.scratch.Put(s.pad)
	defer s.reset()
	s.ask()
	s.allow()
	s.gather()
	s.nearest()
	best, rest := s.rough()
	return s.hits(best, rest)
}

// search is one search under way.
type search struct {
	t      *tables
	q      Query
	p      profile
	asked  text.Asked
	words  []text.Token // of the query
	terms  []term
	others int     // words that may stand for a term
	whole  float64 // worth of all terms, for Coverage
	mean   float64 // of the cosines
	most   Fields  // of the rough pass
	swept  bool    // the rough pass went through all documents
	means  means
	*pad
}

// means are the mean lengths of the fields.
type means struct{ text, own, lead, passage float64 }

// pad keeps the scores of the documents met. It is used again, so that a search need not clear a cell for every document.
type pad struct {
	marks   []mark
	met     []uint32 // documents with a state
	kept    []rough
	refined []candidate
	links   []link
	matched []match
	reads   []span   // of matched
	of      []uint32 // list -> 1 + place in links
	allowed []bool   // affair -> the filter lets it through
	sessions
}

// mark is what a document has collected.
type mark struct {
	text, own, lead float64
	near            float64 // how far the cosine lies above the mean
	prev, win, pair float32 // of the rough pass
	read            uint32  // 1 + place in reads
	stamp           uint16  // 1 + the term that counted last
	stage           stage
}

type stage uint8

const (
	unmet stage = iota
	met
	refused
)

// pad takes a scratch pad that is large enough.
func (x *Index) pad() *pad {
	a, ok := x.scratch.Get().(*pad)
	if !ok {
		a = new(pad)
	}
	if n := len(x.t.entries); len(a.marks) < n {
		a.marks = make([]mark, n+n/4)
	}
	if n := len(x.t.lists); len(a.of) < n {
		a.of = make([]uint32, n+n/4)
	}
	a.sessions.room(len(x.t.groups))
	return a
}

// reset leaves the pad as it was found.
func (s *search) reset() {
	if s.swept {
		clear(s.marks[:len(s.t.cells)])
	} else {
		for _, slot := range s.met {
			s.marks[slot] = mark{}
		}
	}
	s.met = s.met[:0]
	for i := range s.terms {
		for _, l := range s.terms[i].lookups {
			s.of[l.list] = 0
		}
	}
	s.links, s.matched, s.reads = s.links[:0], s.matched[:0], s.reads[:0]
	s.sessions.reset()
}

// allow asks the filter about every affair.
func (s *search) allow() {
	s.allowed = s.allowed[:0]
	if s.q.Keep.Affair == nil {
		return
	}
	for _, affair := range s.t.affairs {
		s.allowed = append(s.allowed, s.q.Keep.Affair(affair))
	}
}

// barred reports whether a document was refused, or would be for its affair.
func (s *search) barred(slot uint32) bool {
	return s.marks[slot].stage == refused || s.q.Keep.Affair != nil && !s.allowed[s.t.cells[slot].affair]
}

// meet takes a document in and reports whether it is living and let through.
func (s *search) meet(slot uint32) bool {
	m := &s.marks[slot]
	switch {
	case m.stage == met:
		return true
	case !s.t.cells[slot].live || s.barred(slot):
		return false
	}
	s.met = append(s.met, slot)
	m.stage = met
	if s.q.Keep.Doc != nil && !s.q.Keep.Doc(&s.t.entries[slot].doc) {
		m.stage = refused
	}
	return m.stage == met
}

// gather adds up what each term gives to each document that has it.
func (s *search) gather() {
	t, n := s.t, int64(len(s.t.slots))
	s.means = means{mean(t.textLen, n), mean(t.ownLen, n), mean(t.leadLen, n), mean(t.passageLen, t.passages)}
	for i := range s.terms {
		for j := range s.terms[i].lookups {
			s.collect(uint16(i+1), &s.terms[i].lookups[j])
		}
		s.sessions.add(t)
	}
}

// collect adds what one list gives, but for documents that have the term by a better one.
func (s *search) collect(stamp uint16, l *lookup) {
	for _, p := range s.t.lists[l.list].posts {
		if !s.meet(p.slot) {
			continue
		}
		m, c := &s.marks[p.slot], &s.t.cells[p.slot]
		if m.stamp == stamp {
			continue
		}
		m.stamp = stamp
		m.text += l.text * saturate(float64(p.text), float64(c.textLen), s.means.text)
		m.own += l.own * saturate(float64(p.own()), float64(c.ownLen), s.means.own)
		m.lead += l.lead * saturate(float64(p.lead), float64(c.leadLen), s.means.lead)
		if c.group != none {
			s.sessions.count(c.group, l.weight*float64(int(p.text)+int(p.who)), p.when > 0)
		}
	}
}

// nearest takes the cosines in, each by how far it lies above their mean. What Near does not name was cut off by its limit: it
// counts as the mean. Or its vector is late.
func (s *search) nearest() {
	mean := meanCosine(s.q.Near)
	s.mean = mean
	best := 0.0
	for id, cosine := range s.q.Near {
		if slot, ok := s.t.slots[id]; ok && s.meet(slot) && float64(cosine) > mean { // NaN is not
			s.marks[slot].near = float64(cosine) - mean
			best = max(best, s.marks[slot].near)
		}
	}
	if len(s.q.Late) > 0 && best > 0 {
		s.lend(best)
	}
}

// lend gives documents whose vector is late the share of the best nearness that their own words have of the best words: what was
// written a moment ago must not come behind its elders for want of a vector.
func (s *search) lend(best float64) {
	own := 0.0
	for _, slot := range s.met {
		if m := &s.marks[slot]; m.stage == met {
			own = max(own, m.own)
		}
	}
	for _, slot := range s.met {
		if m := &s.marks[slot]; m.stage == met && m.own > 0 && s.q.Late[s.t.entries[slot].doc.ID] {
			m.near = max(m.near, best*m.own/own)
		}
	}
}

// meanCosine returns the mean of the cosines and of a few zeros, so that one cosine alone lies above it. What points the other way
// counts as zero. The sum is one of integers: a map has no order.
func meanCosine(near map[string]float32) float64 {
	const grains, zeros = 1 << 40, 8
	sum := int64(0)
	for _, cosine := range near {
		if cosine > 0 {
			sum += int64(min(float64(cosine), 1) * grains)
		}
	}
	return float64(sum) / grains / float64(len(near)+zeros)
}

// hits refines the best and tells of the first of all.
func (s *search) hits(best, rest []rough) []Hit {
	n := len(best) + len(rest)
	if s.q.Limit > 0 {
		n = min(n, s.q.Limit)
	}
	if n == 0 {
		return nil
	}
	all := s.refine(best)
	for i := range all {
		best[i].total = all[i].total
		s.marks[best[i].slot].stamp = uint16(i) // from here on, its place in all
	}
	r := ranking{t: s.t, limit: n, kept: best}
	r.cut()
	slices.SortFunc(r.kept, s.t.compare)
	out := make([]Hit, 0, n)
	for _, x := range r.kept {
		out = append(out, s.hit(&all[s.marks[x.slot].stamp]))
	}
	for _, r := range rest[:n-len(out)] {
		last := out[len(best)-1].Score // these come behind: the score says so, no more
		out = append(out, s.hit(&candidate{rough: rough{last * r.total / max(rest[0].total, math.SmallestNonzeroFloat64), r.slot}}))
	}
	return out
}

func (s *search) hit(c *candidate) Hit {
	h := Hit{ID: s.t.entries[c.slot].doc.ID, Score: c.total, Share: c.share, Fields: c.Fields, Factors: c.Factors}
	h.Terms, h.Coverage = s.has(c.slot)
	return h
}

// has lists the terms that a document has itself, and the share of the query that they are.
func (s *search) has(slot uint32) (terms []Match, coverage float64) {
	var f found
	s.add(&f, slot, true)
	sum := 0.0
	for i := range s.terms {
		if f[i].lookup == 0 {
			continue
		}
		t := &s.terms[i]
		l := &t.lookups[f[i].lookup-1]
		terms = append(terms, Match{Term: t.word, Word: s.t.lists[l.list].word, Via: l.via})
		sum += t.worth * l.weight
	}
	if sum == 0 {
		return terms, 0
	}
	return terms, min(sum/s.whole, 1)
}
