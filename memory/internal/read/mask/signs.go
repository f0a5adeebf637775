package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sign stands in every secret of one kind.
type sign struct {
	text string // in lower case
	of   int    // which secret's
}

// signs finds signs by their first two bytes, in any case.
type signs struct {
	at    [1 << 16]uint8 // of a pair of bytes: the list it leads to, 0 = none
	lists [][]sign
}

func newSigns(secrets []secret) signs {
	var out signs
	out.lists = [][]sign{nil}
	for i, s := range secrets {
		for _, text := range s.signs {
			for _, pair := range pairs(text) {
				if out.at[pair] == 0 {
					out.at[pair] = uint8(len(out.lists))
					out.lists = append(out.lists, nil)
				}
				list := &out.lists[out.at[pair]]
				*list = append(*list, sign{text, i})
			}
		}
	}
	return out
}

// pairs are the first two bytes of a sign in every way of writing it that differs in case only.
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

// cases are the ways to write a letter that (?i) takes for the same.
func cases(r rune) []string {
	out := []string{string(r)}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		out = append(out, string(other))
	}
	return out
}

// in is the set of secrets, by their bits, whose sign stands in the text with what is likely behind it.
func (s *signs) in(text string, secrets []secret) (may uint64) {
	for i := 0; i+1 < len(text); i++ {
		list := s.at[uint16(text[i])<<8|uint16(text[i+1])]
		if list == 0 {
			continue
		}
		for _, sign := range s.lists[list] {
			if may&(1<<sign.of) != 0 {
				continue
			}
			if n, ok := begins(text[i:], sign.text); ok && secrets[sign.of].likely(text[i+n:]) {
				may |= 1 << sign.of
			}
		}
	}
	return may
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

// run knows what begins with so many bytes as keys are made of.
func run(n int) func(string) bool {
	return func(rest string) bool {
		if len(rest) < n {
			return false
		}
		for i := range n {
			c := rest[i]
			if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf || strings.IndexByte("._~+/-", c) >= 0) {
				return false
			}
		}
		return true
	}
}

// headed knows what may be the heading of a private key.
func headed(rest string) bool { return strings.HasPrefix(rest, " ") }

// assigned knows what gives a value to the name before it.
func assigned(rest string) bool {
	rest = strings.TrimLeft(rest, spaces)
	return rest != "" && (rest[0] == ':' || rest[0] == '=')
}

// spaced knows a key behind white space.
func spaced(rest string) bool {
	behind := strings.TrimLeft(rest, spaces)
	return len(behind) < len(rest) && run(16)(behind)
}

// credentials knows the name and the password in an address.
func credentials(rest string) bool {
	const ends = spaces + ":/@"
	name := strings.IndexAny(rest, ends)
	if name <= 0 || rest[name] != ':' {
		return false
	}
	rest = rest[name+1:]
	password := strings.IndexAny(rest, ends)
	return password > 0 && rest[password] == '@'
}
