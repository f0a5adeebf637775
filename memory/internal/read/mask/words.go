package mask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a clause, without the signs around it.
type word struct {
	start, end int
	last       bool   // the clause ends behind it
	assigns    bool   // ":" or the like stands behind it
	lower      string // in lower case
	does       role
}

// is reports whether a word has one of some roles.
func (w word) is(r role) bool { return w.does&r != 0 }

// clause lists the words from a place to the end of the line or to a placeholder, and tells where a clause ends.
func (c cue) clause(s string, from int) []word {
	s = s[:min(len(s), from+clauseBytes)]
	var out []word
	for i := from; i < len(s) && len(out) < clauseWords && s[i] != '\n'; {
		if r, size := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
			i += size
			continue
		}
		if n := strings.IndexByte(s[i:], ']'); n > 0 && strings.HasPrefix(s[i:], opening) {
			return append(out, word{start: i, end: i + n + 1}) // that was the secret
		}
		end := tokenEnd(s, i)
		token := s[i:end]
		w := word{start: i + len(token) - len(strings.TrimLeft(token, `([{*`+quotes)), end: i + len(strings.TrimRight(token, `.,;:!?)]}*`+closing))}
		switch {
		case w.end > w.start && strings.Trim(token, "-–—→=") != "":
			tail := s[w.end:end]
			w.lower = strings.ToLower(s[w.start:w.end])
			w.does = c.in.does[w.lower]
			w.assigns = strings.Contains(tail, ":")
			w.last = strings.ContainsAny(tail, ".,;!?)")
			out = append(out, w)
		case len(out) > 0:
			out[len(out)-1].assigns = strings.ContainsAny(token, ":=-–—→")
		}
		i = end
	}
	if n := len(out); n > 0 && n < clauseWords {
		out[n-1].last = true
	}
	return out
}

// tokenEnd returns where the white space behind a place begins.
func tokenEnd(s string, at int) int {
	if n := strings.IndexFunc(s[at:], unicode.IsSpace); n >= 0 {
		return at + n
	}
	return len(s)
}

// headWords lists the last words of a cue's line before it.
func (c cue) headWords(s string) []word {
	const most = 12
	out := make([]word, 0, most)
	for end, from := c.start, lineStart(s, c.start); end > from && len(out) < most; {
		r, size := utf8.DecodeLastRuneInString(s[from:end])
		if unicode.IsSpace(r) {
			end -= size
			continue
		}
		start := from + strings.LastIndexFunc(s[from:end], unicode.IsSpace) + 1
		token := s[start:end]
		w := word{start: start + len(token) - len(strings.TrimLeft(token, around+"[{*")), end: start + len(strings.TrimRight(token, around+"]}*"))}
		if w.end > w.start {
			w.lower = strings.ToLower(s[w.start:w.end])
			w.does = c.in.does[w.lower]
			w.last = strings.ContainsAny(s[w.end:end], ".,;:!?)")
			out = append(out, w)
		}
		end = start
	}
	slices.Reverse(out)
	return out
}

// self returns the cue as a word.
func (c cue) self(s string) word {
	lower := strings.ToLower(s[c.start:c.end])
	return word{start: c.start, end: c.end, lower: lower, does: c.in.does[lower]}
}

// next returns the byte at a place, a space behind the end.
func next(s string, at int) byte {
	if at < len(s) {
		return s[at]
	}
	return ' '
}

// lineStart returns where the line of a place begins, or what of it is looked at.
func lineStart(s string, at int) int {
	from := max(0, at-clauseBytes)
	return from + strings.LastIndexByte(s[from:at], '\n') + 1
}

// first returns the first letter of a text.
func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
