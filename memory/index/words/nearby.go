package words

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	minPrefix  = 4   // letters that words must share at the beginning
	minShare   = 0.6 // of the longer word that the shared beginning must be
	minEdit    = 5   // letters from which one may differ
	maxNearby  = 3   // words that stand in for one
	nearWeight = 0.5 // of a word as near as can be
)

// lookup is a list that a query term leads to, and its weight: 1 for the word itself.
type lookup struct {
	list   uint32
	weight float64
}

// lookups finds the lists of a query term: its own, else those of nearby words, nearest first.
func (t *tables) lookups(word string) []lookup {
	if n, ok := t.words[word]; ok && t.lists[n].ownDF > 0 {
		return []lookup{{n, 1}}
	}
	if letters(word) < minPrefix {
		return nil
	}
	begin, end := ends(word)
	var out []lookup
	for _, key := range []string{begin, end} {
		for _, n := range t.near[key] {
			if t.lists[n].ownDF == 0 || slices.ContainsFunc(out, func(l lookup) bool { return l.list == n }) {
				continue
			}
			if c := closeness(word, t.lists[n].word); c > 0 {
				out = append(out, lookup{n, weight(c)})
			}
		}
	}
	slices.SortFunc(out, func(a, b lookup) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(t.lists[a.list].word, t.lists[b.list].word))
	})
	return out[:min(len(out), maxNearby)]
}

// weight rounds to 1/1024, so that sums of weighted counts are exact in any order.
func weight(closeness float64) float64 { return math.Round(nearWeight*closeness*1024) / 1024 }

// letters counts the runes of a word of letters only; of any other it is 0.
func letters(word string) int {
	n := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return 0
		}
		n++
	}
	return n
}

// ends returns the keys under which nearby words meet: the first and the last two runes. One edit leaves one of them as it was.
func ends(word string) (begin, end string) {
	_, a := utf8.DecodeRuneInString(word)
	_, b := utf8.DecodeRuneInString(word[a:])
	_, y := utf8.DecodeLastRuneInString(word)
	_, z := utf8.DecodeLastRuneInString(word[:len(word)-y])
	return "^" + word[:a+b], word[len(word)-y-z:] + "$"
}

// closeness of two words: the share of the longer that a common beginning makes up, or all but one letter of it when
// they differ by one letter missing, added, replaced or swapped with its neighbour; 0 if neither holds.
func closeness(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	longer := float64(len(y))
	same := 0
	for same < len(x) && x[same] == y[same] {
		same++
	}
	near := 0.0
	if share := float64(same) / longer; same >= minPrefix && share >= minShare {
		near = share
	}
	if len(x) >= minEdit && oneEdit(x[same:], y[same:]) {
		near = max(near, 1-1/longer)
	}
	return near
}

// oneEdit reports whether one edit turns x into y, which is not shorter and begins with another rune.
func oneEdit(x, y []rune) bool {
	switch {
	case len(y) == len(x)+1:
		return slices.Equal(x, y[1:])
	case len(y) != len(x) || len(x) == 0:
		return false
	case slices.Equal(x[1:], y[1:]):
		return true
	}
	return len(x) > 1 && x[0] == y[1] && x[1] == y[0] && slices.Equal(x[2:], y[2:])
}
