package facts_test

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// holds reports whether a fact, its label read with its value, holds a labelled value: every number and at least
// two thirds of all words that the message itself says of it. A value of which the message says nothing is not held.
func holds(f state.Fact, g goldFact, said []string) bool {
	var wanted []string
	for _, w := range bag(g.Value) {
		if slices.Contains(said, w) {
			wanted = append(wanted, w)
		}
	}
	return covers(bag(f.Label+" "+f.Value), wanted)
}

// part reports whether a fact's value is a part of a labelled one, the label read with it.
func part(f state.Fact, g goldFact) bool { return covers(bag(g.Label+" "+g.Value), bag(f.Value)) }

// says reports whether a fact says a labelled thing in part: half of the words the message says of it, and no number that no label has.
func says(f state.Fact, g goldFact, said, labelled []string) bool {
	var wanted []string
	for _, w := range bag(g.Value) {
		if slices.Contains(said, w) {
			wanted = append(wanted, w)
		}
	}
	n, value := 0, bag(f.Label+" "+f.Value)
	for _, w := range wanted {
		if slices.Contains(value, w) {
			n++
		}
	}
	for _, w := range value {
		if unicode.IsDigit(rune(w[0])) && !slices.Contains(labelled, w) {
			return false
		}
	}
	return n > 0 && 2*n >= len(wanted)
}

// tells reports whether a fact says one of the numbers, or half of the words, of those that were said.
func tells(f state.Fact, words, said []string) bool {
	has := bag(f.Label + " " + f.Value)
	n, of := 0, 0
	for _, w := range words {
		if said != nil && !slices.Contains(said, w) {
			continue
		}
		of++
		if slices.Contains(has, w) {
			n++
			if unicode.IsDigit(rune(w[0])) {
				return true
			}
		}
	}
	return of > 0 && 2*n >= of
}

func covers(has, wanted []string) bool {
	if len(wanted) == 0 {
		return false
	}
	n := 0
	for _, w := range wanted {
		switch {
		case slices.Contains(has, w):
			n++
		case unicode.IsDigit(rune(w[0])):
			return false
		}
	}
	return 3*n >= 2*len(wanted)
}

func without(words, others []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) })
}

// bag is what two spellings of a value have in common: numbers without their grouping and full hours without minutes, months as numbers, the
// beginnings of words; no currencies and no words of one or two letters.
func bag(s string) []string {
	var out []string
	words := strings.FieldsFunc(text.Fold(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != ':' })
	for i, w := range words {
		if n, _, _ := strings.Cut(w, ":"); strings.HasSuffix(w, ":00") {
			w = n
		}
		number := unicode.IsDigit(rune(w[0]))
		letters := strings.TrimLeft(w, "0123456789")
		switch {
		case number && letters != w && letters != "" && !strings.Contains(w, ":"):
			w = w[:len(w)-len(letters)] // "500kč", "17h", "12go"
		case number:
		case coin(w):
			continue
		case calendar(w) != "":
			w = calendar(w)
		case len([]rune(w)) < 3:
			continue
		default:
			w = string([]rune(w)[:min(4, len([]rune(w)))])
		}
		if number {
			w = strings.TrimLeft(w, "0")
			if w == "" {
				continue
			}
			if len(w) == 3 && i > 0 && len(out) > 0 && unicode.IsDigit(rune(words[i-1][0])) && len(words[i-1]) <= 3 {
				out[len(out)-1] += w
				continue
			}
		}
		out = append(out, strings.Trim(w, ":"))
	}
	for i, w := range out {
		if len(w) > 3 && strings.HasSuffix(w, "000") {
			out[i] = strings.TrimSuffix(w, "000")
		}
	}
	return slices.DeleteFunc(out, func(w string) bool { return w == "" })
}

// coin knows what stands beside an amount and is left out as often as not.
func coin(w string) bool {
	switch w {
	case "kc", "kč", "korun", "eur", "euro", "eura", "pln", "zlotych", "rub", "руб", "рублей", "рубля", "usd", "gbp", "pounds", "quid", "dollars", "bucks", "tis", "tisic", "tisice", "tys", "tysiecy", "тыс", "тысяч", "тысячи", "hodin", "godz", "часов":
		return true
	}
	return false
}

// calendar gives a month its number.
func calendar(w string) string {
	months := [][]string{{"ledna", "stycz", "январ", "januar"}, {"unor", "lutego", "феврал", "februar"}, {"brezn", "marca", "март", "march"}, {"dubn", "kwiet", "апрел", "april"},
		{"kvetn", "maja", "мая", "may"}, {"cervna", "czerwc", "июн", "june"}, {"cervenc", "lipc", "июл", "july"}, {"srpn", "sierp", "август", "august"},
		{"zari", "wrzes", "сентябр", "september"}, {"rijn", "pazdzier", "октябр", "october"}, {"listopad", "ноябр", "november"}, {"prosin", "grudn", "декабр", "december"}}
	for i, names := range months {
		for _, name := range names {
			if strings.HasPrefix(w, name) && (name != "may" || w == "may") {
				return []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}[i]
			}
		}
	}
	return ""
}
