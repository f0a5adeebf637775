package words

// half is the share of the best possible score that counts as a half. Few answers repeat more than a few words of their question, so
// shares of the plain sum lie low.
const half = .1

// share returns how much of the best possible score of this query a document has, by whichever of its words, of those with its surroundings,
// or of its vector says most: 1 is every telling word once in a text of mean length, or the very vector. What the user said to hold from
// now on bears on every question.
func (s *search) share(slot uint32, f Fields) float64 {
	most := s.bonus(&s.t.cells[slot])
	if s.whole > 0 {
		most = max(most, max(f.Text, f.Own, f.Prev, f.Win, f.Lead, f.Pair, f.Passage)/s.whole)
	}
	if s.mean < 1 {
		near := f.Near / (1 - s.mean)
		most = max(most, near*near)
	}
	most = min(most, 1)
	return most * (1 + half) / (most + half)
}
