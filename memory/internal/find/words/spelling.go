package words

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minPrefix  = 4   // letters that words must share at the beginning
	minShare   = 0.6 // of the longer word that the shared beginning must be
	minEdit    = 5   // letters of a word from which one may differ, or some be alike
	nearWeight = 0.5 // of a word as near as can be
	minDice    = 0.4 // of the letter groups that alike words share
	maxNearby  = 3   // words that stand in for one that nobody wrote
	maxAlike   = 8   // words that are alike
)

// spellings finds words by how they are spelled.
type spellings struct {
	ends map[string][]uint32 // first two letters, last two letters -> lists
	sigs []signature         // by list; zero for what is not a word of letters
}

// add takes in the word of a list and returns what memory that took.
func (x *spellings) add(word string, n uint32) int64 {
	const bytes, sigBytes = 12, 36
	x.sigs = append(x.sigs, sign(word))
	if letters(word) < minPrefix {
		return sigBytes
	}
	begin, end := ends(word)
	x.ends[begin] = append(x.ends[begin], n)
	x.ends[end] = append(x.ends[end], n)
	return sigBytes + 2*bytes
}

// similar is a list whose word is spelled like another.
type similar struct {
	list      uint32
	dice      float64 // share of letter groups; 0 of a short word
	closeness float64 // only when asked for loosely
}

// similar finds the living lists whose words are most like this one, the most alike first. Loose takes in mistyped ones too.
func (t *tables) similar(word string, loose bool) []similar {
	size, least := letters(word), minDice
	if size < minPrefix || size < minEdit && !loose {
		return nil
	}
	if loose {
		least = minDice / 2
	}
	sig := sign(word)
	begin, end := ends(word)
	best := alikes{t: t}
	for _, key := range [...]string{begin, end} {
		for _, n := range t.spelled.ends[key] {
			s := similar{list: n, dice: sig.dice(t.spelled.sigs[n])}
			if s.dice < least {
				continue
			}
			l := &t.lists[n]
			if l.ownDF == 0 || l.word == word || key == end && strings.HasPrefix(l.word, begin[1:]) { // met already
				continue
			}
			if loose {
				s.closeness = closeness(word, l.word)
			}
			if size < minEdit {
				s.dice = 0
			}
			best.add(s)
		}
	}
	return best.kept
}

// alikes keeps the most alike, in order.
type alikes struct {
	t    *tables
	kept []similar
}

func (a *alikes) add(s similar) {
	if len(a.kept) == maxAlike {
		if a.compare(s, a.kept[maxAlike-1]) > 0 {
			return
		}
		a.kept = a.kept[:maxAlike-1]
	}
	at, _ := slices.BinarySearchFunc(a.kept, s, a.compare)
	a.kept = slices.Insert(a.kept, at, s)
}

func (a *alikes) compare(x, y similar) int {
	return cmp.Or(cmp.Compare(y.closeness, x.closeness), cmp.Compare(y.dice, x.dice), cmp.Compare(a.t.lists[x.list].word, a.t.lists[y.list].word))
}

// signature is the set of a word's letter groups: pairs and triples, its ends marked, each hashed to one of 256 bits.
type signature [4]uint64

func sign(word string) signature {
	var s signature
	const edge = 1
	a, b := uint32(edge), uint32(0)
	put := func(x uint32) {
		x *= 2654435761
		s[x>>30] |= 1 << (x >> 24 & 63)
	}
	next := func(c uint32) {
		if b == 0 {
			put(a<<11 ^ c)
			b = c
			return
		}
		put(b<<11 ^ c)
		put(a<<22 ^ b<<11 ^ c ^ 1<<31)
		a, b = b, c
	}
	for _, r := range word {
		next(uint32(r))
	}
	next(edge)
	return s
}

// dice is twice what both have, by what each has.
func (s signature) dice(o signature) float64 {
	both, each := 0, 0
	for i := range s {
		both += bits.OnesCount64(s[i] & o[i])
		each += bits.OnesCount64(s[i]) + bits.OnesCount64(o[i])
	}
	return 2 * float64(both) / float64(max(each, 1))
}

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
