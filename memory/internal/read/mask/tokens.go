package mask

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is what stands between blanks, without the signs around it; behind ":" or "=" begins another.
type token struct {
	start, end int
	lower      string // in lower case
	stem       string // its first letters
	shape      string // how it looks
	kind       string // the same more coarsely
	before     string // signs between it and the one before
	line       int    // which line it is on
}

// stemLetters is how many letters of a word's beginning its forms have in common.
const stemLetters = 5

// tokenise cuts a stretch into tokens.
func tokenise(s string) (out []token) {
	line, from := 0, 0
	add := func(start, end int) {
		t := token{start: start, end: end, lower: strings.ToLower(s[start:end]), line: line}
		t.stem = head(t.lower, stemLetters)
		t.shape, t.kind = shapeOf(s[start:end]), kindOf(s[start:end])
		t.before = signsIn(s[from:start])
		from = end
		out = append(out, t)
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if r == '\n' {
				line++
			}
			i += size
			continue
		}
		end := tokenEnd(s, i)
		cutToken(s, i, end, add)
		i = end
	}
	return out
}

// cutToken takes the signs off around what stands between blanks, and cuts it behind the first sign that assigns.
func cutToken(s string, start, end int, add func(start, end int)) {
	const open, shut = "([{<*_\"'`„“”‚‘’«»‹›", ".,;:!?)]}>*_\"'`“”‘’«»‹›…"
	trimmed := start + len(s[start:end]) - len(strings.TrimLeft(s[start:end], open))
	last := trimmed + len(strings.TrimRight(s[trimmed:end], shut))
	if last <= trimmed {
		return
	}
	word := s[trimmed:last]
	if at := strings.IndexAny(word, ":="); at > 0 && at+1 < len(word) && !strings.Contains(word, "://") && !clock(word) {
		add(trimmed, trimmed+at)
		cutToken(s, trimmed+at+1, end, add)
		return
	}
	if at := strings.IndexByte(word, '/'); at > 1 && at+2 < len(word) && !strings.Contains(word, "://") && strings.Count(word, "/") == 1 {
		add(trimmed, trimmed+at)
		add(trimmed+at+1, last)
		return
	}
	add(trimmed, last)
}

// clock reports whether a word is a time or other numbers.
func clock(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsLetter)
}

// head returns the first letters of a text.
func head(s string, letters int) string {
	n := 0
	for i := range s {
		if n == letters {
			return s[:i]
		}
		n++
	}
	return s
}

// signsIn returns the signs between two tokens: at most four.
func signsIn(between string) string {
	var b strings.Builder
	for _, r := range between {
		switch {
		case r == '\n':
			b.WriteByte('n')
		case unicode.IsSpace(r):
		case strings.ContainsRune("\"'`„“”‚‘’«»‹›", r):
			b.WriteByte('q')
		case strings.ContainsRune("-–—→", r):
			b.WriteByte('-')
		default:
			b.WriteRune(r)
		}
	}
	return head(b.String(), 4)
}

// shapeOf returns how a token looks: its kinds of letters, runs as one.
func shapeOf(s string) string {
	var b strings.Builder
	last := ' '
	for _, r := range s {
		k := r
		switch {
		case unicode.IsDigit(r):
			k = '9'
		case unicode.IsUpper(r):
			k = 'X'
		case unicode.IsLetter(r):
			k = 'x'
		}
		if k != last && b.Len() < 12 {
			b.WriteRune(k)
			last = k
		}
	}
	return b.String()
}

// lengthOf is about how long a token is.
func lengthOf(s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n <= 8:
		return strconv.Itoa(n)
	case n <= 12:
		return "12"
	case n <= 20:
		return "20"
	}
	return "+"
}

// kindOf returns a coarse shape: small letters, with a capital, digits, mixed, with signs.
func kindOf(s string) string {
	var lower, upper, digit, sign int
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digit++
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLetter(r):
			lower++
		default:
			sign++
		}
	}
	k := ""
	if lower > 0 {
		k += "a"
	}
	if upper > 0 {
		k += "A"
		if upper == 1 && unicode.IsUpper(firstRune(s)) {
			k += "1"
		}
	}
	if digit > 0 {
		k += "9"
		if digit > 3 {
			k += "+"
		}
	}
	if sign > 0 {
		k += "."
	}
	return k
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
