package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold makes spellings comparable: lower case, compatibility decomposition, marks removed, and the
// letters that Unicode does not decompose (ł, ß, ø, đ, æ) written plainly. Invalid UTF-8 becomes U+FFFD.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")) {
		writeFolded(&b, unicode.ToLower(r))
	}
	return b.String()
}

// writeFolded appends one decomposed, lower-case rune.
func writeFolded(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf:
		b.WriteByte(byte(r))
	case unicode.Is(unicode.M, r):
	case r == 'ł':
		b.WriteByte('l')
	case r == 'ß':
		b.WriteString("ss")
	case r == 'ø':
		b.WriteByte('o')
	case r == 'đ':
		b.WriteByte('d')
	case r == 'æ':
		b.WriteString("ae")
	case r == 'œ':
		b.WriteString("oe")
	case r == '’' || r == 'ʼ' || r == '‘':
		b.WriteByte('\'')
	default:
		b.WriteRune(r)
	}
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
