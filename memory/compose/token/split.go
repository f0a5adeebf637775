package token

import (
	"unicode"
	"unicode/utf8"
)

// class says which of the sets of the o200k_base pattern a rune is in.
type class uint8

const (
	upper   class = 1 << iota // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}
	lower                     // \p{Ll} \p{Lm} \p{Lo} \p{M}
	letter                    // \p{L}
	number                    // \p{N}
	space                     // \s
	newline                   // \r \n
)

// classes is a table of the first two planes of Unicode: all living scripts, and emoji.
type classes [0x20000]class

func newClasses() *classes {
	t := new(classes)
	for _, set := range []struct {
		table *unicode.RangeTable
		class class
	}{
		{unicode.Lu, upper | letter},
		{unicode.Lt, upper | letter},
		{unicode.Ll, lower | letter},
		{unicode.Lm, upper | lower | letter},
		{unicode.Lo, upper | lower | letter},
		{unicode.M, upper | lower},
		{unicode.N, number},
		{unicode.White_Space, space},
	} {
		for _, r := range set.table.R16 {
			t.add(rune(r.Lo), rune(r.Hi), rune(r.Stride), set.class)
		}
		for _, r := range set.table.R32 {
			t.add(rune(r.Lo), rune(r.Hi), rune(r.Stride), set.class)
		}
	}
	t['\r'] |= newline
	t['\n'] |= newline
	return t
}

func (t *classes) add(lo, hi, stride rune, c class) {
	for r := lo; r <= hi && int(r) < len(t); r += stride {
		t[r] |= c
	}
}

// at decodes the rune of s at i; at the end of s its size is 0 and it is in no class.
func (t *classes) at(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, 0
	}
	if s[i] < utf8.RuneSelf {
		return t[s[i]], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if int(r) < len(t) {
		return t[r], size
	}
	switch {
	case unicode.Is(unicode.Lo, r):
		return upper | lower | letter, size
	case unicode.Is(unicode.M, r):
		return upper | lower, size
	}
	return 0, size // beyond the second plane are ideographs, variation selectors and tags only
}

// run returns the end of the longest run at i of runes that are in some of the classes in.
func (t *classes) run(s string, i int, in class) int {
	for {
		c, size := t.at(s, i)
		if c&in == 0 {
			return i
		}
		i += size
	}
}

// piece returns the length of the first piece of s, which must not be empty. The pieces are what
// the o200k_base pattern matches; in its order:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func (t *classes) piece(s string) int {
	first, size := t.at(s, 0)
	if end := t.word(s, first, size); end > 0 {
		return suffixed(s, end)
	}
	switch {
	case first&number != 0:
		return t.digits(s)
	case first&space == 0:
		return t.marks(s, 0)
	case s[0] == ' ' && t.other(s, 1):
		return t.marks(s, 1)
	}
	return t.blank(s)
}

// word matches the first two alternatives but for their suffix; 0 = neither matches.
func (t *classes) word(s string, first class, size int) int {
	if first&(letter|number|newline) == 0 {
		if end := t.lowered(s, size); end > 0 {
			return end
		}
	}
	if end := t.lowered(s, 0); end > 0 {
		return end
	}
	from := 0
	if first&(letter|number|newline) == 0 {
		from = size
	}
	end := t.run(s, from, upper)
	if end == from {
		return 0
	}
	return end // no lower letter can follow, or the first alternative had matched
}

// lowered matches, at i, upper letters and then at least one lower one, and returns the end; 0 = no match.
// Letters of neither case are both, so the last one of the run of upper letters may serve as the lower one.
func (t *classes) lowered(s string, i int) int {
	caseless := 0
	for {
		c, size := t.at(s, i)
		if c&upper == 0 {
			break
		}
		i += size
		if c&lower != 0 {
			caseless = i
		}
	}
	if end := t.run(s, i, lower); end > i {
		return end
	}
	return caseless
}

// suffixed extends a word that ends at end by an English contraction.
func suffixed(s string, end int) int {
	if end+1 >= len(s) || s[end] != '\'' {
		return end
	}
	r, size := utf8.DecodeRuneInString(s[end+1:])
	next := byte(0)
	if end+2 < len(s) {
		next = s[end+2] | 0x20
	}
	switch r {
	case 's', 'S', 'ſ', 't', 'T', 'm', 'M', 'd', 'D':
		return end + 1 + size
	case 'r', 'R', 'v', 'V':
		if next == 'e' {
			return end + 3
		}
	case 'l', 'L':
		if next == 'l' {
			return end + 3
		}
	}
	return end
}

// digits matches one to three numbers.
func (t *classes) digits(s string) int {
	end := 0
	for range 3 {
		c, size := t.at(s, end)
		if c&number == 0 {
			break
		}
		end += size
	}
	return end
}

// other reports whether the rune at i is neither space nor letter nor number.
func (t *classes) other(s string, i int) bool {
	c, size := t.at(s, i)
	return size > 0 && c&(space|letter|number) == 0
}

// marks matches a run of other runes from i on, and the line ends and slashes behind it.
func (t *classes) marks(s string, i int) int {
	for t.other(s, i) {
		_, size := t.at(s, i)
		i += size
	}
	for i < len(s) && (s[i] == '\r' || s[i] == '\n' || s[i] == '/') {
		i++
	}
	return i
}

// blank matches white space: up to the last line end in the run, else all but the last space when a word follows.
func (t *classes) blank(s string) int {
	end, last, lines := 0, 0, 0
	for {
		c, size := t.at(s, end)
		if c&space == 0 {
			break
		}
		last = end
		end += size
		if c&newline != 0 {
			lines = end
		}
	}
	switch {
	case lines > 0:
		return lines
	case end == len(s) || last == 0:
		return end
	}
	return last
}
