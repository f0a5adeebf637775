package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// token is a piece of a text: what stands between white space, parted where names are parted from values.
type token struct {
	start, end int
	fold       string // in lower case, without diacritics
	shape      string // its signs by kind, runs of one kind being one: "Aa9" of "Winter24"
	class      class
	letters    int
	before     string // the signs between it and the token before, without white space; a new line is one
	sentence   int    // its number
	hidden     bool   // a placeholder
	kind       int    // of secret that it speaks of, an index of kinds; -1 = none

	word, sign, stem, tail, form, made, gap uint32 // hashes: of a word whole or the shape of anything else, of a word's beginning or that shape, of the first
	// four letters, of the last three, of the shape, of the class, of the signs before it
}

// class says roughly what a token is made of.
type class string

const (
	wordClass   class = "w" // letters
	numberClass class = "n" // digits, perhaps with signs
	mixedClass  class = "m" // letters and digits, or letters of both cases in no order, or letters and signs
	pathClass   class = "p" // of an address
)

// split cuts a part of a text into tokens.
func split(s string, from, to int) []token {
	s = s[:to]
	out := make([]token, 0, (to-from)/6+1)
	sentence, gap := 0, from
	for at := from; at < len(s); {
		end := tokenEnd(s, at)
		hidden := placeholderAt(s[at:]) > 0
		if hidden {
			end = at + placeholderAt(s[at:])
		} else if end == at {
			_, size := utf8.DecodeRuneInString(s[at:])
			at += size
			continue
		}
		t := token{start: at, end: end, hidden: hidden}
		at = end
		if !hidden && !t.look(s) {
			continue
		}
		if t.before = s[gap:t.start]; t.before == " " {
			t.before = ""
		} else {
			t.before = strings.Map(dropSpace, t.before)
		}
		if len(out) > 0 && strings.ContainsAny(t.before, ".!?;\n") {
			sentence++
		}
		t.sentence, gap = sentence, t.end
		t.hash()
		out = append(out, t)
	}
	return out
}

// dropSpace drops white space but for new lines.
func dropSpace(r rune) rune {
	if r != '\n' && unicode.IsSpace(r) {
		return -1
	}
	return r
}

// placeholderAt is the length of the placeholder a text begins with, or 0.
func placeholderAt(s string) int {
	if !strings.HasPrefix(s, opening) {
		return 0
	}
	return strings.IndexByte(s[:min(len(s), longestPlaceholder)], ']') + 1
}

// Signs that part tokens wherever they stand, and those that do between letters, but not between digits: 10:30, 2026/11, 1.000.
const (
	parting    = `"'()[]{}<>|;,„“”«»‚‘’` + "`"
	partsNames = `=:/&`
)

// tokenEnd is where the token ends that begins at a place; the place itself where none does.
func tokenEnd(s string, at int) int {
	address := false
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r), strings.ContainsRune(parting, r), i > at && strings.HasPrefix(s[i:], opening):
			return i
		case strings.HasPrefix(s[i:], "://"):
			address, size = true, len("://")
		case !address && strings.ContainsRune(partsNames, r) && !(i > at && isDigit(s[i-1]) && isDigit(next(s, i+size))):
			return i
		}
		i += size
	}
	return len(s)
}

// next is the byte at a place, a space behind the end.
func next(s string, at int) byte {
	if at < len(s) {
		return s[at]
	}
	return ' '
}

// look takes off the signs at the ends, and fills in what the token is made of; false if nothing is left. A sign at the end of letters with digits may be of a
// password.
func (t *token) look(s string) bool {
	const ends = `.,;:!?*…-–—→#`
	whole := s[t.start:t.end]
	t.start += len(whole) - len(strings.TrimLeft(whole, ends))
	trimmed := strings.TrimRight(s[t.start:t.end], ends)
	if trimmed == "" {
		return false
	}
	if rest := s[t.start+len(trimmed) : t.end]; rest != "" && strings.ContainsAny(rest[:1], "!?*#") && hasDigit(trimmed) && hasLetter(trimmed) {
		trimmed = s[t.start : t.start+len(trimmed)+1]
	}
	t.end = t.start + len(trimmed)

	const shapeMost = 12 // bytes
	var shape []byte
	var letters, digits, signs, changes int
	for _, r := range trimmed {
		kind := byte('#')
		switch {
		case r < utf8.RuneSelf && isDigit(byte(r)):
			kind = '9'
			digits++
		case unicode.IsUpper(r):
			kind = 'A'
			letters++
		case unicode.IsLetter(r):
			kind = 'a'
			letters++
		default:
			if r < utf8.RuneSelf {
				kind = byte(r)
			}
			signs++
		}
		t.letters++
		if n := len(shape); n == 0 || shape[n-1] != kind {
			if changes++; n < shapeMost {
				shape = append(shape, kind)
			}
		}
	}
	t.shape, t.fold = string(shape), text.Fold(text.Head(trimmed, 64))
	switch {
	case strings.Contains(trimmed, "://") || strings.HasPrefix(trimmed, "www.") || strings.Contains(trimmed, "@") && strings.Contains(trimmed, ".") && digits == 0:
		t.class = pathClass
	case letters == 0:
		t.class = numberClass
	case digits > 0 || signs > 0 && strings.Trim(t.shape, "Aa-'.") != "" || changes > 2:
		t.class = mixedClass
	default:
		t.class = wordClass
	}
	return letters+digits > 0
}

// hash fills in the hashes and the kind.
func (t *token) hash() {
	t.form, t.made, t.gap = linear.Hash(t.shape), linear.Hash(string(t.class)), linear.Hash(t.before)
	t.stem, t.tail, t.kind = linear.Hash(head(t.fold, 4)), linear.Hash(tail(t.fold)), kindOf(t.fold)
	switch {
	case t.hidden:
		t.word, t.sign, t.kind = 1, 1, -1
	case t.class == wordClass:
		t.word, t.sign = linear.Hash(t.fold), linear.Hash(head(t.fold, 5))
	default:
		t.word, t.sign = t.form, t.form
	}
}

// head is the beginning of a word, which inflection leaves.
func head(w string, letters int) string {
	n := 0
	for i := range w {
		if n++; n > letters {
			return w[:i]
		}
	}
	return w
}

// tail is the end of a word.
func tail(w string) string {
	at := len(w)
	for range 3 {
		_, size := utf8.DecodeLastRuneInString(w[:at])
		at -= size
	}
	return w[at:]
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }
