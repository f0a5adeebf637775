package words

import "slices"

// rough ranks the documents met, their neighbours, and the rest of their sessions where that matters, by what the
// posting lists gave: surroundings are sums of neighbours' scores, passages are texts.
func (s *search) rough() (best, rest []rough) {
	s.surround()
	r := ranking{t: s.t, kept: s.kept[:0]}
	if s.q.Limit > 0 {
		r.limit = max(refined, s.q.Limit)
	}
	weights := s.p.fields
	weights.Text, weights.Passage, weights.Soft = weights.Text+weights.Passage+weights.Soft, 0, 0
	share := weights.over(s.most)
	for _, slot := range s.met {
		if s.marks[slot].state == met {
			r.add(rough{s.roughly(slot, &weights, &share), slot})
		}
	}
	s.fromSessions(&r, &share)
	r.cut()
	s.kept = r.kept
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
	if s.q.Around {
		s.meetNeighbours()
	}
	var most Fields
	for _, slot := range s.met {
		m := &s.marks[slot]
		if m.state != met {
			continue
		}
		m.prev, m.win, m.pair = float32(m.own), float32(m.own), float32(m.lead)
		if c := &s.t.cells[slot]; s.q.Around && c.group != none {
			b2, b1, a1, a2 := s.t.around(slot)
			x2, x1, y1, y2 := s.textOf(b2), s.textOf(b1), s.textOf(a1), s.textOf(a2)
			m.prev = float32(m.own + .8*x1 + .6*x2)
			m.win = float32(m.own + .7*x1 + .5*x2 + .6*y1 + .4*y2)
			if p := s.t.partner(slot); p != none && s.marks[p].state != refused {
				m.pair += float32(s.marks[p].lead)
			}
			most.Session = max(most.Session, s.sessions.totals[c.group])
		}
		most.Text, most.Own, most.Lead = max(most.Text, m.text), max(most.Own, m.own), max(most.Lead, m.lead)
		most.Prev, most.Win, most.Pair = max(most.Prev, float64(m.prev)), max(most.Win, float64(m.win)), max(most.Pair, float64(m.pair))
		most.Near = max(most.Near, s.near(m))
	}
	s.most = most
}

// meetNeighbours meets who stands up to two steps from a document that has a term in its text.
func (s *search) meetNeighbours() {
	for _, slot := range s.met { // not those that are met here
		if m := &s.marks[slot]; m.state != met || m.text == 0 {
			continue
		}
		b2, b1, a1, a2 := s.t.around(slot)
		for _, near := range [4]uint32{b2, b1, a1, a2} {
			if near != none && s.marks[near].state == unmet {
				s.meet(near)
			}
		}
	}
	if s.many() { // in order of number they lie in order in RAM
		s.met = s.met[:0]
		for slot := range s.t.entries {
			if s.marks[slot].state != unmet {
				s.met = append(s.met, uint32(slot))
			}
		}
	}
}

func (s *search) textOf(slot uint32) float64 {
	if slot == none || s.marks[slot].state == refused {
		return 0
	}
	return s.marks[slot].text
}

// roughly is the rough score of a document met; share is the weights, each by the largest of the field.
func (s *search) roughly(slot uint32, weights, share *Fields) float64 {
	m, c := &s.marks[slot], &s.t.cells[slot]
	if c.group == none && s.q.Around {
		f := Fields{Text: m.text, Own: m.own, Lead: m.lead, Near: s.near(m)}
		return s.alone(slot, f.over(s.most)).dot(*weights) * s.said(c)
	}
	total := m.text*share.Text + m.own*share.Own + float64(m.prev)*share.Prev + float64(m.win)*share.Win +
		m.lead*share.Lead + float64(m.pair)*share.Pair + s.near(m)*share.Near
	if c.group != none {
		total += s.sessions.totals[c.group] * share.Session
	}
	return total * s.said(c)
}

// alone lets a document without a group stand for its surroundings itself: a record that matches as well as a message
// comes before it.
func (s *search) alone(slot uint32, f Fields) Fields {
	if s.q.Around && s.t.cells[slot].group == none {
		f.Prev, f.Win, f.Session, f.Pair = f.Own, f.Own, f.Own, f.Lead

	}
	return f
}

// said is the factor for the user's own messages, and for what is remembered.
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
		total := s.sessions.totals[g]*share.Session + s.least*share.Near
		if total*(1+s.p.user) < r.floor {
			continue
		}
		for _, slot := range s.t.groups[g].slots {
			if s.marks[slot].state == unmet && s.meet(slot) {
				r.add(rough{total * s.said(&s.t.cells[slot]), slot})
			}
		}
	}
}
