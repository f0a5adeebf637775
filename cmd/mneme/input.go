package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

// The most that is read: of a file of data for eval and import, and of one line that is typed or piped into chat.
const (
	maxData = 1 << 30
	maxLine = 1 << 20
)

// openData opens a file that is read to its end, up to most bytes, or to the end of ctx. The caller closes it.
func openData(ctx context.Context, path string, most int64) (io.ReadCloser, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	return &bounded{file: f, path: path, most: most, left: most, stop: stop}, nil
}

// readAll reads a file of at most so many bytes.
func readAll(ctx context.Context, path string, most int64) ([]byte, error) {
	f, err := openData(ctx, path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	var coded *state.Error
	if err != nil && !errors.As(err, &coded) {
		err = state.Errorf(state.Unavailable, path, "cannot be read: %w", err)
	}
	return data, err
}

// bounded is a file that ends with an error when it is longer than most.
type bounded struct {
	file       *os.File
	path       string
	most, left int64
	stop       func() bool // the end of the context closes it no more
}

// Close closes the file.
func (b *bounded) Close() error {
	b.stop()
	return b.file.Close()
}

// Read reads as long as there is room.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, state.Errorf(state.Invalid, b.path, "has more than %d bytes; split it", b.most)
	}
	n, err := b.file.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	return n, err
}

// readUntil returns an input that ends with an error when ctx ends, also while it waits for more.
func readUntil(ctx context.Context, in io.Reader) io.Reader {
	var kept []byte
	return readFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if len(kept) < len(p) {
			kept = make([]byte, len(p))
		}
		came := begin(func() (int, error) { return in.Read(kept[:len(p)]) })
		select {
		case g := <-came:
			return copy(p, kept[:g.what]), g.err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
}

// got is what was read, or how the input ended.
type got[T any] struct {
	what T
	err  error
}

// begin reads behind the caller, who may give up: a read of a terminal or a pipe cannot be broken off, it ends with its line or with the process.
func begin[T any](read func() (T, error)) <-chan got[T] {
	came := make(chan got[T], 1)
	go func() {
		what, err := read()
		came <- got[T]{what, err}
	}()
	return came
}

type readFunc func(p []byte) (int, error)

// Read reads.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// prompter reads lines of an input that may block for ever, a terminal's, so that one who waits can give up.
type prompter struct {
	lines *bufio.Reader
	read  <-chan got[string] // nil until the first line
}

// next returns the next line with its end, as bufio.Reader.ReadString does. A longer line than maxLine is read over and
// Invalid. When ctx ends first the line that is then being read stays for the next call.
func (p *prompter) next(ctx context.Context) (string, error) {
	if p.read == nil {
		p.read = begin(p.one)
	}
	select {
	case t := <-p.read:
		p.read = nil
		return t.what, t.err
	case <-ctx.Done():
		return "", state.Errorf(state.Unavailable, "input", "was given up: %w", ctx.Err())
	}
}

// one reads a line.
func (p *prompter) one() (string, error) {
	var line []byte
	long := false
	for {
		part, err := p.lines.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return "", state.Errorf(state.Invalid, "input", "has a line of more than %d bytes; send the text in pieces", maxLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = state.Errorf(state.Unavailable, "input", "cannot be read: %w", err)
		}
		return string(line), err
	}
}

// toPredictions has a measurement write what it predicts to a file; nil = nobody wants it.
func toPredictions(path string, measure func(io.Writer) error) (err error) {
	if path == "" {
		return measure(nil)
	}
	file, err := os.Create(path)
	if err != nil {
		return state.Errorf(state.Unavailable, "predictions "+path, "cannot be written: %w", err)
	}
	out := bufio.NewWriter(file)
	defer func() { err = errors.Join(err, out.Flush(), file.Close()) }()
	return measure(out)
}
