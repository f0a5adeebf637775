package embed

import (
	"strings"
	"unicode"
)

// overlap is the share of a window that it has in common with the next one.
const overlap = 8

// windows cuts a text into pieces that the model can see whole, at white space, each overlapping the one before by an
// eighth. A text that fits is one piece, as it is. Tokens of other vocabularies are smaller, so a quarter is left free.
func (e *Embedder) windows(s string) []string {
	limit := max(e.c.Window*3/4, 1)
	if e.c.Tokens.Fits(s, limit) {
		return []string{s}
	}
	words := pieces(s, limit)
	sizes := make([]int, len(words))
	for i, w := range words {
		sizes[i] = e.c.Tokens.Count(w)
	}
	var out []string
	for from := 0; from < len(words); {
		to, size := from, 0
		for to < len(words) && (to == from || size+sizes[to] <= limit) {
			size += sizes[to]
			to++
		}
		out = append(out, strings.TrimSpace(strings.Join(words[from:to], "")))
		if to == len(words) {
			break
		}
		next := to
		for back := 0; next > from+1 && back+sizes[next-1] <= limit/overlap; next-- {
			back += sizes[next-1]
		}
		from = next
	}
	return out
}

// pieces cuts a text into words with the white space behind them; a word that may have more than limit tokens is cut
// into parts that cannot.
func pieces(s string, limit int) []string {
	var out []string
	start, inSpace := 0, false
	cut := func(end int) {
		if end > start {
			out = append(out, s[start:end])
			start = end
		}
	}
	for i, r := range s {
		space := unicode.IsSpace(r)
		if inSpace && !space || i-start >= limit { // a token has a byte at least
			cut(i)
		}
		inSpace = space
	}
	cut(len(s))
	return out
}
