package facts

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// day reads a day of the calendar at lexeme i: the index after it (0 if there is none), and whether it
// names the day by number rather than by a word like "Friday".
func (r *Reading) day(i int) (end int, exact bool) {
	l := r.at(i)
	switch l.shape {
	case number:
		return r.numericDay(i), true
	case code:
		return r.codeDay(i), true
	case word:
		return r.wordDay(i)
	}
	return 0, false
}

// wordDay reads "Friday 6 March", "next week", "tomorrow", "March 5, 2026", "březen 2026".
func (r *Reading) wordDay(i int) (int, bool) {
	l, after := r.at(i), r.at(i+1)
	switch {
	case l.is(weekday):
		j := i + 1
		for skipped := 0; skipped < 2 && (r.is(j, ",") || r.at(j).is(preposition) || r.at(j).is(dayThe)); skipped++ {
			j++
		}
		if next := r.at(j); next.shape != word || next.is(monthWord) {
			if end, _ := r.day(j); end > 0 {
				return end, true
			}
		}
		return i + 1, false
	case l.is(nextWord) && (after.is(weekday) || after.is(span)):
		return i + 2, false
	case l.is(endOf) && after.is(span):
		return i + 2, false
	case l.is(tomorrow) || l.is(span) && i > 0 && r.at(i-1).is(endWord):
		return i + 1, false
	}
	return r.monthDay(i)
}

// monthDay reads a date that begins with the name of a month.
func (r *Reading) monthDay(i int) (int, bool) {
	if !r.at(i).is(monthWord) || r.at(i).last {
		return 0, false
	}

	after := r.at(i + 1)
	if after.shape == number && isYear(after.raw) {
		return i + 2, true
	}

	d := r.dayNumber(after)
	if d == 0 || !startsUpper(r.at(i)) && r.at(i).is(monthToo) {
		return 0, false
	}

	end := i + 2
	if r.is(end, ",") && isYear(r.at(end+1).raw) {
		return end + 2, true
	}
	if isYear(r.at(end).raw) {
		end++
	}
	return end, true
}

// numericDay reads a date that begins with digits and points.
func (r *Reading) numericDay(i int) int {
	raw := r.at(i).raw
	if d, m, y := splitDate(raw); d > 0 {
		return r.pointedDay(i, m, y, len(raw)-strings.IndexByte(raw, '.')-1)
	}

	d := r.dayNumber(r.at(i))
	if d == 0 {
		return 0
	}

	j := i + 1
	if r.is(j, ".") {
		j++
	} else if r.at(j).is(dayOf) {
		j++
	}
	if r.at(j).is(monthWord) && !r.at(j-1).last {
		return r.year(j + 1)
	}
	return r.spacedDay(i)
}

// spacedDay reads "20. 2." and "20. 2. 2026".
func (r *Reading) spacedDay(i int) int {
	m := r.at(i + 2)
	if !r.is(i+1, ".") || m.shape != number {
		return 0
	}
	if before, y, found := strings.Cut(m.raw, "."); found && len(y) == 4 && isYear(y) && atoi(before, 12) > 0 {
		return i + 3 // "20. 2.2026"
	}
	if atoi(m.raw, 12) == 0 || !r.is(i+3, ".") {
		return 0
	}
	return r.year(i + 4)
}

// pointedDay reads on after "20.2" or "15.02.2026"; width is how many digits the month has.
func (r *Reading) pointedDay(i, m, y, width int) int {
	after := r.at(i + 1)
	switch {
	case m == 0:
		return 0
	case y > 0:
		return r.year(i + 1)
	case r.is(i+1, ".") && after.glued && (!after.last || !r.hourly(i)):
		return r.year(i + 2)
	case width == 2 && r.lang != "en" && !r.hourly(i) && !after.isCurrency() && !after.is(unitWord) && after.raw != "%" && !after.is(hourWord) && !after.is(thousands):
		return r.year(i + 1)
	}
	return 0
}

// hourly reports whether lexeme i stands behind a word that only times of day stand behind: "v 15.12", "o godz. 15.12".
func (r *Reading) hourly(i int) bool {
	if r.is(i-1, ".") {
		i--
	}
	before := r.at(i - 1)
	return before.set.meets(in(atHour, clockWord)) && !before.set.meets(in(clockStretch, sinceWord))
}

// year skips a year and the word for it at lexeme j.
func (r *Reading) year(j int) int {
	if r.at(j).shape == number && isYear(r.at(j).raw) && !r.at(j-1).last {
		j++
	}
	if r.at(j).is(yearWord) && !r.at(j-1).last {
		j++
		if r.is(j, ".") && r.at(j).glued && !r.at(j).last {
			j++
		}
	}
	return j
}

// codeDay reads "2026-02-15", "2026-02-15T21:00:00Z", "02/15/2026" and "5th March".
func (r *Reading) codeDay(i int) int {
	raw := r.at(i).raw
	if len(raw) >= 10 && raw[4] == '-' && raw[7] == '-' && isYear(raw[:4]) && atoi(raw[5:7], 12) > 0 && atoi(raw[8:10], 31) > 0 &&
		(len(raw) == 10 || raw[10] == 'T') {
		return i + 1
	}

	if parts := strings.Split(raw, "/"); len(parts) == 3 {
		a, b := atoi(parts[0], 31), atoi(parts[1], 31)
		if a > 0 && b > 0 && (a <= 12 || b <= 12) && len(parts[0]) <= 2 && isYear(parts[2]) {
			return i + 1
		}
	}

	if r.dayNumber(r.at(i)) == 0 {
		return 0
	}
	j := i + 1
	if r.at(j).is(dayOf) {
		j++
	}
	if r.at(j).is(monthWord) {
		return r.year(j + 1)
	}
	return 0
}

// dayNumber reads 1 to 31 from "5", "5th", "5-го"; 0 otherwise.
func (r *Reading) dayNumber(l lexeme) int {
	if l.shape == number {
		return atoi(l.raw, 31)
	}
	if l.shape != code {
		return 0
	}
	n := strings.TrimRightFunc(l.raw, func(c rune) bool { return unicode.IsLetter(c) || c == '-' })
	if e := r.w.whole[l.raw[len(n):]]; e == nil || !e.set.has(ordinal) {
		return 0
	}
	return atoi(n, 31)
}

// splitDate reads d.m or d.m.y; all zero if the numbers cannot be a date, y zero if it is missing.
func splitDate(raw string) (d, m, y int) {
	parts := strings.Split(raw, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, 0, 0
	}
	d, m = atoi(parts[0], 31), atoi(parts[1], 12)
	if d == 0 || m == 0 {
		return 0, 0, 0
	}
	if len(parts) == 3 {
		if y = atoi(parts[2], 2100); y == 0 || len(parts[2]) != 2 && !isYear(parts[2]) {
			return 0, 0, 0
		}
	}
	return d, m, y
}

// atoi reads a number from 1 to most, of at most four digits; 0 otherwise.
func atoi(s string, most int) int {
	if len(s) == 0 || len(s) > 4 || utf8.RuneCountInString(s) != len(s) {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return 0
	}
	return n
}

// isYear reports whether s is a year people write about.
func isYear(s string) bool {
	n := atoi(s, 2100)
	return len(s) == 4 && n >= 1900
}
