package words

// sessions is the part of a tally that is kept per group.
type sessions struct {
	counts []float64 // group -> weighted count of the term at hand
	met    []uint32  // groups with a count
	totals []float64 // group -> BM25 so far
	all    []uint32  // groups with a total
}

// room makes the cells of n groups.
func (s *sessions) room(n int) {
	if len(s.counts) < n {
		s.counts, s.totals = make([]float64, n+n/4), make([]float64, n+n/4)
	}
}

func (s *sessions) count(group uint32, weighted float64) {
	if s.counts[group] == 0 {
		s.met = append(s.met, group)
	}
	s.counts[group] += weighted
}

// add turns the counts of one term into BM25 of each group and clears them.
func (s *sessions) add(t *tables) {
	worth, length := idf(t.liveGroups, len(s.met)), mean(t.groupsLen, t.liveGroups)
	for _, n := range s.met {
		if s.totals[n] == 0 {
			s.all = append(s.all, n)
		}
		s.totals[n] += worth * saturate(s.counts[n], float64(t.groups[n].ownLen), length)
		s.counts[n] = 0
	}
	s.met = s.met[:0]
}

func (s *sessions) reset() {
	for _, n := range s.all {
		s.totals[n] = 0
	}
	s.all = s.all[:0]
}

// around fills Prev, Win and Session of the documents met, and of those next to them, which are met thereby. The
// weights were found by measuring and are flat: half or one and a half of any moves recall at ten by less than a point.
func (s *search) around() {
	for i, direct := 0, len(s.scores); i < direct; i++ {
		e := &s.t.entries[s.scores[i].slot]
		if e.doc.Group == "" {
			continue
		}
		g := &s.t.groups[e.group]
		place, _ := s.t.place(g, e)
		for near := max(place-2, 0); near <= min(place+2, len(g.slots)-1); near++ {
			if at := s.met(g.slots[near]); at >= 0 {
				s.scores[at].place = int32(near)
			}
		}
	}
	for i := range s.scores {
		c := &s.scores[i]
		e := &s.t.entries[c.slot]
		if e.doc.Group == "" {
			c.Prev, c.Win = c.Own, c.Own
			continue
		}
		in, place := s.t.groups[e.group].slots, int(c.place)
		before, before2 := s.textAt(in, place-1), s.textAt(in, place-2)
		c.Prev = c.Own + .8*before + .6*before2
		c.Win = c.Own + .7*before + .5*before2 + .6*s.textAt(in, place+1) + .4*s.textAt(in, place+2)
		c.Session = s.sessions.totals[e.group]
	}
}

// textAt is the Text score of the document at a place of a group, 0 where there is none or it was refused.
func (s *search) textAt(slots []uint32, place int) float64 {
	if place < 0 || place >= len(slots) || s.at[slots[place]] <= 0 {
		return 0
	}
	return s.scores[s.at[slots[place]]-1].Text
}
