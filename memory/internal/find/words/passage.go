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

// Passage is what a hit shows of a message: all of it, or of a long one the four stretches around the two neighbours that
// have most of the words found, with "…" where it goes on. Where none has any it is the beginning.
func Passage(s string, found []Match) string {
	if len(s) <= mostShown {
		return s
	}
	cuts := stretches(s)
	best, at, before := 0, 0, 0
	for i := range len(cuts) - 1 {
		has := told(s[cuts[i]:cuts[i+1]], found)
		if n := has + before; n > best {
			best, at = n, i
		}
		before = has
		if has == len(found) {
			break
		}
	}
	from := max(0, at-2)
	to := min(from+4, len(cuts)-1)
	out := strings.TrimSpace(s[cuts[from]:cuts[to]])
	if from > 0 {
		out = "… " + out
	}
	if to < len(cuts)-1 {
		out += " …"
	}
	return out
}

// stretches are the offsets at which a text is cut into stretches, at white space where there is some, the first 0 and the
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
