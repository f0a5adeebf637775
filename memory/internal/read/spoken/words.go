package spoken

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// word is a word of a message, with what stands around it.
type word struct {
	text.Word // Starts: a sentence begins with it

	start, end int    // bytes of the message
	after      string // up to the next word
	clause     bool   // a clause begins with it
	ends       bool   // a clause ends behind it
	stops      bool   // a sentence ends behind it
	quoted     bool
}

// split takes a message apart.
func split(message string) []word {
	tokens := text.Cut(message)
	out := make([]word, 0, len(tokens))
	before, starts, clause := 0, true, true
	quotes := 0
	for i, t := range tokens {
		next := len(message)
		if i+1 < len(tokens) {
			next = tokens[i+1].Start
		}
		for _, r := range message[before:t.Start] {
			quotes += strings.Count("\"“”„«»", string(r))
		}
		before = t.End
		w := word{Word: text.Word{Raw: t.Surface, Fold: t.Folded, Number: t.Number, Odd: t.Number, Starts: starts},
			start: t.Start, end: t.End, after: message[t.End:next], clause: clause, quoted: quotes%2 == 1}
		w.stops = next == len(message) || strings.ContainsAny(w.after, ".!?…\n")
		w.ends = w.stops || strings.ContainsAny(w.after, ",;:()–—") || strings.Contains(w.after, " -")
		starts, clause = w.stops, w.ends
		out = append(out, w)
	}
	return out
}

// spelling is what words of commands look like.
type spelling struct {
	known map[string]bool // words that are right as they are
	words []string        // words that others are mended to
}

// add takes up the words of a pattern.
func (s *spelling) add(written string, mends bool) {
	for _, f := range strings.FieldsFunc(written, func(r rune) bool { return strings.ContainsRune(" |?^$", r) }) {
		if f = strings.ReplaceAll(text.Fold(f), "'", ""); strings.HasSuffix(f, "*") {
			continue
		}
		const least = 5 // letters of a word that can be told with one of them wrong
		if !s.known[f] && mends && utf8.RuneCountInString(f) >= least {
			s.words = append(s.words, f)
		}
		s.known[f] = true
	}
}

// sort makes the order of the words that of the alphabet, whatever the order of the lists.
func (s *spelling) sort() { slices.Sort(s.words) }

// mend replaces words that have one letter wrong, and reports whether there are any.
func (k *knowledge) mend(words []word) (mended bool) {
	for i := range words {
		w := &words[i].Word
		if w.Number || k.spelling.known[w.Fold] {
			continue
		}
		if at := slices.IndexFunc(k.spelling.words, func(right string) bool { return near(w.Fold, right) }); at >= 0 {
			w.Fold, mended = k.spelling.words[at], true
		}
	}
	return mended
}

// near reports whether two words differ by one letter that is wrong, missing, too many or swapped with its neighbour, but for the
// first and the last two; the last two may be swapped.
func near(a, b string) bool {
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
