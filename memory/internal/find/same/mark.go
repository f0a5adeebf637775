package same

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// sort is what kind of value a mark is; values of different sorts are never compared.
type sort uint8

const (
	identifier sort = iota // names one thing: another value is another thing
	amount
	moment
	phone
	mail
	measure
	count // any other number
	sorts
)

// mark is a value of a record, written so that equal values are equal strings. moments are compared by their parts.
type mark struct {
	sort       sort
	canon      string
	when       when
	start, end int
	subject    bool
	label      string // what it is of: "price"
}

// marks reads the values of a record's text; the subject is the text up to byte cut.
func marks(body string, cut int, lang string) []mark {
	var out []mark
	hidden := labelled(body[:cut], "secret")
	for _, f := range facts.Extract(body, lang) {
		m, ok := markOf(f, hidden && f.Start >= cut)
		if !ok {
			continue
		}
		m.start, m.end, m.subject, m.label = f.Start, f.End, f.Start < cut, f.Label
		out = append(out, m)
	}
	return out
}

// markOf makes a mark of a fact, if it is a value of a known sort. A hidden one is what opens something, under whatever name.
func markOf(f facts.Fact, hidden bool) (mark, bool) {
	switch f.Kind {
	case facts.Reference, facts.Item:
		switch {
		case f.Kind == facts.Reference && (hidden || labelled(f.Label, "secret")):
			return mark{}, false // a password is a value like any other word
		case labelled(f.Label, "venue"):
			return mark{sort: count, canon: alphanumeric(f.Value)}, true
		}
		return mark{sort: identifier, canon: alphanumeric(f.Value)}, true
	case facts.Link:
		return mark{sort: identifier, canon: strings.TrimSuffix(text.Fold(f.Value), "/")}, true
	case facts.Price:
		return mark{sort: amount, canon: money(f.Value)}, true
	case facts.Date, facts.Deadline, facts.Time:
		w := whenOf(f.Value)
		return mark{sort: moment, canon: w.String(), when: w}, w != when{}
	case facts.Phone:
		return mark{sort: phone, canon: facts.PhoneKey(f.Value)}, true
	case facts.Email:
		return mark{sort: mail, canon: text.Fold(f.Value)}, true
	case facts.Measure:
		return mark{sort: measure, canon: strings.Join(text.Words(f.Value), "")}, true
	}
	return mark{}, false
}

// labelled reports whether a word of the label is one of an attribute.
func labelled(label, attribute string) bool {
	return slices.ContainsFunc(text.Words(label), func(w string) bool {
		return slices.ContainsFunc(roles().of(w), func(m meaning) bool { return m.role == value && m.attribute == attribute })
	})
}

// money returns an amount without spaces and separators of thousands, then the currency: "1 250,50 Kč" is "1250.5 czk".
func money(s string) string {
	var digits, unit strings.Builder
	for _, t := range text.Tokens(s) {
		for _, r := range t.Surface {
			switch {
			case unicode.IsDigit(r) || (r == '.' || r == ',') && digits.Len() > 0:
				digits.WriteRune(r)
			case unicode.IsLetter(r) || unicode.Is(unicode.Sc, r):
				unit.WriteRune(unicode.ToLower(r))
			}
		}
	}
	for _, r := range s {
		if unicode.Is(unicode.Sc, r) && unit.Len() == 0 {
			unit.WriteRune(r)
		}
	}
	return plainNumber(digits.String()) + " " + code(text.Fold(unit.String()))
}

// plainNumber drops separators of thousands and zeros behind the decimal point.
func plainNumber(s string) string {
	s = strings.Trim(strings.ReplaceAll(s, ",", "."), ".")
	at := strings.LastIndexByte(s, '.')
	if at < 0 {
		return s
	}
	whole, cents := strings.ReplaceAll(s[:at], ".", ""), s[at+1:]
	if len(cents) == 3 {
		return whole + cents
	}
	if cents = strings.TrimRight(cents, "0"); cents == "" {
		return whole
	}
	return whole + "." + cents
}

// code returns that of the currency a word or sign stands for, else the word.
func code(folded string) string {
	for _, m := range roles().of(folded) {
		if m.role == currency {
			return m.attribute
		}
	}
	return folded
}

// alphanumeric returns the letters and digits of an identifier in lower case.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text.Fold(s))
}

// agree reports whether two marks of one sort can be the same value, and whether the second says more.
func (m mark) agree(n mark) (same, more bool) {
	if m.sort == moment {
		return m.when.agree(n.when)
	}
	return m.canon == n.canon, false
}
