package spoken

import (
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// word is a word or a sign of a message.
type word struct {
	fold     string // so that spelling without diacritics says the same
	from, to int    // bytes of it in the message
	letters  bool
	inside   bool // a sign within a sentence that parts nothing: the points of "22. 1.", the colon of "14:00"
	sentence int  // its number
}

// does reports whether the list says that of a word.
func (w word) does(role string) bool { return listed().Has(role, w.fold) }

// anyDoes reports whether one of some words does something.
func anyDoes(role string, words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.does(role) })
}

// split cuts a message into words and signs.
func split(message string) (words []word) {
	sentence, ended := 0, false
	for i := 0; i < len(message); {
		r, size := utf8.DecodeRuneInString(message[i:])
		end := i + size
		switch {
		case letter(r):
			for end < len(message) {
				r, size := utf8.DecodeRuneInString(message[end:])
				if !letter(r) {
					break
				}
				end += size
			}
			if ended {
				sentence++
			}
			ended = false
			words = append(words, word{fold: text.Fold(message[i:end]), from: i, to: end, letters: true, sentence: sentence})
		case !unicode.IsSpace(r) || r == '\n':
			ended = r == ';' || text.Ends(message, i)
			words = append(words, word{fold: message[i:end], from: i, to: end, inside: !ended && inside(message, i, end), sentence: sentence})
		}
		i = end
	}
	return words
}

// inside reports whether the sign at message[from:to], which ends no sentence, parts nothing: the point of an ordinal or an abbreviation, a sign between digits.
func inside(message string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(message[:from])
	after, _ := utf8.DecodeRuneInString(message[to:])
	return letter(before) && message[from:to] == "." || unicode.IsDigit(before) && unicode.IsDigit(after)
}

// letter reports whether a rune stands within a word; a picture says as much as one.
func letter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’' || unicode.Is(unicode.Mn, r) || text.Picture(r)
}

// at is a word, with marks for what stands before the first and behind the last.
func at(words []word, i int) string {
	switch {
	case i < 0:
		return "^"
	case i >= len(words):
		return "$"
	}
	return words[i].fold
}

// signsOf returns those of a whole message: its words, two in a row, the beginnings of two in a row, the first three by their place, all parts of three to
// five letters, the marks, and the length.
func signsOf(words []word) linear.Signs {
	s := make(linear.Signs, 0, 32*len(words)+8)
	long := 0
	for i := -1; i <= len(words); i++ {
		w, next := at(words, i), at(words, i+1)
		s.Add('w', w)
		s.Add('b', w, next)
		s.Add('h', head(w), head(next))
		if i >= 0 && i < 3 {
			s.Add('p', head(w), number(i))
		}
		switch {
		case i < 0 || i == len(words):
		case words[i].letters:
			long++
			for part := range parts(w) {
				s.Add('c', part)
			}
		default:
			s.Add('m', w)
		}
	}
	s.Add('l', number(min(9, long/3)))
	return s
}

// number writes a number below ten.
func number(n int) string { return string(rune('0' + n)) }

// head is the beginning of a word, which inflection leaves.
func head(w string) string {
	const letters = 5
	n := 0
	for i := range w {
		if n++; n > letters {
			return w[:i]
		}
	}
	return w
}

// parts returns the runs of three to five letters of a word with its edges.
func parts(w string) iter.Seq[string] {
	const shortest, longest = 3, 5
	return func(yield func(string) bool) {
		w := "<" + w + ">"
		var starts [64]int
		n := 0
		for i := range w {
			if n+1 == len(starts) {
				break
			}
			starts[n] = i
			n++
		}
		starts[n] = len(w)
		for long := shortest; long <= longest; long++ {
			for i := 0; i+long < n+1; i++ {
				if !yield(w[starts[i]:starts[i+long]]) {
					return
				}
			}
		}
	}
}
