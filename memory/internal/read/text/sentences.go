package text

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts s after . ! ? … and at line breaks; a full stop inside a token (20.2, e-mail addresses) does
// not cut, nor one that Continues says belongs to the word before it (8. května, 8. 5. 2023, Mr. Hill, např. v Brně).
func Sentences(s string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if part := strings.TrimSpace(s[start:end]); part != "" {
			out = append(out, part)
		}
		start = end
	}
	for i := 0; i < len(s); {
		end, kind := scan(s, i)
		if kind == gap && Ends(s, i) {
			flush(end)
		}
		i = end
	}
	flush(len(s))
	return out
}

// Ends reports whether the sign that begins at byte i of a text ends a sentence or a line.
func Ends(s string, i int) bool {
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == '\n' {
		return true
	}
	end := i + size
	next, n := utf8.DecodeRuneInString(s[end:])
	if !strings.ContainsRune(".!?…", r) || n > 0 && !unicode.IsSpace(next) {
		return false
	}
	if r != '.' || n == 0 {
		return true
	}
	before, rest := lastWord(s[:i])
	counted, _ := lastWord(rest)
	return !Continues(counted, before, firstWord(s[end:]))
}

// mostBeside bounds what is looked at on either side of a point, in bytes: what is longer is no abbreviation.
const mostBeside = 24

// lastWord returns the word with which a text ends, with the points in it, and what stands before that.
func lastWord(s string) (word, rest string) {
	s = strings.TrimRight(s, " \u00a0\u202f\t")
	at := len(s)
	for at > max(0, len(s)-mostBeside) {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && !unicode.Is(unicode.M, r) {
			break
		}
		at -= n
	}
	if dash := strings.LastIndexByte(s[at:], '-'); dash >= 0 && onlyDigits(s[at+dash+1:]) { // 20.-22. února
		at += dash + 1
	}
	return s[at:], s[:at]
}

// firstWord returns the word with which a text goes on in its line, "" where a sign stands there.
func firstWord(s string) string {
	s = strings.TrimLeft(s[:min(len(s), 2*mostBeside)], " \u00a0\u202f\t")
	end := strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-/", r)
	})
	if end < 0 {
		end = len(s)
	}
	return strings.TrimRight(s[:end], ".-/")
}

// Continues reports whether a point between two words belongs to the first, an ordinal, a part of a date or an abbreviation, and the sentence goes on behind
// it. Counted is the word before the two, which makes a year of the "г." behind it; each may be empty.
func Continues(counted, before, after string) bool {
	first, _ := utf8.DecodeRuneInString(after)
	digit, upper := unicode.IsDigit(first), unicode.IsUpper(first)
	word := Fold(before)
	is := loaded().points()
	switch {
	case before == "" || after == "":
		return false
	case onlyDigits(before):
		return len(before) <= 2 && (digit || unicode.IsLower(first) || is.months[Fold(after)] > 0)
	case strings.Trim(before, "0123456789.") == "": // 20.2. 2026, bis 10.12. überwiesen; and "stk mam 17.4. a pojistka konci 30.4."
		return (digit || unicode.IsLower(first) && !loaded().roles.Has("joins", Fold(after))) && strings.Count(before, ".") == 1
	case is.of["end"][word], is.of["counted"][word] && onlyDigits(strings.Trim(counted, ".")) && counted != "":
		return !upper
	case is.of["number"][word] && letter(after), is.of["number"][Fold(strings.Trim(counted, "."))] && letter(before): // č. p. 348
		return true
	case is.of["inside"][word], (is.of["number"][word] || strings.HasSuffix(word, "str")) && Digits(after) > 0, is.of["counted"][word]:
		return true
	}
	return initials(before)
}

// letter reports whether a word is one small letter.
func letter(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return unicode.IsLower(r) && n == len(word)
}

// Abbreviation reports whether a word is one that is written with a point, in any language: "např", "Ing".
func Abbreviation(word string) bool {
	word = Fold(word)
	for _, of := range loaded().points().of {
		if of[word] {
			return true
		}
	}
	return false
}

// initials reports whether a word is letters each with a point, as those of names: J, J.R, U.S.
func initials(word string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(word, "."), ".") {
		r, n := utf8.DecodeRuneInString(part)
		if n == 0 || n < len(part) || !unicode.IsLetter(r) || !strings.Contains(word, ".") && !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

// points are the words that are written with a point, by what stands behind it, and the months.
type points struct {
	of     map[string]map[string]bool
	months map[string]time.Month
}

func (t *tables) loadPoints() points {
	p := points{map[string]map[string]bool{}, t.loadCalendar().months}
	for _, line := range t.lines("abbreviations.txt") {
		kind, list, _ := strings.Cut(line, ":")
		if p.of[kind] == nil {
			p.of[kind] = map[string]bool{}
		}
		for w := range strings.FieldsSeq(list) {
			p.of[kind][Fold(w)] = true
		}
	}
	return p
}
