package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// endless is so many bytes of one letter, made while they are read.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	e.left -= n
	return n, nil
}

// A line of 100 MB is refused without being kept, and what stands after it is read.
func TestLongLine(t *testing.T) {
	chat := func(in io.Reader) (code int, out, errs string, used uint64) {
		var o, e bytes.Buffer
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code = run(t.Context(), []string{"chat", "--dir", t.TempDir()}, nil, in, &o, &e)
		runtime.ReadMemStats(&after)
		return code, o.String(), e.String(), after.TotalAlloc - before.TotalAlloc
	}
	const after = "\nI ordered tyres, order number TY-4411.\n/affairs\n"
	chat(strings.NewReader(after)) // what is read once in a process is no part of it
	_, _, _, without := chat(strings.NewReader(after))
	code, out, errs, used := chat(io.MultiReader(&endless{100 << 20}, strings.NewReader(after)))
	if code != 0 || !strings.Contains(errs, "a line of more than 1048576 bytes") || !strings.Contains(out, "ACTIVE") {
		t.Errorf("chat = %d, %q, %q, want the long line refused and the next one answered", code, out, errs)
	}
	if used > without+40<<20 {
		t.Errorf("chat took %d MB of memory, and %d without the long line, want at most 40 more", used>>20, without>>20)
	}
	if code, _, errs, _ = chat(&endless{100 << 20}); code != 2 {
		t.Errorf("chat of nothing else = %d, %q, want 2", code, errs)
	}
}

func TestPrompter(t *testing.T) {
	t.Parallel()
	p := &prompter{lines: bufio.NewReader(strings.NewReader("one\n" + strings.Repeat("b", maxLine-1) + "\n" + strings.Repeat("c", maxLine) + "\nlast"))}
	for _, want := range []struct {
		bytes int
		err   error
	}{{4, nil}, {maxLine, nil}, {0, state.ErrInvalid}, {4, io.EOF}, {0, io.EOF}} {
		line, err := p.next(t.Context())
		if len(line) != want.bytes || !errors.Is(err, want.err) {
			t.Errorf("line of %d bytes, %v, want %d and %v", len(line), err, want.bytes, want.err)
		}
	}
}

// Who waits at an input that is silent can give up, and what is typed afterwards is not lost.
func TestPrompterGivesUp(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	p := &prompter{lines: bufio.NewReader(in)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.next(ctx); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("error %v, want unavailable", err)
	}
	if _, err := io.WriteString(typing, "late\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := p.next(t.Context()); line != "late\n" || err != nil {
		t.Errorf("line %q, %v, want late", line, err)
	}
}

// A chat that waits for a line ends when the process is told to end.
func TestChatInterrupted(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	defer typing.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"chat", "--dir", t.TempDir()}, nil, in, &out, &errs); code != 5 || !strings.HasPrefix(errs.String(), "mneme: interrupted") {
		t.Errorf("chat = %d, %q, want 5 and interrupted", code, errs.String())
	}
}

// cancelling is an input during whose first line Ctrl-C is pressed.
type cancelling struct {
	io.Reader
	cancel context.CancelFunc
}

func (c cancelling) Read(p []byte) (int, error) {
	c.cancel()
	return c.Reader.Read(p)
}

// Ctrl-C while a turn runs is said too, whatever the turn has printed.
func TestTurnInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	code := run(ctx, []string{"chat", "--dir", t.TempDir()}, nil, cancelling{strings.NewReader("Hello!\n"), cancel}, &out, &errs)
	if code != 5 || !strings.Contains(errs.String(), "mneme: interrupted: what was finished is kept") {
		t.Errorf("chat = %d, %q, want 5 and interrupted", code, errs.String())
	}
}

// Files have a size from which they are refused; a device that never ends is no file.
func TestFilesTooLarge(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large.yaml")
	f, err := os.Create(large)
	if err == nil {
		err = errors.Join(f.Truncate(2<<30), f.Close()) // takes no room on the disk
	}
	must(t, err)
	brackets := filepath.Join(t.TempDir(), "config.yaml")
	write(t, brackets, "a: "+strings.Repeat("[", 80_000)+strings.Repeat("]", 80_000))
	for _, tt := range []struct{ args, says string }{
		{"replay " + large, "has more than 4194304 bytes"},
		{"doctor --config " + large, "has more than 4194304 bytes"},
		{"doctor --config /dev/zero", "/dev/zero: is no file"},
		{"doctor --config " + brackets, "config.yaml:1: is nested more than 64 deep"},
		{"doctor --dir " + filepath.Dir(brackets), "config.yaml:1: is nested more than 64 deep"},
		{"eval detect --data " + large, "16777216 bytes"},
		{"eval retrieval --data " + large, "large.yaml"},
		{"recall --limit 1001 x", "whole number from 1 to 1000"},
		{"recall --limit=-1 x", "whole number from 1 to 1000"},
		{"recall --limit 99999999999999999999 x", "--limit"},
	} {
		if got := mneme(t, "", nil, strings.Fields(tt.args)...); got.code != 2 || !strings.Contains(got.err, tt.says) {
			t.Errorf("mneme %s = %+v, want 2 and %q", tt.args, got, tt.says)
		}
	}
}
