package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

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

// At is the line before so many others.
func (s *said) At(i int) string { return s.lines[len(s.lines)-1-i] }
