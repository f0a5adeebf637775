package words

import "slices"

// rough ranks the documents met, their neighbours, and the rest of their sessions where that matters, by what the
// posting lists gave: surroundings are sums of neighbours' scores, passages are texts.
func (s *search) rough() (best, rest []rough) {
	// What the surroundings give, and how many documents are kept for the fine ranking.
	s.surround()
	r := ranking{t: s.t, kept: s.kept[:0]}
	if s.q.Limit > 0 {
		r.limit = max(refined, s.q.Limit)
	}

	// The weights of this pass: passages and spelling are not known yet, so they count as text.
	weights := s.p.fields
	weights.Text, weights.Passage, weights.Soft = weights.Text+weights.Passage+weights.Soft, 0, 0
	share := weights.over(s.most)
	for _, slot := range s.met {
		if s.marks[slot].stage == met {
			r.add(rough{s.roughly(slot, &weights, &share), slot})
		}
	}

	// Documents that no word of the query has met.
	s.fromSessions(&r, &share)
	s.standing(&r)
	r.cut()
	s.kept = r.kept

	// Few documents are all ranked finely; of many only the best are.
	if len(r.kept) <= refined {
		return r.kept, nil
	}
	r.limit = refined
	r.part()
	best, rest = r.kept[:refined], r.kept[refined:]
	slices.SortFunc(rest, s.t.compare)
	return best, rest
}

// rough is a document that may be among the best, and its score so far.
type rough struct {
	total float64
	slot  uint32
}

// surround fills what each document met has from its neighbours, who are met thereby, and the largest of each field.
func (s *search) surround() {
	switch {
	case !s.q.Around:
		for _, slot := range s.met {
			s.measure(slot, 0, 0)
		}
	case len(s.met) > len(s.t.cells)/8:
		s.sweep()
	default:
		s.meetNeighbours()
		for _, slot := range s.met {
			prev, win := s.lent(slot)
			s.measure(slot, prev, win)
		}
	}
}

// sweep is surround for when most documents are touched: in order of number they lie in order in RAM.
func (s *search) sweep() {
	s.met, s.swept = s.met[:0], true
	for i := range s.t.cells {
		slot := uint32(i)
		prev, win := s.lent(slot)
		switch m := &s.marks[slot]; {
		case m.stage == met:
			s.met = append(s.met, slot)
		case win == 0 || !s.meet(slot):
			continue
		}
		s.measure(slot, prev, win)
	}
}

// meetNeighbours meets who stands up to two steps from a document that has a term in its text.
func (s *search) meetNeighbours() {
	for _, slot := range s.met { // not those that are met here
		if s.marks[slot].text == 0 {
			continue
		}
		b2, b1, a1, a2 := s.t.around(slot)
		for _, near := range [4]uint32{b2, b1, a1, a2} {
			if near != none {
				s.meet(near)
			}
		}
	}
}

// lent returns what the neighbours add to Prev and Win. What was refused has no score to lend.
func (s *search) lent(slot uint32) (prev, win float64) {
	text := func(slot uint32) float64 {
		if slot == none {
			return 0
		}
		return s.marks[slot].text
	}
	b2, b1, a1, a2 := s.t.around(slot)
	x1, x2 := text(b1), text(b2)
	return .8*x1 + .6*x2, .7*x1 + .5*x2 + .6*text(a1) + .4*text(a2)
}

// measure fills the rough fields of a document met, given what its neighbours lend, and keeps the largest of each.
func (s *search) measure(slot uint32, prev, win float64) {
	m, c, most := &s.marks[slot], &s.t.cells[slot], &s.most
	if m.stage != met {
		return
	}
	m.prev, m.win, m.pair = float32(m.own+prev), float32(m.own+win), float32(m.lead)
	if s.q.Around && c.group != none {
		if s.p.fields.Pair > 0 {
			if p := s.t.partner(slot); p != none {
				m.pair += float32(s.marks[p].lead)
			}
		}
		most.Session = max(most.Session, s.sessions.totals[c.group])
	}
	most.Text, most.Own, most.Lead = max(most.Text, m.text), max(most.Own, m.own), max(most.Lead, m.lead)
	most.Prev, most.Win, most.Pair = max(most.Prev, float64(m.prev)), max(most.Win, float64(m.win)), max(most.Pair, float64(m.pair))
	most.Near = max(most.Near, m.near)
}

// roughly returns the rough score of a document met; share is the weights, each by the largest of the field.
func (s *search) roughly(slot uint32, weights, share *Fields) float64 {
	m, c := &s.marks[slot], &s.t.cells[slot]
	if c.group == none && s.q.Around {
		f := Fields{Text: m.text, Own: m.own, Lead: m.lead, Near: m.near}
		return (s.alone(slot, f.over(s.most)).dot(*weights) + s.bonus(c)) * s.said(c)
	}
	total := m.text*share.Text + m.own*share.Own + float64(m.prev)*share.Prev + float64(m.win)*share.Win +
		m.lead*share.Lead + float64(m.pair)*share.Pair + m.near*share.Near
	if c.group != none {
		total += s.sessions.totals[c.group] * share.Session
	}
	return (total + s.bonus(c)) * s.said(c)
}

// alone lets a document without a group stand for its surroundings itself: a record that matches as well as a message
// comes before it.
func (s *search) alone(slot uint32, f Fields) Fields {
	if s.q.Around && s.t.cells[slot].group == none {
		f.Prev, f.Win, f.Session, f.Pair = f.Own, f.Own, f.Own, f.Lead

	}
	return f
}

// said returns the factor for the user's own messages, and for what is remembered.
func (s *search) said(c *cell) float64 {
	if c.role == user || c.role == noRole && c.group == none {
		return 1 + s.p.user
	}
	return 1
}

// fromSessions adds documents that only their session speaks for, as far as they come into question.
func (s *search) fromSessions(r *ranking, share *Fields) {
	if !s.q.Around || s.most.Session == 0 {
		return
	}
	for _, g := range s.sessions.all {
		total := s.sessions.totals[g] * share.Session
		if (total+s.p.instruction+s.p.preference)*(1+s.p.user) < r.floor {
			continue
		}
		for _, slot := range s.t.groups[g].slots {
			if s.marks[slot].stage == unmet && s.meet(slot) {
				c := &s.t.cells[slot]
				r.add(rough{(total + s.bonus(c)) * s.said(c), slot})
			}
		}
	}
}

// standing adds what the user said to hold from now on: it bears on any question that has an answer here.
func (s *search) standing(r *ranking) {
	if !s.q.Around || s.p.instruction == 0 || len(r.kept) == 0 {
		return
	}
	for i := range s.t.cells {
		c := &s.t.cells[i]
		if (c.instruction || c.preference) && s.marks[i].stage == unmet && s.meet(uint32(i)) {
			r.add(rough{s.bonus(c) * s.said(c), uint32(i)})
		}
	}
}
