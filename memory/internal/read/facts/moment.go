package facts

// moment reads a date, a deadline or a time of day that begins at lexeme i.
func (r *Reading) moment(i int) int {
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
	if since := r.since(i); until > i && since >= 0 {
		r.add(Date, since, end, r.near(since, end, deadlineWord, dateWord))
		return end
	}
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

// since returns where the stretch of days begins that "do" at lexeme i closes ("od 20. do 25. března"), -1 if
// nothing opens one. Where its first day is a fact already, the stretch begins at "do".
func (r *Reading) since(i int) int {
	const reach = 6
	for j := i - 1; j >= 0 && j >= i-reach && !r.at(j).last; j-- {
		if r.at(j).is(sinceWord) && r.at(j+1).shape != word {
			return max(j, min(r.floor, i))
		}
	}
	return -1
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
