package words

import (
	"math"
	"slices"
)

const refined = 256 // documents that are ranked by all fields; what follows them keeps its rough order

// candidate is a document with all that it is ranked by.
type candidate struct {
	rough
	Fields
	Factors
	share float64
}

// refine ranks the best anew, by all fields and factors.
func (s *search) refine(best []rough) []candidate {
	s.link()
	var most Fields
	all := slices.Grow(s.refined[:0], len(best))
	for _, r := range best {
		c := candidate{rough: r, Fields: s.fields(r.slot)}
		most = most.max(c.Fields)
		c.share = s.share(c.slot, c.Fields)
		all = append(all, c)
	}
	asks := s.asks()
	for i := range all {
		c := &all[i]
		c.Fields = s.alone(c.slot, c.Fields.over(most))
		c.Factors = s.factors(c.slot, &asks)
		c.total = (c.Fields.dot(s.p.fields) + c.Factors.Bonus) * c.Factors.product()
	}
	s.refined = all
	return all
}

// link says that a list stands for a term; next is 1 + the place of another link of that list.
type link struct {
	term, lookup uint16
	next         uint32
}

// link turns the query's lookups around, to find what a document has of the query by the document's terms.
func (s *search) link() {
	for i := range s.terms {
		for j, l := range s.terms[i].lookups {
			s.links = append(s.links, link{uint16(i), uint16(j), s.of[l.list]})
			s.of[l.list] = uint32(len(s.links))
		}
	}
}

// match is a term of the query in a document, by one of its lookups.
type match struct {
	term, lookup    uint16
	own, text, lead uint16 // how often, by field
}

// matches lists what a document has of the query. Neighbours are read for each other, so what was read is kept.
func (s *search) matches(slot uint32) []match {
	m := &s.marks[slot]
	if m.own == 0 {
		return nil
	}
	if m.read == 0 {
		from := uint32(len(s.matched))
		for _, t := range s.t.entries[slot].terms {
			for at := s.of[t.list]; at != 0; at = s.links[at-1].next {
				l := s.links[at-1]
				s.matched = append(s.matched, match{l.term, l.lookup, uint16(t.own()), uint16(t.text), uint16(t.lead)})
			}
		}
		s.reads = append(s.reads, span{from, uint32(len(s.matched))})
		m.read = uint32(len(s.reads))
	}
	r := s.reads[m.read-1]
	return s.matched[r.from:r.to]
}

// found is what a text has of each term of the query: by which lookup, and how often.
type found [mostTerms]struct {
	lookup uint16 // 1 + its place; 0 = not at all
	times  float64
}

// note counts a term that a text has so many times by a lookup. A better lookup replaces a worse.
func (f *found) note(term, lookup uint16, times int) {
	if times == 0 {
		return
	}
	switch x := &f[term]; {
	case x.lookup == lookup+1:
		x.times += float64(times)
	case x.lookup == 0 || x.lookup > lookup+1:
		x.lookup, x.times = lookup+1, float64(times)
	}
}

// bm25 scores what was found in a text of some length.
func (s *search) bm25(f *found, length, mean float64, worth func(*lookup) float64) float64 {
	sum := 0.0
	for i := range s.terms {
		if x := &f[i]; x.lookup > 0 {
			sum += worth(&s.terms[i].lookups[x.lookup-1]) * saturate(x.times, length, mean)
		}
	}
	return sum
}

// fields measures a document.
func (s *search) fields(slot uint32) Fields {
	m, c := &s.marks[slot], &s.t.cells[slot]
	f := Fields{Text: m.text, Own: m.own, Prev: m.own, Win: m.own, Lead: m.lead, Pair: m.lead, Near: m.near}
	w := &s.p.fields
	if s.q.Around && c.group != none {
		f.Session = s.sessions.totals[c.group]
		if w.Prev > 0 || w.Win > 0 {
			f.Prev, f.Win = s.windows(slot)
		}
		if w.Pair > 0 {
			f.Pair = s.pair(slot)
		}
	}
	if w.Passage > 0 {
		f.Passage = s.passage(slot)
	}
	if w.Soft > 0 {
		f.Soft = s.soft(slot)
	}
	return f
}

// windows scores the document with the words of the two before, and of the two before and the two after, as one text each.
func (s *search) windows(slot uint32) (prev, win float64) {
	var f found
	window := func(l *lookup) float64 { return l.window }
	length := s.add(&f, slot, true)
	b2, b1, a1, a2 := s.t.around(slot)
	length += s.add(&f, b1, false) + s.add(&f, b2, false)
	prev = s.bm25(&f, length, s.means.own+2*s.means.text, window)
	length += s.add(&f, a1, false) + s.add(&f, a2, false)
	return prev, s.bm25(&f, length, s.means.own+4*s.means.text, window)
}

// add notes the terms of a document, with speaker and date or without, and returns its length. What was refused has none.
func (s *search) add(f *found, slot uint32, own bool) float64 {
	if slot == none || s.barred(slot) {
		return 0
	}
	c := &s.t.cells[slot]
	if own {
		for _, m := range s.matches(slot) {
			f.note(m.term, m.lookup, int(m.own))
		}
		return float64(c.ownLen)
	}
	if s.marks[slot].text > 0 {
		for _, m := range s.matches(slot) {
			f.note(m.term, m.lookup, int(m.text))
		}
	}
	return float64(c.textLen)
}

// pair scores the leads of a question and its answer as one text.
func (s *search) pair(slot uint32) float64 {
	var f found
	length := 0.0
	for _, half := range [2]uint32{slot, s.t.partner(slot)} {
		if half == none || s.barred(half) {
			continue
		}
		for _, m := range s.matches(half) {
			f.note(m.term, m.lookup, int(m.lead))
		}
		length += float64(s.t.cells[half].leadLen)
	}
	return s.bm25(&f, length, 2*s.means.lead, func(l *lookup) float64 { return l.pair })
}

// passage scores the best passage of a document.
func (s *search) passage(slot uint32) float64 {
	e := &s.t.entries[slot]
	worth := func(l *lookup) float64 { return l.passage }
	if e.long == nil {
		var f found
		return s.bm25(&f, s.add(&f, slot, false), s.means.passage, worth)
	}
	best := 0.0
	for _, p := range e.long.spans {
		var f found
		for _, list := range e.long.seq[p.from:p.to] {
			for at := s.of[list]; at != 0; at = s.links[at-1].next {
				f.note(s.links[at-1].term, s.links[at-1].lookup, 1)
			}
		}
		best = max(best, s.bm25(&f, float64(p.to-p.from), s.means.passage, worth))
	}
	return best
}

// soft returns the cosine of query and text, each term weighing its idf, up to what all documents share.
func (s *search) soft(slot uint32) float64 {
	var f found
	s.add(&f, slot, false)
	sum := 0.0
	for i := range s.terms {
		if x := &f[i]; x.lookup > 0 {
			t := &s.terms[i]
			sum += t.worth * t.lookups[x.lookup-1].own
		}
	}
	return sum / math.Sqrt(float64(max(s.t.entries[slot].distinct, 1)))
}
