package same

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// when is what a text says about a moment, part by part; the zero value of a part is "not said".
type when struct {
	day, month, year int
	weekday          int    // Monday is 1
	clock            string // "9:00"
	word             string // tomorrow, next week
}

// String returns a spelling that equal moments share.
func (w when) String() string {
	return fmt.Sprintf("%d-%d-%d %d %s %s", w.year, w.month, w.day, w.weekday, w.clock, w.word)
}

// agree reports whether no part of two moments differs, and whether v says a part that w leaves open. A day of the week and a day
// of the month cannot be compared and do not agree.
func (w when) agree(v when) (same, more bool) {
	for _, p := range [][2]int{{w.day, v.day}, {w.month, v.month}, {w.year, v.year}, {w.weekday, v.weekday}} {
		if p[0] != 0 && p[1] != 0 && p[0] != p[1] {
			return false, false
		}
		more = more || p[0] == 0 && p[1] != 0
	}
	if w.clock != "" && v.clock != "" && w.clock != v.clock || w.word != v.word {
		return false, false
	}
	dated := w.day != 0 && v.day != 0 || w.weekday != 0 && v.weekday != 0 || w.clock != "" && w.clock == v.clock || w.word != "" ||
		w.month != 0 && v.month != 0 || w.year != 0 && w.year == v.year
	return dated, more || w.clock == "" && v.clock != ""
}

// contradicts reports whether two moments cannot be the same one.
func (w when) contradicts(v when) bool {
	for _, p := range [][2]int{{w.day, v.day}, {w.month, v.month}, {w.year, v.year}, {w.weekday, v.weekday}} {
		if p[0] != 0 && p[1] != 0 && p[0] != p[1] {
			return true
		}
	}
	return w.clock != "" && v.clock != "" && w.clock != v.clock || w.word != "" && v.word != "" && w.word != v.word
}

// whenOf reads the parts of a date or time that was found in a text.
func whenOf(s string) when {
	var w when
	tokens := text.Tokens(s)
	for _, t := range tokens { // words first: whether "6" is a day or an hour depends on them
		if !t.Number {
			w.read(strings.ReplaceAll(t.Folded, "й", "и"))
		}
	}
	for _, t := range tokens {
		switch word := t.Folded; {
		case !t.Number:
		case strings.ContainsRune(word, ':'):
			w.clock = strings.TrimPrefix(word, "0")
		case strings.Count(word, "-") == 2:
			w.numbers(strings.Split(word, "-"), true)
		case strings.ContainsAny(word, "./"):
			w.numbers(strings.FieldsFunc(word, func(r rune) bool { return r == '.' || r == '/' }), false)
		default:
			w.number(word)
		}
	}
	return w
}

// read takes the name of a day or month, or keeps a word such as "tomorrow".
func (w *when) read(word string) {
	if m := calendar(word, month); m > 0 {
		w.month = m
	} else if d := calendar(word, weekday); d > 0 {
		w.weekday = d
	} else if m := calendar(word, short); m > 0 {
		w.month = m
	} else if stem := text.Stem(word); len(word) > 4 && roles().is(stem, relative) {
		w.word = stem
	}
}

// number takes a lone number: a year, else the day, else the month behind the day ("3. 5."), else an hour.
func (w *when) number(s string) {
	n, err := strconv.Atoi(strings.TrimRight(s, "stndrh"))
	switch {
	case err != nil:
	case n > 1000:
		w.year = n
	case w.day == 0 && n >= 1 && n <= 31 && (w.weekday == 0 || w.month > 0):
		w.day = n
	case w.month == 0 && w.day > 0 && n <= 12:
		w.month = n
	case n <= 24:
		w.clock = strconv.Itoa(n) + ":00"
	}
}

// numbers takes 3.5.2026, or 2026-05-03 if the year comes first.
func (w *when) numbers(parts []string, yearFirst bool) {
	n := make([]int, 0, 3)
	for _, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return
		}
		n = append(n, v)
	}
	if yearFirst && n[0] > 31 {
		n[0], n[2] = n[2], n[0]
	}
	switch {
	case len(n) == 3:
		w.day, w.month, w.year = n[0], n[1], n[2]
		if w.year < 100 {
			w.year += 2000
		}
	case len(n) == 2:
		w.day, w.month = n[0], n[1]
	case len(n) == 1:
		w.number(strconv.Itoa(n[0]))
	}
}

// calendar returns the month or day of the week that a folded word names; 0 for none.
func calendar(word string, of role) int {
	for _, m := range roles().of(word) {
		if m.role == of {
			return m.number
		}
	}
	return 0
}

// Weekdays returns the days of the week that a text names, Monday is 1, in their order.
func Weekdays(s string) (out []int) {
	for _, t := range text.Tokens(s) {
		if d := calendar(strings.ReplaceAll(t.Folded, "й", "и"), weekday); d > 0 {
			out = append(out, d)
		}
	}
	return out
}
