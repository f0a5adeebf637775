package text

import (
	"strconv"
	"strings"
	"time"
)

// Asked is what a question says about time and numbers.
type Asked struct {
	When   bool       // asks for a time: when, what day, how long ago
	Number bool       // its answer is likely a number: how much, what price
	Month  time.Month // named in the question; 0 none
	Year   int        // 0 none
	Day    int        // of the month; 0 none
}

// AskedBy reads a question in any of the languages: whether it asks for a time or a number, and the first date it names
// in words or numbers ("in May 2023", "8 May", "v květnu", "8. 5. 2023", "2023-05-08"). Of 5/8/2023 the month
// comes first unless it cannot. It takes any input; the zero value means no time. Safe for concurrent use.
func AskedBy(question string) Asked {
	d := loaded().phrases()
	all := d.pieces(question)
	out := d.date(all)
	d.find(all, func(meaning string) {
		out.When = out.When || meaning == when
		out.Number = out.Number || meaning == measured
	})
	return out
}

// Topical tells whether a stem is of a word about the conversation itself or its form ("mention", "session",
// "list", "three"), which says nothing about what an assistant was asked.
func Topical(stem string) bool { return loaded().topical[stem] }

// empty tells that no date is named.
func (a Asked) empty() bool { return a.Month == 0 && a.Year == 0 && a.Day == 0 }

// calendar holds the words of dates in all languages.
type calendar struct {
	months  map[string]time.Month
	unsure  map[string]bool // names of months that are other words too (may, march)
	days    map[string]int  // ordinals
	numbers map[string]bool
	near    map[string]bool // what stands before a month: in, since, last
	year    map[string]bool // what stands before or behind a year
}

// loadCalendar reads dates.txt: lines of "month 5: words", "day 8: words", "number: words", "near: words"
// and "year: words"; a question mark behind a word makes it unsure.
func (t *tables) loadCalendar() calendar {
	c := calendar{map[string]time.Month{}, map[string]bool{}, map[string]int{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, line := range t.lines("dates.txt") {
		head, list, _ := strings.Cut(line, ":")
		kind, value, _ := strings.Cut(head, " ")
		n, _ := strconv.Atoi(value)
		for w := range strings.FieldsSeq(list) {
			w, unsure := strings.CutSuffix(Fold(w), "?")
			switch kind {
			case "month":
				c.months[w] = time.Month(n)
				c.unsure[w] = unsure
			case "day":
				c.days[w] = n
			case "number":
				c.numbers[w] = true
			case "near":
				c.near[w] = true
			case "year":
				c.year[w] = true
			}
		}
	}
	return c
}

// date returns the first date of a text; a year alone only if no month is named.
func (c *calendar) date(all []Word) Asked {
	var year Asked
	for i, p := range all {
		if a := numeric(p); !a.empty() {
			return a
		}
		if a := spaced(all[i:]); !a.empty() {
			return a
		}
		if a, ok := c.month(all, i); ok {
			return a
		}
		if y := yearOf(p); y > 0 && year.Year == 0 && (c.year[at(all, i-1).Fold] || c.year[at(all, i+1).Fold]) {
			year.Year = y
		}
	}
	return year
}

// at returns the piece at i, an empty one outside.
func at(all []Word, i int) Word {
	if i < 0 || i >= len(all) {
		return Word{}
	}
	return all[i]
}

// month reads a month's name at i with the day and year around it.
func (c *calendar) month(all []Word, i int) (Asked, bool) {
	m := c.months[all[i].Fold]
	if m == 0 {
		return Asked{}, false
	}
	a := Asked{Month: m, Day: c.day(at(all, i-1))}
	if a.Day == 0 && at(all, i-1).Fold == "of" {
		a.Day = c.day(at(all, i-2))
	}
	near, behind := c.near[at(all, i-1).Fold], i+1
	if day := c.day(at(all, behind)); a.Day == 0 && day > 0 && !near {
		a.Day = day
		behind++
	}
	if at(all, behind).Fold == "of" {
		behind++
	}
	a.Year = yearOf(at(all, behind))
	return a, !c.unsure[all[i].Fold] || near || a.Day > 0 || a.Year > 0
}

// day reads "8", "8th" or an ordinal as a day of the month.
func (c *calendar) day(p Word) int {
	if d, ok := c.days[p.Fold]; ok {
		return d
	}
	if !p.digits {
		return 0
	}
	return within(strings.TrimRight(p.Fold, "sthndr"), 1, 31)
}

func yearOf(p Word) int {
	if !p.digits || len(p.Fold) != 4 {
		return 0
	}
	return within(p.Fold, 1900, 2099)
}

// numeric reads a date written as one token: 2023-05-08, 2023-05, 8.5.2023, 8.5., 5/8/2023.
func numeric(p Word) Asked {
	if !p.digits {
		return Asked{}
	}
	sep := strings.IndexAny(p.Fold, ".-/")
	if sep < 0 {
		return Asked{}
	}
	sign := p.Fold[sep]
	f := strings.Split(p.Fold, p.Fold[sep:sep+1])
	switch {
	case len(f) == 2 && len(f[0]) == 4 && sign == '-':
		return calendarDay(f[0], f[1], "1").withoutDay()
	case len(f) == 2 && sign == '.' && p.dot:
		return calendarDay("2000", f[1], f[0]).withoutYear()
	case len(f) != 3:
		return Asked{}
	case len(f[0]) == 4:
		return calendarDay(f[0], f[1], f[2])
	case sign == '/' && within(f[0], 1, 12) > 0 && within(f[1], 1, 31) > 0:
		return calendarDay(f[2], f[0], f[1])
	}
	return calendarDay(f[2], f[1], f[0])
}

// spaced reads "8. 5. 2023".
func spaced(all []Word) Asked {
	if len(all) < 3 || !all[0].digits || !all[0].dot || !all[1].digits || !all[1].dot || yearOf(all[2]) == 0 {
		return Asked{}
	}
	return calendarDay(all[2].Fold, all[1].Fold, all[0].Fold)
}

// calendarDay returns the zero value unless all three numbers are possible.
func calendarDay(year, month, day string) Asked {
	if len(year) == 2 {
		year = "20" + year
	}
	a := Asked{Year: within(year, 1900, 2099), Month: time.Month(within(month, 1, 12)), Day: within(day, 1, 31)}
	if a.Year == 0 || a.Month == 0 || a.Day == 0 {
		return Asked{}
	}
	return a
}

func (a Asked) withoutDay() Asked  { return Asked{Month: a.Month, Year: a.Year} }
func (a Asked) withoutYear() Asked { return Asked{Month: a.Month, Day: a.Day} }

// within parses a short number; 0 if it is none or out of bounds.
func within(digits string, least, most int) int {
	if n, err := strconv.Atoi(digits); err == nil && len(digits) <= 4 && n >= least && n <= most {
		return n
	}
	return 0
}
