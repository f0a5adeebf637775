package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/mneme-graph/mneme/state"
)

// editor reads messages from a terminal: with a history, with editing, and with a paste of several lines as one message. The
// terminal is its own only while a message is typed; while a turn runs it is as it was, so that Ctrl-C ends the turn.
type editor struct {
	in, out *os.File
	edit    *term.Terminal
	dropped *string // what was typed when Ctrl-C was pressed
}

// newEditor makes an editor of a terminal.
func newEditor(in, out *os.File) *editor {
	e := &editor{in: in, out: out}
	e.edit = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keyReader{in: in}, shownKeys{out}}, "")
	e.edit.History = &said{}
	e.edit.AutoCompleteCallback = func(line string, _ int, key rune) (string, int, bool) {
		if key == interruptKey {
			e.dropped = &line
		}
		return "", 0, key == interruptKey
	}
	return e
}

// next reads a message. Ctrl-C drops what was typed; where nothing was, it is io.EOF, as Ctrl-D is.
func (e *editor) next(ctx context.Context, prompt string) (string, error) {
	for {
		e.dropped = nil
		line, err := e.typed(ctx, prompt)
		switch {
		case e.dropped != nil && *e.dropped == "":
			return "", io.EOF
		case e.dropped != nil:
			continue
		case len(line) > maxLine:
			return "", state.Errorf(state.Invalid, "input", "has a line of more than %d bytes; send the text in pieces", maxLine)
		}
		return pasted().Replace(line), err
	}
}

// typed reads a line as it was typed.
func (e *editor) typed(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", state.Errorf(state.Unavailable, "terminal", "cannot be read key by key: %w", err)
	}
	defer func() { _ = term.Restore(int(e.in.Fd()), before) }()
	if width, height, err := term.GetSize(int(e.out.Fd())); err == nil && width > 0 {
		_ = e.edit.SetSize(width, height)
	}
	e.edit.SetPrompt(prompt)
	e.edit.SetBracketedPasteMode(true)
	defer e.edit.SetBracketedPasteMode(false)

	select {
	case l := <-begin(e.edit.ReadLine):
		if errors.Is(l.err, term.ErrPasteIndicator) {
			l.err = nil
		}
		return l.what, l.err
	case <-ctx.Done():
		_, _ = io.WriteString(e.out, "\r\n")
		return "", state.Errorf(state.Unavailable, "input", "was given up: %w", ctx.Err())
	}
}

// said is the history of a conversation: what was typed, the last first, without blanks and repetitions.
type said struct{ lines []string }

const mostSaid = 1000

// Add notes a line.
func (s *said) Add(line string) {
	if strings.TrimSpace(line) == "" || len(s.lines) > 0 && s.lines[len(s.lines)-1] == line {
		return
	}
	s.lines = append(s.lines[max(0, len(s.lines)-mostSaid+1):], line)
}

// Len counts the lines.
func (s *said) Len() int { return len(s.lines) }

// At returns the line before so many others.
func (s *said) At(i int) string { return s.lines[len(s.lines)-1-i] }

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
