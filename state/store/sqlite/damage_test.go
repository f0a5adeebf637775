package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

func sample(c state.Collection, id string, rev int64, size int) store.Doc {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: strings.Repeat(id+" ", size/(len(id)+1))}})
	if err != nil {
		panic(err)
	}
	return store.Doc{Collection: c, ID: id, Rev: rev, Body: body}
}

// build makes a store whose file has branches, free pages, tables of every size and a body in many pages.
func build(t testing.TB, dir string) *Store {
	t.Helper()
	ctx := context.Background()
	s, err := Open(ctx, Config{Dir: dir})
	must(t, err)
	var docs []store.Doc
	for i := range 150 {
		docs = append(docs, sample(state.Steps, fmt.Sprintf("c/t%d/%012d", i%3, i), 0, 100+i), sample(state.Records, fmt.Sprintf("c/u/%d", i*i), 0, 40))
	}
	noise, rng := make([]byte, 20<<10), rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	body, err := bson.Marshal(bson.D{{Key: "noise", Value: noise}})
	if err == nil {
		err = s.Write(ctx, append(docs, store.Doc{Collection: state.Messages, ID: "large", Body: body})...)
	}
	if err == nil {
		_, err = s.Delete(ctx, state.Steps, "c/t1/")
	}
	for i := 0; i < 20 && err == nil; i++ {
		err = s.Write(ctx, sample(state.Affairs, "a", int64(i), 50), sample(state.Feed, fmt.Sprintf("c/u/%012d", i), 0, 30))
	}
	must(t, err)
	return s
}

// everything reads every document, or returns the first error.
func everything(s *Store) (docs []store.Doc, err error) {
	for _, c := range store.Collections() {
		part, err := s.Scan(context.Background(), store.Query{Collection: c})
		if err != nil {
			return nil, err
		}
		docs = append(docs, part...)
	}
	return docs, nil
}

// original builds a store and returns its documents and files: as a Close leaves them, or as a crash does.
func original(t *testing.T, crash bool) (docs []store.Doc, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	s := build(t, dir)
	docs, err := everything(s)
	if err == nil && !crash {
		err = s.Close()
	}
	files = map[string][]byte{}
	for _, name := range []string{"store.db", "store.db-wal", "store.mark"} {
		b, readErr := os.ReadFile(filepath.Join(dir, name))
		if !errors.Is(readErr, os.ErrNotExist) {
			files[name], err = b, errors.Join(err, readErr)
		}
	}
	must(t, errors.Join(err, s.Close()))
	return docs, files
}

// spoiled opens a store with these files, and fails the test unless that ends in an error that is Internal, or in
// exactly the documents wanted, each of which can be got. It reports whether it was an error.
func spoiled(t *testing.T, files map[string][]byte, want []store.Doc, what string) bool {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	s, err := Open(context.Background(), Config{Dir: dir})
	if err == nil {
		err = readBack(t, s, want, what)
		err = errors.Join(err, s.Close())
	}
	if err != nil && (state.CodeOf(err) != state.Internal || !strings.Contains(err.Error(), filepath.Join(dir, "store.db")) || !strings.Contains(err.Error(), "move the folder away")) {
		t.Errorf("%s: %v (%s), want an Internal error that names the file and the way out", what, err, state.CodeOf(err))
	}
	return err != nil
}

func readBack(t *testing.T, s *Store, want []store.Doc, what string) error {
	t.Helper()
	got, err := everything(s)
	if err == nil && !equal(want, got) {
		t.Errorf("%s: %d documents came back without an error, want %d or other content", what, len(got), len(want))
	}
	for i := 0; i < len(want); i += 7 {
		d, getErr := s.Get(context.Background(), want[i].Collection, want[i].ID)
		if errors.Is(getErr, state.ErrNotFound) || getErr == nil && !bytes.Equal(d.Body, want[i].Body) {
			t.Errorf("%s: Get %s = %v, want it or an error", what, want[i].ID, getErr)
		}
		err = errors.Join(err, getErr)
	}
	return err
}

func equal(want, got []store.Doc) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i].Collection != got[i].Collection || want[i].ID != got[i].ID || want[i].Rev != got[i].Rev || !bytes.Equal(want[i].Body, got[i].Body) {
			return false
		}
	}
	return true
}

// changed is files with one of them replaced.
func changed(files map[string][]byte, name string, b []byte) map[string][]byte {
	out := map[string][]byte{}
	for n, old := range files {
		out[n] = old
	}
	if out[name] = b; b == nil {
		delete(out, name)
	}
	return out
}

// TestFlippedBytes changes single bytes of every file, densely where pages begin.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		docs, files := original(t, crash)
		for name, whole := range files {
			t.Run(fmt.Sprintf("%s, crash %t", name, crash), func(t *testing.T) {
				t.Parallel()
				found, tried := 0, 0
				for at := 0; at < len(whole); at++ {
					if in := at % pageBytes; in != at/pageBytes%120 && at%9001 != 0 && (at%7 != 0 || at > 128) {
						continue
					}
					b := bytes.Clone(whole)
					b[at] ^= []byte{0xFF, 0x01, 0x80, 0x04}[at%4]
					tried++
					if spoiled(t, changed(files, name, b), docs, fmt.Sprintf("byte %d of %d flipped", at, len(whole))) {
						found++
					}
				}
				t.Logf("%d bytes: %d flips, %d found, the others harmless", len(whole), tried, found)
			})
		}
	}
}

// TestCut cuts files off, takes them away, and puts zeros and other pages in their middle.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		docs, files := original(t, crash)
		for _, name := range []string{"store.db", "store.db-wal"} {
			whole := files[name]
			for at := 0; at < len(whole); at += 1 + len(whole)/23 {
				spoil := func(b []byte, how string) {
					if !spoiled(t, changed(files, name, b), docs, fmt.Sprintf("%s %s %d of %d, crash %t", name, how, at, len(whole), crash)) && how == "cut to" && (!crash || name != "store.db") {
						t.Errorf("%s cut to %d of %d bytes opens without a word", name, at, len(whole))
					}
				}
				spoil(whole[:at], "cut to")
				if page := at / pageBytes * pageBytes; page+2*pageBytes <= len(whole) {
					zeros, swapped := bytes.Clone(whole), bytes.Clone(whole)
					clear(zeros[page : page+pageBytes])
					spoil(zeros, "zeros at")
					tail := bytes.Clone(whole)
					clear(tail[page+pageBytes-512 : page+pageBytes])
					spoil(tail, "a sector of zeros behind")
					copy(swapped[page:], whole[page+pageBytes:page+2*pageBytes])
					copy(swapped[page+pageBytes:], whole[page:page+pageBytes])
					spoil(swapped, "swapped at")
				}
			}
			if whole != nil && !spoiled(t, changed(files, name, nil), docs, name+" removed") {
				t.Errorf("%s removed, crash %t: opens without a word", name, crash)
			}
		}
		spoiled(t, changed(files, "store.mark", nil), docs, "store.mark removed")
		spoiled(t, changed(files, "store.mark", []byte("junk")), docs, "store.mark is junk")
	}
}

// TestShorterThanItsLastCommit puts the file of before the last commits back: the error says how many there were.
func TestShorterThanItsLastCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, build(t, dir).Close())
	path := filepath.Join(dir, "store.db")
	older, err := os.ReadFile(path)
	must(t, err)
	s, err := Open(t.Context(), Config{Dir: dir})
	must(t, err)
	must(t, errors.Join(s.Write(t.Context(), sample(state.Affairs, "new", 0, 10)), s.Close(), os.WriteFile(path, older, 0o600)))
	_, err = Open(t.Context(), Config{Dir: dir})
	if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), "ends with commit 22, and 23 were acknowledged") {
		t.Errorf("Open = %v, want an Internal error that says what is missing", err)
	}
	must(t, os.Remove(filepath.Join(dir, "store.mark")))
	if s, err = Open(t.Context(), Config{Dir: dir}); err != nil {
		t.Fatalf("without the mark: %v", err)
	}
	if err := errors.Join(s.Write(t.Context(), sample(state.Affairs, "new", 0, 10)), s.Check(t.Context()), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestCheck damages a value behind the back of the checksums of pages.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := build(t, t.TempDir())
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Fatalf("Check of a sound store = %v", err)
	}
	must(t, execute(s, `UPDATE records SET id = 'c/u/0x' WHERE id = 'c/u/0'`))
	err := s.Check(t.Context())
	if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), `records "c/u/0x": its checksum does not match`) {
		t.Errorf("Check = %v, want an Internal error that names the document", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Check(ctx); !errors.Is(err, context.Canceled) || state.CodeOf(err) != state.Unavailable {
		t.Errorf("Check given up = %v, want context.Canceled as an Unavailable error", err)
	}
}

// A full disk is told with the way out, and a call that was given up with its cause.
func TestExplain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		says string
	}{
		"full":     {sqlite.ResultFull.ToError(), "make room and try again"},
		"deadline": {context.DeadlineExceeded, "given up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := explain("write store", "store.db", tt.err); !errors.Is(got, state.ErrUnavailable) || !errors.Is(got, tt.err) || !strings.Contains(got.Error(), tt.says) {
				t.Errorf("%v, want unavailable and %q", got, tt.says)
			}
		})
	}
}

var must = statetest.Must
