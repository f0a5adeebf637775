package main

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// The editor's library ends a line at each line end of a paste, cuts what is typed at 4,096 characters, and takes Ctrl-C for the end of
// all. So keyReader goes between it and the terminal: line ends inside a paste are characters of their own until the message is whole, runs of
// typed characters are handed on as pastes, which have no limit, and Ctrl-C drops the line.

// Characters for private use that stand for keys while a message is typed.
const (
	breakKey     = '\uE00A' // a line end inside a paste
	tabKey       = '\uE009'
	interruptKey = '\uE003' // Ctrl-C
)

// pasted gives a message its line ends and tabs back.
func pasted() *strings.Replacer {
	return strings.NewReplacer(string(breakKey), "\n", string(tabKey), "\t")
}

const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// keyReader reads a terminal for the editor.
type keyReader struct {
	in    io.Reader
	raw   []byte       // read, and not looked at yet
	out   bytes.Buffer // to be handed on
	paste bool         // inside a paste of the terminal's
	back  bool         // the last character of it was a CR
}

// Read hands on what was typed.
func (k *keyReader) Read(p []byte) (int, error) {
	for k.out.Len() == 0 {
		buf := make([]byte, 4096)
		n, err := k.in.Read(buf)
		k.raw = append(k.raw, buf[:n]...)
		for len(k.raw) > 0 {
			used := k.take()
			if used == 0 {
				break
			}
			k.raw = k.raw[used:]
		}
		if err != nil && k.out.Len() == 0 {
			return 0, err
		}
	}
	return k.out.Read(p)
}

// take looks at what comes first and says how much of raw it was, 0 = more has to come.
func (k *keyReader) take() int {
	first := k.raw[0]
	switch {
	case first == 0x1b:
		return k.takeEscape()
	case k.paste:
		return k.takePasted()
	case first == 3:
		k.out.WriteString(string(interruptKey) + "\r")
		return 1
	case first < ' ' || first == 0x7f:
		k.out.WriteByte(first)
		return 1
	}

	// A run of characters is a paste for the editor.
	run := 0
	var text strings.Builder
	for run < len(k.raw) && k.raw[run] >= ' ' && k.raw[run] != 0x7f && utf8.FullRune(k.raw[run:]) {
		run += writeRune(&text, k.raw[run:])
	}
	if run > 0 {
		k.out.WriteString(pasteBegins + text.String() + pasteEnds)
	}
	return run
}

// takePasted takes a character of a paste.
func (k *keyReader) takePasted() int {
	if !utf8.FullRune(k.raw) {
		return 0
	}
	var text strings.Builder
	size := 1
	switch first := k.raw[0]; {
	case first == '\n' && k.back:
	case first == '\r' || first == '\n':
		text.WriteRune(breakKey)
	case first == '\t':
		text.WriteRune(tabKey)
	case first < ' ' || first == 0x7f: // of no use in a message
	default:
		size = writeRune(&text, k.raw)
	}
	k.back = k.raw[0] == '\r'
	k.out.WriteString(text.String())
	return size
}

// takeEscape takes a sequence that begins with ESC. Keys of the keypad in its other mode are as in the first.
func (k *keyReader) takeEscape() int {
	switch {
	case bytes.HasPrefix(k.raw, []byte(pasteBegins)) && !k.paste, bytes.HasPrefix(k.raw, []byte(pasteEnds)) && k.paste:
		k.paste = !k.paste
		k.out.Write(k.raw[:len(pasteBegins)])
		return len(pasteBegins)
	case k.paste && len(k.raw) < len(pasteEnds) && strings.HasPrefix(pasteEnds, string(k.raw)):
		return 0
	case k.paste:
		return 1
	}
	for i, c := range k.raw[1:] {
		if end := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '~'; end && !(c == 'O' && i == 0) {
			k.out.WriteString(strings.Replace(string(k.raw[:i+2]), "\x1bO", "\x1b[", 1))
			return i + 2
		}
	}
	return 0
}

// writeRune writes the first character of raw, ? for what is none, and says how long it was.
func writeRune(to *strings.Builder, raw []byte) int {
	c, size := utf8.DecodeRune(raw)
	if c == utf8.RuneError {
		c = '?'
	}
	to.WriteRune(c)
	return size
}

// shownKeys writes what the editor draws. What a terminal would obey, or not show, takes a place that is seen.
type shownKeys struct{ out io.Writer }

// Write writes p.
func (s shownKeys) Write(p []byte) (int, error) {
	shown := strings.Map(func(c rune) rune {
		switch {
		case c == breakKey:
			return '⏎'
		case c == tabKey:
			return ' '
		case c >= 0x80 && hidden(c):
			return '·'
		}
		return c
	}, string(p))
	_, err := io.WriteString(s.out, shown)
	return len(p), err
}
