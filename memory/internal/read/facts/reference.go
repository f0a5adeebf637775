package facts

import (
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// reference reads a number that names one thing. What the words on its left say decides how much a value
// must look like a code: after "číslo" anything with a digit is one, after a noun three digits that are no
// year, without either only what cannot be anything else.
func (r *Reading) reference(i int) int {
	if r.at(i).shape == number && strings.ContainsAny(r.at(i).raw, ":,") || r.followedByUnit(i) || r.version(i) {
		return 0
	}
	from := i
	if l := r.at(i - 1); i > r.floor && capitals(l) && len(l.raw) <= 4 && !r.at(i-1).last && !acronymAt(l) && numberless(l) {
		from = i - 1 // "OK 123", "FV 4471"
	}
	c := r.cue(from)
	if from < i && c.strength < byNoun {
		from, c = i, r.cue(i)
	}
	end := r.groups(i, c.plate)
	value := r.text[r.lex[from].start:r.lex[end-1].end]
	label := c.label
	own, owned := r.owned(from)
	if owned || own != "" && r.w.classes(foldWord(firstWord(own)), "").has(secretWord) {
		label = own // "my ...", "PIN do karty to ..."
	}
	switch {
	case r.at(from-1).is(secretWord) && from > r.floor && !r.at(from-1).last && c.strength == byNothing:
		r.add(Statement, from, end, r.words(from-1, from)) // "heslo Tygr2026"
		return end
	case c.strength == byNumber && (text.Digits(value) > 1 || r.named(label)):
	case c.strength == byNoun && (text.Digits(value) >= 3 || c.plate || from < i) && !isYear(value):
	case strong(r.at(i).raw):
		if label == "" {
			label = r.bought(i)
		}
	default:
		return 0
	}
	r.add(Reference, from, end, label)
	return r.listed(end, label)
}

// named reports whether a label says more than "number", so that a single digit may follow it.
func (r *Reading) named(label string) bool {
	return label != "" && label != r.w.call(string(Reference), r.lang)
}

// listed goes on with numbers that share the label: "faktury 4471 a 4472".
func (r *Reading) listed(end int, label string) int {
	for label != "" && end+1 < len(r.lex) && !r.at(end-1).last {
		before, join, l := r.at(end-1), r.at(end), r.at(end+1)
		and := join.raw == "," || join.is(conjoins)
		alike := l.shape == before.shape && len(l.raw) == len(before.raw) && text.Digits(l.raw) == text.Digits(before.raw)
		if !and || !alike || text.Digits(l.raw) < 3 || r.followedByUnit(end+1) {
			break
		}
		r.add(Reference, end+1, end+2, label)
		end += 2
	}
	return end
}

// followedByUnit reports whether the number at lexeme i counts or measures something.
func (r *Reading) followedByUnit(i int) bool {
	l, after := r.at(i), r.at(i+1)
	if l.last || i+1 >= len(r.lex) {
		return false
	}
	if after.raw == "%" || after.raw == "°" || after.isCurrency() && after.shape == symbol {
		return true
	}
	return l.shape == number && after.shape == word && (after.is(unitWord) || after.is(currencyWord) || after.is(thousands) || after.is(hourWord) || after.is(timeUnit))
}

// version reports whether the number is one with points that is neither a code nor an amount ("1.2.3").
func (r *Reading) version(i int) bool {
	return r.at(i).shape == number && strings.ContainsRune(r.at(i).raw, '.') && text.Digits(r.at(i).raw) < 6
}

// strong reports whether a value is a number of something by its looks alone.
func strong(raw string) bool {
	n := text.Digits(raw)
	letters := strings.ContainsFunc(raw, unicode.IsLetter)
	groups := strings.FieldsFunc(raw, func(c rune) bool { return c == '-' || c == '/' || c == '_' })
	switch {
	case len(raw) > 64 || strings.ContainsAny(raw, ".,:'’"):
		return false
	case letters && raw != upper(raw):
		return false
	case letters:
		return n >= 5 || n >= 3 && len(groups) > 1 && len(raw) >= 7
	case len(groups) == 2 && isYear(groups[0]) && isYear(groups[1]):
		return false
	case len(groups) > 1:
		return n >= 7
	}
	return n >= 9
}

// groups returns the index after a value written in several pieces: a plate ("3AB 1234"), or three and more
// groups of digits ("1234 5678 9012").
func (r *Reading) groups(i int, plate bool) int {
	end := i + 1
	for !r.at(end - 1).last {
		l := r.at(end)
		fits := l.shape == number && !strings.ContainsAny(l.raw, ".,:") || plate && (l.shape == code || capitals(l)) && len(l.raw) <= 5
		if !fits || l.glued || r.followedByUnit(end) || end-i >= 8 {
			break
		}
		end++
	}

	if plate && end-i <= 3 {
		return end
	}
	if end-i >= 3 && r.at(i).shape == number && len(r.at(i).raw) >= 3 {
		return end
	}
	return i + 1
}

// bought labels a number without words of its own by a verb of buying in its sentence.
func (r *Reading) bought(i int) string {
	const reach = 12
	for j := i - 1; j >= 0 && j >= i-reach && !r.at(j).last; j-- {
		l := r.at(j)
		if l.shape != word {
			continue
		}
		if label := r.called(l, orderWord); label != "" {
			return label
		}
		if label := r.called(l, bought); label != "" {
			return label
		}
	}
	return ""
}

// iban reads an international account number, in one piece or in groups of four.
func (r *Reading) iban(i int) int {
	raw := r.at(i).raw
	if r.at(i).shape != code || len(raw) < 4 || raw != upper(raw) || !asciiLetters(raw[:2]) || text.Digits(raw[2:4]) != 2 {
		return 0
	}

	length, end := len(raw), i+1
	for len(raw) == 4 && !r.at(end-1).last && length < 34 {
		l := r.at(end)
		if l.glued || l.shape != number && l.shape != code || len(l.raw) > 4 || text.Digits(l.raw) == 0 {
			break
		}
		length += len(l.raw)
		end++
	}

	if length < 15 || length > 34 || strings.ContainsAny(raw, "-/_") || len(raw) > 4 && text.Digits(raw) < 12 {
		return 0
	}
	if len(raw) == 13 { // a parcel number such as RR123456789CZ
		return 0
	}
	r.add(Reference, i, end, "IBAN")
	return end
}

// spelled reads a code of capitals alone after a word that announces one: "booking reference QXZKLM".
func (r *Reading) spelled(i int) int {
	l := r.at(i)
	if !capitals(l) || len(l.raw) < 5 || len(l.raw) > 8 || l.fold == "iban" {
		return 0
	}
	c := r.cue(i)
	if c.strength < byNoun || c.gap > 1 || c.strength == byNoun && !r.w.classes(foldWord(c.label), "").has(booking) {
		return 0
	}
	if own, owned := r.owned(i); owned {
		c.label = own
	}
	r.add(Reference, i, i+1, c.label)
	return i + 1
}

func capitals(l lexeme) bool {
	if l.shape != word || len(l.raw) < 1 {
		return false
	}
	for _, c := range l.raw {
		if !unicode.IsUpper(c) {
			return false
		}
	}
	return true
}

func acronymAt(l lexeme) bool { return l.set.meets(in(acronym, weakAcronym, plate)) }

func numberless(l lexeme) bool {
	return !l.set.meets(in(numberWord, orderWord, referenceWord)) && len(l.raw) > 1
}

func asciiLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}
