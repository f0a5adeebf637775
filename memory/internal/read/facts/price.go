package facts

import (
	"strings"
	"unicode/utf8"
)

// price reads an amount with its currency at lexeme i: "$41.20", "1 250 Kč", "15 tys. zł", "250,-", "€ 20".
func (r *Reading) price(i int) int {
	l := r.at(i)
	if l.shape == symbol {
		if r.at(i+1).shape != number {
			return 0
		}
		end := r.amount(i + 1)
		if end == 0 {
			return 0
		}
		r.add(Price, i, r.scaled(end), r.priceLabel(i, end))
		return r.scaled(end)
	}
	end := r.amount(i)
	if end == 0 {
		return 0
	}
	named := r.scaled(end)
	from := i
	switch {
	case r.at(named).isCurrency() && !r.at(named-1).last && !r.at(named).is(noCurrency): // feet
		end = named + 1
		if r.is(end, ".") && r.at(end).glued && r.at(named).is(currencyShort) {
			end++
		}
	case r.is(named, ",") && r.is(named+1, "-–") && r.at(named+1).glued: // 250,-
		end = named + 2
		if r.at(end).isCurrency() {
			end++
		}
	case i > 0 && currencyCode(r.at(i-1)): // EUR 20
		from = i - 1
	default:
		return 0
	}
	r.add(Price, from, end, r.priceLabel(from, end))
	return end
}

// amount reads a number whose thousands may stand apart ("1 250 300,50"); 0 if lexeme i is none.
func (r *Reading) amount(i int) int {
	l := r.at(i)
	if l.shape != number || strings.ContainsRune(l.raw, ':') || strings.Count(l.raw, ".") > 1 && !grouped(l.raw) {
		return 0
	}

	end := i + 1
	if len(l.raw) > 3 {
		return end
	}
	for {
		next := r.at(end)
		group, rest, cents := strings.Cut(strings.ReplaceAll(next.raw, ",", "."), ".")
		if next.shape != number || next.glued || len(group) != 3 || r.at(end-1).last || utf8.RuneCountInString(next.raw) != len(next.raw) {
			return end
		}
		end++
		if cents {
			if len(rest) > 2 {
				return end - 1
			}
			return end
		}
	}
}

// grouped reports whether every group after the first has three digits, the last perhaps cents.
func grouped(raw string) bool {
	parts := strings.FieldsFunc(raw, func(c rune) bool { return c == '.' || c == ',' })
	for n, p := range parts {
		if n > 0 && len(p) != 3 && (n < len(parts)-1 || len(p) != 2) {
			return false
		}
	}
	return true
}

// scaled skips "tis.", "тыс." and the like after an amount.
func (r *Reading) scaled(end int) int {
	if end > 0 && r.at(end-1).last || r.at(end).shape != word || !r.at(end).is(thousands) {
		return end
	}
	if r.is(end+1, ".") && r.at(end+1).glued {
		return end + 2
	}
	return end + 1
}

// currencyCode reports whether l is a currency in three capitals.
func currencyCode(l lexeme) bool {
	return l.shape == word && len(l.raw) == 3 && l.raw == upper(l.raw) && l.is(currencyWord)
}

// priceLabel finds what is paid: the closest word for it on the left, else right behind the amount.
func (r *Reading) priceLabel(i, end int) string {
	const reach = 7
	for j := i - 1; j >= 0 && j >= i-reach && !r.at(j).last; j-- {
		l := r.at(j)
		if l.shape == symbol || l.shape == word && j < i-1 && l.isCurrency() && r.at(j-1).shape == number {
			break // another amount
		}
		if l.shape != word {
			continue
		}
		if label := r.called(r.at(j), priceWord); label != "" {
			return label
		}
	}

	for j := end; j < end+2 && j < len(r.lex) && !r.at(j-1).last; j++ {
		if r.is(j, ",") { // the next clause is about something else
			break
		}
		if l := r.at(j); l.shape == word && l.is(priceWord) && r.called(l, priceWord) != r.w.call(string(Price), r.lang) {
			return r.called(l, priceWord)
		}
	}
	return ""
}

// measure reads a number with a unit, or a number after the word for a size, weight or count.
func (r *Reading) measure(i int) int {
	l := r.at(i)
	unit := r.at(i + 1)
	hasUnit := l.shape == number && unit.shape == word && unit.is(unitWord) && !l.last
	label := r.measureLabel(i)
	end := i + 1
	if hasUnit {
		end++
	}

	switch {
	case label != "" && (hasUnit || len(l.raw) <= 6):
	case hasUnit && unit.is(piece):
	default:
		return 0
	}
	r.add(Measure, i, end, label)
	return end
}

// measureLabel finds the word for what is measured right before lexeme i.
func (r *Reading) measureLabel(i int) string {
	for j, skipped := i-1, 0; j >= 0 && skipped < 3 && !r.at(j).last; j, skipped = j-1, skipped+1 {
		l := r.at(j)
		if l.shape == word {
			if label := r.called(l, measureWord); label != "" {
				return label
			}
			if !l.is(copula) && !l.is(preposition) && !l.is(haveWord) {
				return ""
			}
		} else if !r.is(j, ":=") {
			return ""
		}
	}
	return ""
}

// size reads a size in letters: "velikost M", "size XL".
func (r *Reading) size(i int) int {
	switch r.at(i).raw {
	case "XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL":
	default:
		return 0
	}
	label := r.measureLabel(i)
	if label == "" {
		return 0
	}
	r.add(Measure, i, i+1, label)
	return i + 1
}
