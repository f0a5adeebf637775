package personal

import (
	"slices"
	"strings"
	"unicode"
)

// How many words a value has at most.
const (
	valueWords = 6
	nameWords  = 3
	placeWords = 8
	leastDigit = 6 // of a phone number
)

// value reads the value of a match and returns it with the number of the word behind it; "" when there is none that fits.
func (k *knowledge) value(kind string, words []word, m matched) (string, int) {
	switch {
	case kind == "" && m.value >= 0 && k.is("unfit", words[m.value]):
		return "", m.end
	case kind == "" && m.value >= 0:
		return joined(words[m.value:m.valueEnd]), m.end
	case kind == "=":
		return joined(words[m.start:m.end]), m.end
	case m.end == len(words) || words[m.end-1].ends() && kind != "P" && kind != "E":
		return "", m.end
	}
	from, end := m.end, m.end
	for (kind == "P" || kind == "E") && from+1 < len(words) && k.is("link", words[from]) { // "a new number, it is 601 ..."
		from, end = from+1, end+1
	}
	switch kind {
	case "N":
		for end < len(words) && end < from+nameWords && words[end].capital() && words[end].digits() == 0 && !k.is("stop", words[end]) &&
			(end == from || !words[end-1].ends()) {
			end++
		}
		return joined(words[from:end]), end
	case "P":
		digits := 0
		for end < len(words) && words[end].digits() > 0 && !strings.ContainsFunc(words[end].Raw, unicode.IsLetter) && (end == from || !words[end-1].ends()) {
			digits += words[end].digits()
			end++
		}
		if digits < leastDigit {
			return "", end
		}
		return joined(words[from:end]), end
	case "E":
		if strings.Contains(words[from].Raw, "@") {
			return words[from].Raw, from + 1
		}
		return "", from
	case "A":
		return k.place(words, from)
	}
	for end < len(words) && end < from+valueWords && !k.is("stop", words[end]) && (end == from || !words[end-1].ends()) {
		end++
	}
	for end > from && k.is("join", words[end-1]) {
		end--
	}
	if end == from || k.is("unfit", words[from]) && kind == "V" {
		return "", end
	}
	if kind == "D" && !slices.ContainsFunc(words[from:end], func(w word) bool { return w.digits() > 0 }) {
		return "", end
	}
	return joined(words[from:end]), end
}

// place reads a place: it begins with a capital or a number, and goes on behind a comma or an "and" with another of them.
func (k *knowledge) place(words []word, from int) (string, int) {
	begins := func(w word) bool { return w.capital() || w.digits() > 0 }
	if !begins(words[from]) {
		return "", from
	}
	end := from
	for end < len(words) && end < from+placeWords && !k.is("stop", words[end]) {
		if end > from && words[end-1].ends() && (words[end-1].after != "," || !begins(words[end])) {
			break
		}
		if k.is("join", words[end]) && end+1 < len(words) && !begins(words[end+1]) {
			break
		}
		end++
	}
	for end > from && k.is("join", words[end-1]) {
		end--
	}
	return joined(words[from:end]), end
}

// joined returns words as they were written, with the commas between them.
func joined(words []word) string {
	var b strings.Builder
	for i, w := range words {
		b.WriteString(w.Raw)
		if i+1 < len(words) {
			b.WriteString(strings.TrimSpace(w.after) + " ")
		}
	}
	return b.String()
}
