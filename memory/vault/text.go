package vault

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encode writes a text as one line of Markdown that shows it and does nothing else. decode gives it back exactly.
func encode(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	before := ' '
	for i, r := range s {
		rest := s[i+utf8.RuneLen(r):]
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case !shows(r), r == ' ' && (i == 0 || rest == ""), r == '%' && strings.HasPrefix(rest, "%"):
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case strings.ContainsRune(`\<[`, r), r == '&' && strings.HasPrefix(rest, "#"), r == '^' && unicode.IsSpace(before),
			i == 0 && strings.ContainsRune("#>-+*|~=_`", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// shows reports whether a character is seen, or is a blank. Joiners are needed within words and emoji.
func shows(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d', r == '\u00a0':
		return true
	case r == utf8.RuneError:
		return true
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// decode reads a line that encode or a person wrote: a backslash before punctuation, <br> and decimal character references stand for something,
// all else for itself.
func decode(s string) string {
	if !strings.ContainsAny(s, `\<&`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		text, n := decodeOne(s)
		b.WriteString(text)
		s = s[n:]
	}
	return b.String()
}

// decodeOne returns what a line begins with, and how many bytes that has.
func decodeOne(s string) (string, int) {
	switch s[0] {
	case '\\':
		if len(s) > 1 && s[1] < utf8.RuneSelf && (unicode.IsPunct(rune(s[1])) || unicode.IsSymbol(rune(s[1]))) {
			return s[1:2], 2
		}
	case '<':
		for _, tag := range []string{"<br>", "<br/>", "<br />"} {
			if len(s) >= len(tag) && strings.EqualFold(s[:len(tag)], tag) {
				return "\n", len(tag)
			}
		}
	case '&':
		if digits, _, ok := strings.Cut(s, ";"); ok && strings.HasPrefix(digits, "&#") && len(digits) < 10 {
			n, err := strconv.ParseUint(digits[2:], 10, 32)
			if err == nil && utf8.ValidRune(rune(n)) {
				return string(rune(n)), len(digits) + 1
			}
		}
	}
	return s[:1], 1
}

// block returns a text of several lines, quoted, so that none of them is anything but text.
func block(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString(strings.TrimRight("> "+encode(strings.TrimSpace(line)), " ") + "\n")
	}
	return b.String()
}
