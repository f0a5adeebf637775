package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sign stands in every secret of one form, or announces one.
type sign struct {
	text string // in lower case
	form int    // which form's; -1 for a cue
	cue  announcer
}

// signs finds signs by their first two bytes, in any case.
type signs struct {
	at    [1 << 16]uint16 // of a pair of bytes: the list it leads to, 0 = none
	lists [][]sign
}

func newSigns(forms []form, known announcers) signs {
	out := signs{lists: [][]sign{nil}}
	for i, f := range forms {
		for _, text := range f.signs {
			out.add(sign{text: text, form: i})
		}
	}
	for text, a := range known {
		out.add(sign{text: text, form: -1, cue: a})
	}
	return out
}

func (s *signs) add(one sign) {
	for _, pair := range pairs(one.text) {
		if s.at[pair] == 0 {
			s.at[pair] = uint16(len(s.lists))
			s.lists = append(s.lists, nil)
		}
		list := &s.lists[s.at[pair]]
		*list = append(*list, one)
	}
}

// pairs returns the first two bytes of a sign in every way of writing it that differs in case only.
func pairs(text string) []uint16 {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	found := map[uint16]bool{}
	for _, a := range cases(first) {
		if len(a) > 1 {
			found[uint16(a[0])<<8|uint16(a[1])] = true
			continue
		}
		for _, b := range cases(second) {
			found[uint16(a[0])<<8|uint16(b[0])] = true
		}
	}
	var out []uint16
	for pair := range found {
		out = append(out, pair)
	}
	return out
}

// cases returns the ways to write a letter that (?i) takes for the same.
func cases(r rune) []string {
	out := []string{string(r)}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		out = append(out, string(other))
	}
	return out
}

// in returns the set of forms, by their bits, whose sign stands in the text with what is likely behind it, and the cues in the order in
// which they stand; of cues that begin together the longest.
func (s *signs) in(text string, forms []form) (may uint64, found []cue) {
	// The next two bytes tell which signs may stand here; most places have none.
	for i := 0; i+1 < len(text); i++ {
		list := s.at[uint16(text[i])<<8|uint16(text[i+1])]
		if list == 0 {
			continue
		}
		var here cue

		// A form is looked at until it is found once.
		for _, sign := range s.lists[list] {
			if sign.form >= 0 && may&(1<<sign.form) != 0 {
				continue
			}
			n, ok := begins(text[i:], sign.text)
			switch {
			case !ok:
			case sign.form < 0:
				if i+n > here.end && isWord(text, i, i+n) {
					here = cue{start: i, end: i + n, announcer: sign.cue}
				}
			case forms[sign.form].likely(text[i+n:]):
				may |= 1 << sign.form
			}
		}

		// The search goes on behind the longest cue.
		if here.end > 0 {
			found = append(found, here)
			i = here.end - 1
		}
	}
	return may, found
}

// isWord reports whether a cue stands by itself: no letter before it, none and no digit behind it. A name of a program's may end in it.
func isWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	capital := isUpper(text[start])
	camel := unicode.IsLower(before) && capital                                                                              // dbPassword
	joined := unicode.IsUpper(before) && capital && isUpper(text[end-1]) && start > 1 && end < len(text) && text[end] == '=' // PGPASSWORD=
	return (!unicode.IsLetter(before) && !unicode.IsDigit(before) || camel || joined) && !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '_'
}

// begins reports whether a text begins with a sign, in any case, and how many bytes of it that is.
func begins(text, sign string) (int, bool) {
	rest := text
	for _, want := range sign {
		if rest == "" {
			return 0, false
		}
		if c := rest[0]; rune(c) == want || 'A' <= c && c <= 'Z' && rune(c|0x20) == want {
			rest = rest[1:]
			continue
		}
		_, size := utf8.DecodeRuneInString(rest)
		if size == 1 || !strings.EqualFold(rest[:size], string(want)) {
			return 0, false
		}
		rest = rest[size:]
	}
	return len(text) - len(rest), true
}

// spaces is what \s stands for.
const spaces = " \t\n\f\r"
