package words

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// A hit shows of a long message a passage; the message itself is whole in Hit.Message.
const (
	mostShown = 4 << 10 // bytes of a message that a hit shows whole
	stretch   = mostShown / 4
)

// Tells reports whether a text has one of the words found.
func Tells(s string, found []Match) bool { return told(s, found) > 0 }

// Passage is what a hit shows of a message: all of it, or of a long one the four stretches around the two neighbours that
// have most of the words found, with "…" where it goes on. Where none has any it is the beginning. The second of the two are
// the bytes from..to of s.
func Passage(s string, found []Match) (passage string, from, to int) {
	// A short text is its own passage.
	if len(s) <= stretch {
		return s, 0, len(s)
	}

	// The two neighbours with the most words: one of them alone may have all.
	cuts := stretches(s)
	best, middle, before := 0, 0, 0
	for i := range len(cuts) - 1 {
		has := told(s[cuts[i]:cuts[i+1]], found)
		if n := has + before; n > best {
			best, middle = n, i
		}
		before = has
		if has == len(found) {
			break
		}
	}

	// A text that can be shown as a whole is; of a longer one four stretches around them.
	if len(s) <= mostShown {
		return s, cuts[middle], cuts[middle+1]
	}
	first := max(0, middle-2)
	last := min(first+4, len(cuts)-1)
	passage = strings.TrimSpace(s[cuts[first]:cuts[last]])
	if first > 0 {
		passage = "… " + passage
	}
	if last < len(cuts)-1 {
		passage += " …"
	}
	return passage, cuts[middle], cuts[middle+1]
}

// stretches returns the offsets at which a text is cut into stretches, at white space where there is some, the first 0 and the
// last its length.
func stretches(s string) []int {
	cuts := []int{0}
	for at := stretch; at < len(s); at = cuts[len(cuts)-1] + stretch {
		if i := strings.LastIndexAny(s[at-stretch/2:at], " \n\t"); i >= 0 {
			at += i + 1 - stretch/2
		}
		for !utf8.RuneStart(s[at]) {
			at--
		}
		cuts = append(cuts, at)
	}
	return append(cuts, len(s))
}

// told counts the words found that a text has.
func told(s string, found []Match) int {
	tokens, n := text.Tokens(s), 0
	for _, f := range found {
		if slices.ContainsFunc(tokens, func(t text.Token) bool { return t.Stem == f.Word }) {
			n++
		}
	}
	return n
}
