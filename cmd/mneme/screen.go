package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// screen is the one way to a terminal. Text that memory, a model or a file holds may carry escape sequences and marks of
// direction: they are written so that people see them and the terminal does not obey. Line ends and tabs stay, and the
// colours of the command itself.
type screen struct {
	w     io.Writer
	brush string // what the command's own colours begin with; "" = it uses none
	begun []byte // of a character that the next write goes on with
}

// Write writes p with everything visible.
func (s *screen) Write(p []byte) (int, error) {
	text := append(s.begun, p...)
	whole := wholeRunes(text)
	s.begun = bytes.Clone(text[whole:])
	parts := []string{string(text[:whole])}
	if s.brush != "" {
		parts = strings.Split(parts[0], s.brush)
	}
	for i := range parts {
		parts[i] = visible(parts[i])
	}
	if _, err := io.WriteString(s.w, strings.Join(parts, "\x1b[")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// wholeRunes returns how much of text does not end inside a character.
func wholeRunes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// visible writes what a reader would not see, or a terminal would obey, as Go writes it in a string: \x1b, \u202e.
func visible(text string) string {
	var b strings.Builder
	last := ' '
	for len(text) > 0 {
		c, size := utf8.DecodeRuneInString(text)
		switch {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case hidden(c) && c != '\n' && c != '\t' && !joins(last, c):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		default:
			b.WriteString(text[:size])
		}
		last, text = c, text[size:]
	}
	return b.String()
}

// hidden reports whether a character has no shape of its own: controls, marks of format and direction, line ends of
// Unicode, and the selectors that can carry a text of their own.
func hidden(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || c >= 0xE0000 && c <= 0xE0FFF
}

// joins reports whether c is a joiner where scripts and emoji need one: after a sign, or a letter that changes its shape.
func joins(last, c rune) bool {
	return (c == '\u200c' || c == '\u200d') && unicode.In(last, unicode.So, unicode.Sk, unicode.Variation_Selector, unicode.Arabic,
		unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala)
}
