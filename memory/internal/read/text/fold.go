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
	for _, r := range s {
		plain := foldLetter(r)
		if plain == 0 {
			return foldAny(s)
		}
		b.WriteRune(plain)
	}
	return b.String()
}

// foldLetter folds the letters of the languages with word lists without decomposing them, which is most of the
// work of reading a message; 0 for any other sign.
func foldLetter(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case r == 'й' || r == 'Й':
		return 'и'
	case r == 'ё' || r == 'Ё':
		return 'е'
	case r >= 'а' && r <= 'я':
		return r
	case r >= 'А' && r <= 'Я':
		return r + 'а' - 'А'
	}
	if at := int(r) - 0xC0; at >= 0 && at < len(plainLatin) && plainLatin[at] != '.' {
		return rune(plainLatin[at])
	}
	return 0
}

// plainLatin are the letters from U+00C0 on without their marks; a point stands for what has no single plain letter.
const plainLatin = "aaaaaa.ceeeeiiii.nooooo.ouuuuy..aaaaaa.ceeeeiiii.nooooo.ouuuuy.yaaaaaaccccccccddddeeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll..llnnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzzs"

// foldAny is Fold of any text.
func foldAny(s string) string {
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

// Head returns the beginning of a text, at most so many bytes, cut between runes.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
