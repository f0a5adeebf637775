package spoken

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// least is how many letters a word has at least that can be told with one of them wrong.
const least = 6

// spelling is what words of commands look like.
type spelling struct {
	known map[string]bool   // words that are right as they are
	words map[rune][]string // by first letter: words that others are mended to
}

func newSpelling() spelling { return spelling{map[string]bool{}, map[rune][]string{}} }

// add takes up the words of an expression.
func (s *spelling) add(written string) {
	for _, f := range strings.FieldsFunc(written, func(r rune) bool { return strings.ContainsRune(" |?^$=", r) }) {
		if f = strings.ReplaceAll(text.Fold(f), "'", ""); strings.HasSuffix(f, "*") {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(f); !s.known[f] && utf8.RuneCountInString(f) >= least {
			s.words[first] = append(s.words[first], f)
		}
		s.known[f] = true
	}
}

// sort makes the order of the words that of the alphabet, whatever the order of the lists.
func (s *spelling) sort() {
	for _, words := range s.words {
		slices.Sort(words)
	}
}

// mend replaces words that have one letter wrong, and reports whether there are any.
func (s *spelling) mend(words []word) (mended bool) {
	for i := range words {
		w := &words[i].Word
		if w.Number || s.known[w.Fold] || len(w.Fold) < least-1 {
			continue
		}
		first, _ := utf8.DecodeRuneInString(w.Fold)
		candidates := s.words[first]
		if at := slices.IndexFunc(candidates, func(right string) bool { return near(w.Fold, right) }); at >= 0 {
			w.Fold, mended = candidates[at], true
		}
	}
	return mended
}

// near reports whether two words differ by one letter that is wrong, missing, too many or swapped with its neighbour, but for the
// first and the last two; the last two may be swapped.
func near(a, b string) bool {
	const letter = utf8.UTFMax
	if d := len(a) - len(b); d < -letter || d > letter || strings.IndexByte(b[max(0, len(b)-2*letter):], a[len(a)-1]) < 0 {
		return false // this spares most words the comparison below
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 || len(x) < 4 || x[0] != y[0] {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	j := 0
	for j < len(x)-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	left := len(x) - i - j
	switch {
	case len(x) != len(y):
		return left == 0 && (j >= 2 || j == 1 && i < len(x)-1)
	case left == 2 && x[i] == y[i+1] && x[i+1] == y[i]:
		return true
	}
	return left == 1 && j >= 2
}
