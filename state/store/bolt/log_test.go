package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// crashed makes a store of n writes, the last of 700 bytes, that was never closed, and returns its files, the log without
// the room behind it, what it held after each write, and where in the log each of them ends.
func crashed(t *testing.T, n int) (db, log []byte, held [][]store.Doc, ends []int) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		size := 20
		if i == n-1 {
			size = 700
		}
		if err := s.Write(t.Context(), sample(state.Affairs, fmt.Sprintf("a/%d", i), 0, size), sample(state.Sessions, "s", int64(i), 5)); err != nil {
			t.Fatal(err)
		}
		docs, err := everything(s)
		if err != nil {
			t.Fatal(err)
		}
		held, ends = append(held, docs), append(ends, int(s.log.size.Load()))
	}
	db, dbErr := os.ReadFile(filepath.Join(dir, "store.db"))
	log, logErr := os.ReadFile(filepath.Join(dir, "store.log"))
	if err := errors.Join(dbErr, logErr, s.Close()); err != nil {
		t.Fatal(err)
	}
	written := ends[n-1]
	if len(log) == written || !isZero(log[written:]) {
		t.Errorf("the log is %d bytes of which %d are written: want zeros behind them", len(log), written)
	}
	return db, log[:written], held, ends
}

// TestTornTail cuts the log at every byte of its last entry, as a crash during the write does, and also
// leaves zeros where sectors were not written: the entry is as if never written, all before it is there,
// and the next write goes on.
func TestTornTail(t *testing.T) {
	t.Parallel()
	db, log, held, ends := crashed(t, 4)
	dir, from := t.TempDir(), ends[2]
	try := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "store.db"), db, 0o600); err != nil {
			t.Fatal(err)
		}
		if spoiled(t, dir, "store.log", b, held[2], what) {
			t.Errorf("%s: an error, want what was written before", what)
		}
	}
	for at := from; at < len(log); at++ {
		try(fmt.Sprintf("cut to %d of %d", at, len(log)), log[:at])
		if at%sector == 0 || at == from {
			try(fmt.Sprintf("zeros from %d", at), append(append([]byte(nil), log[:at]...), make([]byte, len(log)-at)...))
			try(fmt.Sprintf("more zeros from %d", at), append(append([]byte(nil), log[:at]...), make([]byte, 5000)...))
			hole := append([]byte(nil), log...)
			clear(hole[at:min(len(hole), at+sector-at%sector)])
			try(fmt.Sprintf("a hole at %d", at), hole)
		}
	}
}

func TestWriteAfterTornTail(t *testing.T) {
	t.Parallel()
	db, log, held, _ := crashed(t, 4)
	dir := t.TempDir()
	for name, b := range map[string][]byte{"store.db": db, "store.log": log[:len(log)-3]} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		s, err := Open(t.Context(), Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Write(t.Context(), sample(state.Affairs, fmt.Sprint("b/", i), 0, 20)); err != nil {
			t.Fatal(err)
		}
		docs, err := everything(s)
		if err != nil || len(docs) != len(held[2])+i+1 {
			t.Errorf("%d documents (%v), want %d", len(docs), err, len(held[2])+i+1)
		}
		b, err := os.ReadFile(filepath.Join(dir, "store.log"))
		if err := errors.Join(err, s.Close(), os.WriteFile(filepath.Join(dir, "store.db"), db, 0o600), os.WriteFile(filepath.Join(dir, "store.log"), b, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFlippedLog changes every byte of a log: all of it was acknowledged, so every change is found.
func TestFlippedLog(t *testing.T) {
	t.Parallel()
	db, log, held, _ := crashed(t, 4)
	dir := t.TempDir()
	for at := range log {
		b := append([]byte(nil), log...)
		b[at] ^= []byte{0xFF, 0x01, 0x80}[at%3]
		if err := os.WriteFile(filepath.Join(dir, "store.db"), db, 0o600); err != nil {
			t.Fatal(err)
		}
		if !spoiled(t, dir, "store.log", b, held[3], fmt.Sprintf("byte %d of the log flipped", at)) {
			t.Errorf("byte %d of %d flipped: no error", at, len(log))
		}
	}
}

// TestCutLog cuts a log anywhere: what comes back is what was held after some write, or, before the first, an error.
func TestCutLog(t *testing.T) {
	t.Parallel()
	db, log, held, ends := crashed(t, 5)
	dir := t.TempDir()
	for at := range log {
		whole := -1
		for i, end := range ends {
			if end <= at {
				whole = i
			}
		}
		var want []store.Doc
		if whole >= 0 {
			want = held[whole]
		}
		if err := os.WriteFile(filepath.Join(dir, "store.db"), db, 0o600); err != nil {
			t.Fatal(err)
		}
		if failed := spoiled(t, dir, "store.log", log[:at], want, fmt.Sprintf("log cut to %d", at)); failed != (at < logHeaderSize) {
			t.Errorf("log cut to %d: error %t", at, failed)
		}
	}
}

// TestLogErrors closes the log under the store: the write fails with a typed error, the next one works.
func TestLogErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if i%2 == 1 {
			if err := s.log.file.Close(); err != nil {
				t.Fatal(err)
			}
			err := s.Write(t.Context(), sample(state.Affairs, fmt.Sprint("lost/", i), 0, 9))
			if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "store.log") {
				t.Errorf("Write = %v, want an Unavailable error that names the log", err)
			}
		}
		if err := s.Write(t.Context(), sample(state.Affairs, fmt.Sprint("kept/", i), 0, 9)); err != nil {
			t.Errorf("Write: %v", err)
		}
	}
	docs, err := everything(s)
	if err := errors.Join(err, s.Close()); err != nil || len(docs) != 6 {
		t.Errorf("%d documents, %v, want 6", len(docs), err)
	}
}

func TestCommitRoundTrip(t *testing.T) {
	t.Parallel()
	want := []commit{
		{5, []change{{state.Affairs, "a", entry{1, []byte("body")}}, {state.Steps, "č/ž", entry{}}}},
		{6, []change{{state.Records, "b", entry{1 << 40, bytes.Repeat([]byte{0}, 2000)}}}},
	}
	b := encodeLogHeader(5)
	for _, c := range want {
		b = append(b, encodeCommit(c)...)
	}
	if isUnwritten(b, 0) {
		t.Error("a sector of the log is all zeros")
	}
	size := len(b)
	got, err := parseLog(b)
	if err != nil {
		t.Fatal(err)
	}
	text := cmp.Transformer("text", func(c commit) string { return fmt.Sprintf("%d %v", c.number, c.changes) })
	if diff := cmp.Diff(logContent{5, want, int64(size)}, got, cmp.AllowUnexported(logContent{}), text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewerLog(t *testing.T) {
	t.Parallel()
	b := encodeLogHeader(1)
	b[len(logMagic)] = 9
	copy(b[logHeaderSize-4:], []byte{byte(logSum(b[:logHeaderSize-4])), byte(logSum(b[:logHeaderSize-4]) >> 8), byte(logSum(b[:logHeaderSize-4]) >> 16), byte(logSum(b[:logHeaderSize-4]) >> 24)})
	if _, err := parseLog(b); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "newer version: 9, this program reads up to 1") {
		t.Errorf("parseLog = %v, want an Invalid error that names both versions", err)
	}
}

func FuzzParseLog(f *testing.F) {
	whole := append(encodeLogHeader(1), encodeCommit(commit{1, []change{{state.Affairs, "a", entry{1, []byte("body")}}}})...)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:logHeaderSize])
	f.Add(append(append([]byte(nil), whole...), make([]byte, 600)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := append([]byte(nil), b...)
		c, err := parseLog(b)
		if err != nil {
			return
		}
		again := encodeLogHeader(c.first)
		for _, k := range c.commits {
			again = append(again, encodeCommit(k)...)
		}
		if len(c.commits) > 0 && (c.size > int64(len(before)) || c.size < int64(logHeaderSize)) {
			t.Errorf("parsed %d of %d bytes", c.size, len(before))
		}
		if got, err := parseLog(again); err != nil || len(got.commits) != len(c.commits) || got.first != c.first {
			t.Errorf("what was read cannot be written and read again: %v", err)
		}
	})
}

func FuzzParseChanges(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 'c', 1, 'i', 1, 1, 'b'})
	f.Add([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		changes, ok := parseChanges(b)
		if !ok {
			return
		}
		e := encodeCommit(commit{1, changes})[entryHeadSize:]
		mask(e)
		again, ok := parseChanges(e)
		if !ok || len(again) != len(changes) {
			t.Errorf("%d changes became %d", len(changes), len(again))
		}
	})
}
