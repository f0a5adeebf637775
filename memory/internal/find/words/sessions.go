package words

// sessions is the part of a pad that is kept per group.
type sessions struct {
	counts []float64 // group -> weighted count of the term at hand
	dates  []bool    // group -> the term at hand is in its date
	here   []uint32  // groups with a count
	totals []float64 // group -> BM25 so far
	all    []uint32  // groups with a total
}

// room makes the cells of n groups.
func (s *sessions) room(n int) {
	if len(s.counts) < n {
		n += n / 4
		s.counts, s.totals, s.dates = make([]float64, n), make([]float64, n), make([]bool, n)
	}
}

func (s *sessions) count(group uint32, weighted float64, date bool) {
	if s.counts[group] == 0 && !s.dates[group] {
		s.here = append(s.here, group)
	}
	s.counts[group] += weighted
	s.dates[group] = s.dates[group] || date
}

// add turns the counts of one term into BM25 of each group and clears them.
func (s *sessions) add(t *tables) {
	worth, length := idf(float64(t.liveGroups), float64(len(s.here))), mean(t.groupsLen, t.liveGroups)
	for _, n := range s.here {
		if s.totals[n] == 0 {
			s.all = append(s.all, n)
		}
		times := s.counts[n]
		if s.dates[n] {
			times++
		}
		s.totals[n] += worth * saturate(times, float64(t.groups[n].length()), length)
		s.counts[n], s.dates[n] = 0, false
	}
	s.here = s.here[:0]
}

func (s *sessions) reset() {
	for _, n := range s.all {
		s.totals[n] = 0
	}
	s.all = s.all[:0]
}
