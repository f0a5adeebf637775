package facts

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Sort is what kind of quantity a mark states.
type Sort uint8

// The sorts of marks. Amounts are of money, counts and measures alike, for people leave the unit out.
const (
	Amount Sort = iota
	Clock
	Day
)

// Mark is a quantity inside a value: from byte Start to End there stands a day, a time of day or a number. Size is the number of an amount; Unit is
// what it counts, folded, if the value says so.
type Mark struct {
	Sort       Sort
	Start, End int
	Size       float64
	Unit       string
	Denied     bool   // said not to hold: "not 25"
	plain      string // as it is compared
	letters    bool
	digits     int
}

// Marks finds the quantities of a value in the order they stand in.
func (r *Reading) Marks() (out []Mark) {
	value := r.text
	for i := 0; i < len(r.lex); {
		m, end := r.mark(i)
		if end <= i {
			i++
			continue
		}
		m.Start, m.End = r.lex[i].start, r.lex[end-1].end
		m.Denied = r.denied(i)
		if n := len(out) - 1; n >= 0 && m.Sort == Day && out[n].Sort == Day && strings.Trim(value[out[n].End:m.Start], " ,") == "" {
			out[n].End = m.End // "Friday 13."
			i = end
			continue
		}
		out = append(out, m)
		i = end
	}
	for i, m := range out {
		said := value[m.Start:m.End]
		out[i].plain, out[i].digits = strings.Join(strings.Fields(text.Fold(said)), ""), text.Digits(said)
		if m.Sort == Day {
			out[i].plain = strings.Join(text.Terms(said), " ") // "Saturday" in whatever case
		}
		out[i].letters = strings.Trim(said, "0123456789.,: -") != ""
	}
	return out
}

// denied reports whether the value at lexeme i is said not to hold.
func (r *Reading) denied(i int) bool {
	i--
	for r.at(i).is(preposition) {
		i--
	}
	return r.at(i).is(denies)
}

// mark reads the quantity that begins at lexeme i and the index after it, which is 0 if there is none.
func (r *Reading) mark(i int) (Mark, int) {
	l := r.at(i)
	if l.shape != number && l.shape != code && l.shape != word {
		return Mark{}, 0
	}

	// Times and days come first: they are written with numbers too.
	if end := r.clock(i); end > 0 {
		return Mark{Sort: Clock}, r.clockRange(end)
	}
	if end, exact := r.day(i); end > 0 && (exact || r.at(end-1).is(weekday) || l.is(tomorrow)) {
		return Mark{Sort: Day}, end
	}
	if r.dayNumber(l) > 0 && (l.shape == code || r.is(i+1, ".") && r.at(i+1).glued && !r.at(i+1).last) {
		if l.shape == code {
			return Mark{Sort: Day}, i + 1
		}
		return Mark{Sort: Day}, i + 2
	}

	// What is left is an amount. A word that counts is one without a unit.
	if l.shape != number {
		if n := r.w.counts(l.fold); n > 0 && l.shape == word {
			return Mark{Sort: Amount, Size: n}, i + 1
		}
		return Mark{}, 0
	}

	// A number behind "at" is an hour, unless a unit says what it counts.
	before, after := r.at(i-1), r.at(i+1)
	if before.shape == word && before.clocks() && atoi(l.raw, 24) > 0 && !after.isCurrency() && !after.is(unitWord) && !after.is(thousands) {
		return Mark{Sort: Clock}, i + 1
	}

	// The amount with what multiplies it and its unit.
	end := max(r.amount(i), i+1)
	m := Mark{Sort: Amount, Size: size(r.text[l.start:r.lex[end-1].end])}
	if named := r.scaled(end); named > end {
		m.Size *= 1000
		end = named
	}
	switch u := r.at(end); {
	case u.isCurrency() && end < len(r.lex):
		m.Unit = "money"
		end++
	case u.shape == word && u.is(unitWord):
		m.Unit = u.fold
		end++
	case r.at(i-1).shape == symbol && i > 0:
		m.Unit = "money"
	}
	return m, end
}

// size reads the number of an amount whose thousands may stand apart.
func size(s string) (n float64) {
	scale := 0.0
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9' && scale == 0:
			n = 10*n + float64(c-'0')
		case c >= '0' && c <= '9':
			n += scale * float64(c-'0')
			scale /= 10
		case (c == '.' || c == ',') && len(s)-i <= 3:
			scale = 0.1
		}
	}
	return n
}
