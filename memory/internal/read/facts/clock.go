package facts

import "strings"

// clock reads a time of day at lexeme i: "14:30", "9 hodin", "3 pm", "o godz. 14.30".
func (r *Reading) clock(i int) int {
	l := r.at(i)

	// A word such as "o godz." makes a bare number an hour.
	if l.shape == word && l.is(atHour) {
		j := i + 1
		if r.is(j, ".") {
			j++
		}
		if end := r.clock(j); end > 0 {
			return end
		}
		if r.at(j).shape == number && atoi(r.at(j).raw, 24) > 0 {
			return j + 1
		}
		return 0
	}
	if l.shape != number {
		return 0
	}

	// What is written as a time, or has a word for hours behind it.
	after := r.at(i + 1)
	named := after.shape == word && after.is(hourWord) && !l.last
	h, m, colon := strings.Cut(l.raw, ":")
	if !colon {
		h, m, _ = strings.Cut(l.raw, ".")
	}

	// A point parts hours and minutes only where something else says that it is a time: prices have points too.
	minutes := len(m) == 2 && m < "60"
	pointed := named || r.at(i-1).set.meets(in(atHour, clockWord)) || r.hourly(i)
	valid := len(h) <= 2 && (atoi(h, 24) > 0 || h == "0" || h == "00") && (colon && minutes || minutes && pointed && !after.isCurrency() && !after.is(unitWord) || m == "" && named)
	if !valid {
		return 0
	}
	if named {
		return i + 2
	}
	return i + 1
}

// clockRange takes in the end of a stretch of time: "14:00 a 16:00", "9:00-12:00".
func (r *Reading) clockRange(end int) int {
	if end >= len(r.lex) || r.at(end-1).last {
		return end
	}
	if l := r.at(end); l.is(upTo) && l.fold == l.raw || r.is(end, "-–—") {
		if to := r.clock(end + 1); to > 0 {
			return to
		}
	}
	return end
}

// andTime takes in a time of day that follows a date: "20. 2. v 14:30", "March 5 at 3 pm".
func (r *Reading) andTime(end int) int {
	if end < len(r.lex) && r.at(end-1).last {
		return end
	}
	j := end
	if r.is(j, ",") {
		j++
	}

	if at := r.clock(j); at > 0 {
		return r.clockRange(at)
	}

	l, hour := r.at(j), r.at(j+1)
	if l.shape == word && l.clocks() && !l.is(untilWord) {
		if at := r.clock(j + 1); at > 0 {
			return r.clockRange(at)
		}
		after := r.at(j + 2)
		if hour.shape == number && atoi(hour.raw, 24) > 0 && !after.isCurrency() && !after.is(unitWord) && !after.is(monthWord) && (!r.is(j+2, ".") || after.last) {
			return j + 2
		}
	}
	return end
}
