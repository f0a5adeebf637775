package whose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Names returns the names in texts, as stems: words with a capital that no sentence begins with, and codes such as BUY-42. A day, a month and
// a word that a dictionary knows are none.
func Names(texts ...string) (names []string) {
	for _, written := range texts {
		end := 0
		written = text.Head(written, mostRead)
		for _, t := range text.Cut(written) {
			first := end == 0 || strings.ContainsAny(written[end:t.Start], ".!?:;\n")
			end = t.End
			if isCode(t) || !first && isName(t) {
				names = append(names, t.FindStem())
			}
		}
	}
	return names
}

func isCode(t text.Token) bool {
	return t.Number && text.Digits(t.Surface) > 0 && strings.ContainsFunc(t.Surface, unicode.IsUpper)
}

func isName(t text.Token) bool {
	const shortest = 3
	r, _ := utf8.DecodeRuneInString(t.Surface)
	return unicode.IsUpper(r) && !t.Stop && !t.Number && utf8.RuneCountInString(t.Surface) >= shortest &&
		len(text.Related(t.FindStem())) == 0 && !text.TraitsOf(t.Surface).Timed && text.AskedBy("in "+t.Surface).Month == 0
}

// HasName reports whether the text has a name, in whatever case.
func (s Said) HasName(name string) bool {
	if s.Has(name) {
		return true
	}
	for _, t := range s.Terms {
		if alikeNames(t, name) {
			return true
		}
	}
	return false
}

// alikeNames reports whether two words may be one name in two cases: Pixel and Pixla, Zdenek and Zdenkovi.
func alikeNames(a, b string) bool {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	rest := max(len(x), len(y)) - n
	return n >= 3 && rest <= 2 || n >= 4 && rest <= 4 && text.Digits(a+b) == 0
}
