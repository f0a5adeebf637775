package facts

import "github.com/mneme-graph/mneme/memory/internal/read/text"

// moment reads a date, a deadline or a time of day that begins at lexeme i.
func (r *Reading) moment(i int) int {
	if from, end := r.stretch(i); end > 0 {
		end = r.andTime(end)
		r.add(Date, from, end, r.near(from, end, deadlineWord, dateWord))
		return end
	}
	from, until := i, r.until(i)
	if until > i {
		from = until
	}
	end, exact := r.day(from)
	if end == 0 {
		if end = r.clock(i); end > 0 {
			end = r.clockRange(end)
			r.add(Time, i, end, r.near(i, end, deadlineWord, dateWord))
		}
		return end
	}
	end = r.andTime(end)
	if until > i {
		r.add(Deadline, i, end, r.near(i, end, deadlineWord))
		return end
	}
	label := r.near(i, end, deadlineWord, dateWord)
	if !exact && label == "" && end == from+1 {
		return 0 // a bare "Friday" is no fact
	}
	kind := Date
	if r.near(i, end, deadlineWord) != "" {
		kind = Deadline
	}
	r.add(kind, i, end, label)
	return end
}

// stretch reads a stretch of days whose first one begins at lexeme i: "od 20. do 25. března", "22. Februar bis 5. März", "Monday to Friday". It returns where it
// begins, which is the word that opens it if there is one, and the index after it, 0 if there is none. What moves from one day to another is no stretch.
func (r *Reading) stretch(i int) (from, end int) {
	opened := i > r.floor && r.at(i-1).is(sinceWord)
	first, exact := r.day(i)
	if d := r.dayNumber(r.at(i)); first == 0 && d > 0 { // its month stands with the last day
		if first = i + 1; r.is(first, ".") {
			first++
		}
		amount := !opened && first == i+1 && r.at(first).is(untilWord) // "ich brauche 5 bis 26. Februar"
		if exact = true; amount || r.dayNumber(r.at(first+1)) <= d {
			return i, 0
		}
	}
	apart := !opened && !exact && r.at(i-1).is(preposition) // "am Montag bis Freitag" may be two days
	if first == 0 || first >= len(r.lex) || r.at(first-1).last || !r.joinsDays(first) || apart {
		return i, 0
	}
	if end, _ = r.day(first + 1); end == 0 || text.Moves(r.text) {
		return i, 0
	}
	if opened {
		i--
	}
	return i, end
}

// joinsDays reports whether lexeme i stands between the two ends of a stretch of days.
func (r *Reading) joinsDays(i int) bool {
	l := r.at(i)
	return l.shape == word && l.is(upTo) && !l.conjoins() || r.is(i, "-–—")
}

// until returns the index after "by", "do konce", "by the end of" at lexeme i; i if there is none.
func (r *Reading) until(i int) int {
	if r.at(i).shape != word || !r.at(i).is(untilWord) {
		return i
	}
	j := i + 1
	for skipped := 0; skipped < 4 && r.at(j).shape == word && (r.at(j).is(article) || r.at(j).is(endWord) || r.at(j).is(untilWord) || r.at(j).is(dayOf)); skipped++ {
		j++
	}
	return j
}

// near returns the label of the closest word of one of the classes, left of lexeme i and then right of end,
// within the sentence and without crossing another fact.
func (r *Reading) near(i, end int, classes ...class) string {
	const reach = 8
	for l := range r.before(i, reach) {
		if label := r.called(l, classes...); label != "" {
			return label
		}
	}
	if r.at(end - 1).last {
		return ""
	}

	for j := end; j < len(r.lex) && j < end+reach/2; j++ {
		l := r.at(j)
		if l.shape == number || l.shape == code || r.is(j, ",") {
			break
		}
		if label := r.called(l, classes...); label != "" {
			return label
		}
		if l.last {
			break
		}
	}
	return ""
}
