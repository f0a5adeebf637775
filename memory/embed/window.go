package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// overlap is the share of a window that it has in common with the next one, at most: one in so many.
const overlap = 8

// windows cuts a text into pieces that the model can see whole, at white space, each overlapping the one before by up
// to an eighth. A text that fits is one piece, as it is. Tokens of other vocabularies are smaller, so a quarter is left
// free. No window is empty.
func (e *Embedder) windows(s string) []string {
	limit := max(e.c.Window*3/4, 1)
	if e.c.Tokens.Fits(s, limit) {
		return []string{s}
	}
	all := e.pieces(strings.TrimSpace(s), limit)
	sizes := make([]int, len(all))
	for i, w := range all {
		sizes[i] = e.c.Tokens.Count(w)
	}
	var out []string
	for _, r := range ranges(sizes, limit) {
		if w := strings.TrimSpace(strings.Join(all[r.from:r.to], "")); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// words is a range of a text's words.
type words struct{ from, to int }

// ranges covers words of these sizes with ranges of at most limit together, or of one word, each with a few words of the
// one before and at least one more.
func ranges(sizes []int, limit int) []words {
	var out []words
	for from := 0; from < len(sizes); {
		to, size := from, 0
		for to < len(sizes) && (to == from || size+sizes[to] <= limit) {
			size += sizes[to]
			to++
		}
		out = append(out, words{from, to})
		if to == len(sizes) {
			break
		}
		from = back(sizes, from, to, limit)
	}
	return out
}

// back returns where the window behind words from to to begins: some words before to, if they leave room for the word at to,
// and always behind from.
func back(sizes []int, from, to, limit int) int {
	room := min(limit/overlap, limit-sizes[to])
	for to > from+1 && sizes[to-1] <= room {
		to--
		room -= sizes[to]
	}
	return to
}

// pieces cuts a text into words with the white space behind them. A word of more than limit tokens is cut into pieces
// of a few characters, so that windows overlap in it too: writing without spaces, base64.
func (e *Embedder) pieces(s string, limit int) []string {
	var out []string
	add := func(word string) {
		if e.c.Tokens.Fits(word, limit) {
			out = append(out, word)
			return
		}
		for word != "" {
			n := atRune(word, max(limit/overlap, 1)) // a token has a byte at least
			out, word = append(out, word[:n]), word[n:]
		}
	}
	start, inSpace := 0, false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if inSpace && !space {
			add(s[start:i])
			start = i
		}
		inSpace = space
	}
	if start < len(s) {
		add(s[start:])
	}
	return out
}

// atRune returns the greatest length up to limit at which s can be cut between characters, at least that of one.
func atRune(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	for n := limit; n > 0 && n > limit-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// halves cuts a window that the model found too long near its middle, at white space if there is some not far; ok is
// false for one so short that its length cannot be the matter.
func halves(s string) (first, second string, ok bool) {
	const least = 64 // bytes
	if len(s) < least {
		return "", "", false
	}
	cut := atRune(s, len(s)/2)
	if at := strings.LastIndexFunc(s[:cut], unicode.IsSpace); at > cut/2 {
		cut = at
	}
	first, second = strings.TrimSpace(s[:cut]), strings.TrimSpace(s[cut:])
	return first, second, first != "" && second != ""
}
