package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
)

// TestOtherProgramsRead has a connection without checksums move the log of a killed process into the file, as the
// sqlite3 command does: the store opens afterwards with all its documents.
func TestOtherProgramsRead(t *testing.T) {
	t.Parallel()
	docs, files := original(t, true)
	dir := t.TempDir()
	for name, b := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "store.db"), sqlite.OpenReadWrite)
	must(t, err)
	n, err := number(conn, "SELECT count(*) FROM steps")
	if err = errors.Join(err, conn.Close()); err != nil || n != 100 {
		t.Fatalf("another program finds %d steps, %v", n, err)
	}
	s, err := Open(t.Context(), Config{Dir: dir})
	must(t, err)
	defer s.Close()
	if err := errors.Join(readBack(t, s, docs, "after another program"), s.Check(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestFormat opens a store of a newer version, and one of before a collection was added.
func TestFormat(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := build(t, dir)
	want, err := everything(s)
	must(t, errors.Join(err, execute(s, "DROP TABLE snapshots"), s.Close()))
	if s, err = Open(ctx, Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(readBack(t, s, want, "an older store"), s.Write(ctx, sample(state.Snapshots, "a", 0, 10))); err != nil {
		t.Error(err)
	}
	must(t, errors.Join(execute(s, "PRAGMA user_version = 7"), s.Close()))
	s, err = Open(ctx, Config{Dir: dir})
	if s != nil || state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "its schema is 7, this program reads up to 1; update the program") {
		t.Errorf("Open = %v, want an Invalid error that says so", err)
	}
}

func FuzzUnpack(f *testing.F) {
	p, err := newPacker()
	must(f, err)
	d := sample(state.Affairs, "a", 1, 300)
	f.Add(p.pack(d)[4:])
	f.Add([]byte{})
	f.Add([]byte{2, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		value := append(make([]byte, 4), b...)
		sum := checksum(d, b)
		value[0], value[1], value[2], value[3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		if _, err := p.unpack(d, value); err != nil && !errors.Is(err, errValue) {
			t.Errorf("unpack = %v, want an error of the value", err)
		}
	})
}

func FuzzHighestMark(f *testing.F) {
	f.Add(append(encodeMark(7), encodeMark(3)...))
	f.Add([]byte("junk"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := highestMark(b); n > 0 && !bytes.Contains(b, encodeMark(n)) {
			t.Errorf("the highest mark is %d, which is not there", n)
		}
		if n := highestMark(append(encodeMark(1<<40), b...)); n < 1<<40 {
			t.Errorf("a mark of 1<<40 is overlooked: %d", n)
		}
	})
}

// TestWaitsNoLongerThanItsContext writes while another process has a transaction.
func TestWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := opened(t, dir), opened(t, dir)
	must(t, execute(other, "BEGIN IMMEDIATE"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Write(ctx, sample(state.Steps, "a", 0, 10)); !errors.Is(err, state.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Write behind another's transaction = %v, want it given up", err)
	}
	if err := errors.Join(execute(other, "ROLLBACK"), s.Write(t.Context(), sample(state.Steps, "a", 0, 10))); err != nil {
		t.Error(err)
	}
}

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// execute runs a statement on the connection that writes.
func execute(s *Store, text string) error {
	writer := <-s.writer
	defer func() { s.writer <- writer }()
	return query(writer, text, nil)
}
