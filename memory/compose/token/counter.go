package token

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

const (
	ellipsis   = "…"
	chunkBytes = 512 // a longer piece is counted in chunks of so many bytes

	// longestToken is the size in bytes of the longest token of o200k_base (a run of spaces).
	longestToken = 128
	longestWord  = 64 // bytes; what is longer may be cut anywhere

	textCacheBytes  = 8 << 20
	pieceCacheBytes = 4 << 20
)

// Counter counts tokens of o200k_base. It is safe for concurrent use and best shared: its caches (12 MB at
// most) make text that was counted before nearly free. The vocabulary is loaded at the first use.
type Counter struct {
	load    sync.Once
	codec   *codec.Codec
	classes *classes
	texts   *cache
	pieces  *cache
}

// New makes a Counter; it loads nothing yet.
func New() *Counter {
	return &Counter{texts: newCache(textCacheBytes), pieces: newCache(pieceCacheBytes)}
}

// Count returns how many tokens s has; bytes that are not UTF-8 count as U+FFFD. Special tokens such as
// <|endoftext|> in s are ordinary text. The time is linear in the length of s.
func (c *Counter) Count(s string) int {
	if s == "" {
		return 0
	}
	if n, ok := c.texts.get(s); ok {
		return n
	}
	n, _ := c.measure(s, len(s)*len(string(utf8.RuneError)))
	c.texts.put(s, n)
	return n
}

// Fits reports whether s has at most limit tokens. It stops counting once it knows.
func (c *Counter) Fits(s string, limit int) bool {
	switch {
	case s == "":
		return limit >= 0
	case limit <= 0 || len(s) > limit*longestToken:
		return false
	}
	if n, ok := c.texts.get(s); ok {
		return n <= limit
	}
	n, end := c.measure(s, limit)
	if end < len(s) {
		return false
	}
	c.texts.put(s, n)
	return true
}

// Cut returns s when it fits in limit tokens, else the longest beginning of it that ends at a word and, with the
// "…" it is given, does. Where a word would take more than half of limit with it, the cut is between
// characters. Below 1 token it is "".
func (c *Counter) Cut(s string, limit int) string {
	if c.Fits(s, limit) {
		return s
	}
	if limit <= 0 {
		return ""
	}
	n, end := c.measure(s, limit-1)
	if left := limit - 1 - n; left > limit/2 {
		end += c.within(s[end:], left)
	} else {
		end = wordEnd(s, end)
	}
	for ; end > 0; end = shorter(s, end) {
		out := strings.TrimRightFunc(s[:end], unicode.IsSpace) + ellipsis
		if c.Fits(out, limit) {
			return out
		}
	}
	return ellipsis
}

// measure adds up pieces of s from its beginning for as long as the sum stays within limit, and returns the
// sum and where the pieces counted end; len(s) = all of s.
func (c *Counter) measure(s string, limit int) (n, end int) {
	c.load.Do(func() {
		c.codec = codec.NewO200kBase()
		c.classes = newClasses()
	})
	for end < len(s) {
		size := c.classes.piece(s[end:])
		more := c.piece(s[end:end+size], limit-n)
		if n+more > limit {
			return n, end
		}
		n, end = n+more, end+size
	}
	return n, end
}

// piece counts one piece, in chunks if it is long; a count above limit may be incomplete.
func (c *Counter) piece(s string, limit int) int {
	n := 0
	for s != "" && n <= limit {
		size := atRune(s, chunkBytes)
		n += c.chunk(s[:size])
		s = s[size:]
	}
	return n
}

// chunk counts a piece of bounded length. The library's pattern passes over U+007F, which is a token like any
// other control character: one of those is counted in its place.
func (c *Counter) chunk(s string) int {
	if len(s) == 1 && s[0] < utf8.RuneSelf {
		return 1
	}
	if n, ok := c.pieces.get(s); ok {
		return n
	}
	n, err := c.codec.Count(strings.ReplaceAll(s, "\x7f", "\x01"))
	if err != nil { // only of a strict codec, or a match that timed out: every byte a token is never too few
		n = len(s)
	}
	c.pieces.put(s, n)
	return n
}

// within returns the length of a beginning of the first piece of s that has at most limit tokens: whole
// chunks, then whole characters.
func (c *Counter) within(s string, limit int) int {
	end := 0
	for end < len(s) {
		size := atRune(s[end:], chunkBytes)
		n := c.chunk(s[end : end+size])
		if n > limit {
			break
		}
		limit, end = limit-n, end+size
	}
	low, high := 0, min(chunkBytes, len(s)-end)
	for low < high {
		middle := (low + high + 1) / 2
		if c.chunk(s[end:end+atRune(s[end:], middle)]) <= limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low == 0 {
		return end
	}
	return end + atRune(s[end:], low)
}

// atRune returns the greatest length up to limit at which s may be cut without splitting a character, at
// least that of one character.
func atRune(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	for size := limit; size > 0 && size > limit-utf8.UTFMax; size-- {
		if utf8.RuneStart(s[size]) {
			return size
		}
	}
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// wordEnd moves end back to the space before it, unless that is far: writing without spaces, a long run.
func wordEnd(s string, end int) int {
	if next, _ := utf8.DecodeRuneInString(s[end:]); unicode.IsSpace(next) {
		return end
	}
	near := max(0, end-longestWord)
	if at := strings.LastIndexFunc(s[near:end], unicode.IsSpace); near+at > 0 && at >= 0 {
		return near + at
	}
	return end
}

// shorter returns an end before end: without the last word if there is one before it, else without the last character.
func shorter(s string, end int) int {
	trimmed := strings.TrimRightFunc(s[:end], unicode.IsSpace)
	if at := strings.LastIndexFunc(trimmed, unicode.IsSpace); at > 0 {
		return at
	}
	_, size := utf8.DecodeLastRuneInString(trimmed)
	return len(trimmed) - size
}
