package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func sample(c state.Collection, id string, rev int64, size int) store.Doc {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: strings.Repeat(id+" ", size/(len(id)+1))}})
	if err != nil {
		panic(err)
	}
	return store.Doc{Collection: c, ID: id, Rev: rev, Body: body}
}

// build makes a store whose file has branches, free pages, buckets of every size and, with large, a body
// in pieces; whether it is closed or left as a crash leaves it is up to the caller.
func build(t testing.TB, dir string, logBytes int, large bool) *Store {
	t.Helper()
	ctx := context.Background()
	s, err := Open(ctx, Config{Dir: dir, LogBytes: logBytes})
	if err != nil {
		t.Fatal(err)
	}
	var docs []store.Doc
	for i := range 150 {
		docs = append(docs, sample(state.Steps, fmt.Sprintf("c/t%d/%012d", i%3, i), 0, 100+i), sample(state.Records, fmt.Sprintf("c/u/%d", i*i), 0, 60))
	}
	if large {
		noise, rng := make([]byte, 300<<10), rand.New(rand.NewPCG(1, 2))
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		body, err := bson.Marshal(bson.D{{Key: "noise", Value: noise}})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, store.Doc{Collection: state.Messages, ID: "large", Body: body}, sample(state.Messages, "packed", 0, 300<<10))
	}
	err = s.Write(ctx, docs...)
	if err == nil {
		_, err = s.Delete(ctx, state.Steps, "c/t1/")
	}
	for i := 0; i < 30 && err == nil; i++ {
		err = s.Write(ctx, sample(state.Affairs, "a", int64(i), 50), sample(state.Feed, fmt.Sprintf("c/u/%012d", i), 0, 30))
	}
	if err != nil {
		t.Fatal(err)
	}
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

// spoiled opens a store one of whose files was changed to b, and fails the test unless that ends in an
// error of the right code, or in exactly the documents wanted. It reports whether it was an error.
func spoiled(t *testing.T, dir, name string, b []byte, want []store.Doc, what string) bool {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), Config{Dir: dir})
	if err == nil {
		s.base.db.NoSync = true // nobody cuts the power meanwhile
		got, readErr := everything(s)
		if readErr == nil && !equal(want, got) {
			t.Errorf("%s: %d documents came back without an error, want %d or other content", what, len(got), len(want))
		}
		err = errors.Join(readErr, s.Close())
	}
	if err != nil && (state.CodeOf(err) != state.Internal || !strings.Contains(err.Error(), filepath.Join(dir, "store.")) || !strings.Contains(err.Error(), "move the folder away")) {
		t.Errorf("%s: %v (%s), want an Internal error that names the file and the way out", what, err, state.CodeOf(err))
	}
	return err != nil
}

func equal(want, got []store.Doc) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i].Collection != got[i].Collection || want[i].ID != got[i].ID || want[i].Rev != got[i].Rev || string(want[i].Body) != string(got[i].Body) {
			return false
		}
	}
	return true
}

// original builds a store and returns its documents and the bytes of its files; the log's are nil if it
// was closed.
func original(t *testing.T, logBytes int, large, closed bool) (docs []store.Doc, db, log []byte) {
	t.Helper()
	dir := t.TempDir()
	s := build(t, dir, logBytes, large)
	docs, err := everything(s)
	if err != nil {
		t.Fatal(err)
	}
	if !closed {
		log, err = os.ReadFile(filepath.Join(dir, "store.log"))
		log = log[:min(int64(len(log)), s.log.size.Load())]
	} else {
		err = s.Close()
	}
	db, dbErr := os.ReadFile(filepath.Join(dir, "store.db"))
	if err := errors.Join(err, dbErr); err != nil {
		t.Fatal(err)
	}
	if !closed {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return docs, db, log
}

// TestFlippedBytes changes single bytes of store.db, densely where pages begin and sparsely elsewhere.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{true, false} {
		for _, size := range []string{"small", "with a large body"} {
			t.Run(fmt.Sprintf("%s, closed %t", size, closed), func(t *testing.T) {
				t.Parallel()
				docs, db, log := original(t, 4000, size != "small", closed)
				dir, found, tried := t.TempDir(), 0, 0
				step := 211
				if size != "small" {
					step = 12007
				}
				for at := 0; at < len(db); at++ {
					if in := at % 4096; at%step != 0 && (in > 80 || in%5 != at/4096%5 || at > 60*4096) {
						continue
					}
					if log != nil {
						if err := os.WriteFile(filepath.Join(dir, "store.log"), log, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					b := append([]byte(nil), db...)
					b[at] ^= []byte{0xFF, 0x01, 0x80, 0x04}[at%4]
					tried++
					if spoiled(t, dir, "store.db", b, docs, fmt.Sprintf("byte %d of %d flipped", at, len(db))) {
						found++
					}
				}
				t.Logf("%d bytes: %d flips, %d found, the others harmless", len(db), tried, found)
			})
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	docs, db, _ := original(t, 4000, false, true)
	dir, found := t.TempDir(), 0
	for at := 0; at < len(db); at++ {
		if in := at % 4096; in > 1 && in != 16 && in < 4095 && at%1000 != 0 {
			continue
		}
		if spoiled(t, dir, "store.db", db[:at], docs, fmt.Sprintf("cut to %d of %d bytes", at, len(db))) {
			found++
		}
	}
	if found < len(db)/4096 {
		t.Errorf("only %d cuts were found", found)
	}
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	_, db, _ := original(t, 4000, false, true)
	rng := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 64<<10)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	tests := map[string][]byte{
		"empty": {}, "one byte": {1}, "text": []byte(strings.Repeat("not a store\n", 1000)), "zeros": make([]byte, 64<<10), "noise": noise,
		"noise behind the meta pages": append(append([]byte(nil), db[:8192]...), noise...),
	}
	for name, b := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if !spoiled(t, dir, "store.db", b, nil, name) {
				t.Error("opened without an error")
			}
			path := filepath.Join(dir, "store.db")
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), Config{Dir: dir})
			if err != nil {
				t.Fatalf("Open after the file was moved away: %v", err)
			}
			if err := errors.Join(s.Write(t.Context(), sample(state.Affairs, "a", 0, 10)), s.Close()); err != nil {
				t.Errorf("in the new store: %v", err)
			}
		})
	}
}

// TestDamageWhileOpen takes pages from under an open store, or writes over them: every call answers, with
// an error or rightly, and the folder is free afterwards.
func TestDamageWhileOpen(t *testing.T) {
	t.Parallel()
	for _, from := range []int64{0, 4096, 3 * 4096, 10 * 4096} {
		for _, how := range []string{"cut", "zeros", "noise"} {
			t.Run(fmt.Sprint(how, " from ", from), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := build(t, dir, 4000, false).Close(); err != nil {
					t.Fatal(err)
				}
				s, err := Open(t.Context(), Config{Dir: dir, LogBytes: 100})
				if err != nil {
					t.Fatal(err)
				}
				want, err := everything(s)
				if err != nil {
					t.Fatal(err)
				}
				if err := spoil(filepath.Join(dir, "store.db"), how, from); err != nil {
					_ = s.Close()
					t.Skipf("this system does not let a file in use be changed: %v", err)
				}
				callAll(t, s, want)
				_ = s.Close() // may say that the store is damaged, and must return
				if s, err = Open(t.Context(), Config{Dir: dir}); err == nil {
					_ = s.Close()
				} else if state.CodeOf(err) != state.Internal {
					t.Errorf("Open = %v (%s), want an Internal error", err, state.CodeOf(err))
				}
			})
		}
	}
}

// spoil changes the file from an offset on.
func spoil(path, how string, from int64) error {
	if how == "cut" {
		return os.Truncate(path, from)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	b := make([]byte, max(0, info.Size()-from))
	for i, x := 0, uint32(1); i < len(b) && how == "noise"; i++ {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	_, err = f.WriteAt(b, from)
	return errors.Join(err, f.Close())
}

// callAll calls everything on a store whose file was spoiled.
func callAll(t *testing.T, s *Store, want []store.Doc) {
	t.Helper()
	got, err := everything(s)
	if err == nil && !equal(want, got) {
		t.Errorf("%d documents without an error, want %d", len(got), len(want))
	}
	errs := map[string]error{"Scan": err}
	for i := range 4 {
		errs[fmt.Sprint("Write ", i)] = s.Write(t.Context(), sample(state.Records, fmt.Sprint("new/", i), 0, 60*i))
	}
	errs["Flush"] = s.Flush(t.Context())
	_, errs["Delete"] = s.Delete(t.Context(), state.Steps, "c/t2/")
	_, errs["Stats"] = s.Stats(t.Context())
	_, errs["Get"] = s.Get(t.Context(), state.Steps, want[len(want)-1].ID)
	for call, err := range errs {
		if code := state.CodeOf(err); err != nil && code != state.Internal && code != state.NotFound {
			t.Errorf("%s = %v (%s), want an Internal error", call, err, code)
		}
	}
}

// TestOlderStore puts the store.db of before the last flush back beside a log that goes on after it.
func TestOlderStore(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s, err := Open(ctx, Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "store.db")
	err = errors.Join(s.Write(ctx, sample(state.Affairs, "a", 0, 10)), s.Flush(ctx), s.Write(ctx, sample(state.Affairs, "b", 0, 10)))
	older, readErr := os.ReadFile(path)
	if err := errors.Join(err, readErr, s.Flush(ctx), s.Write(ctx, sample(state.Affairs, "c", 0, 10))); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "store.log"))
	if err := errors.Join(err, s.Close(), os.WriteFile(filepath.Join(dir, "store.log"), log, 0o600), os.WriteFile(path, older, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, Config{Dir: dir})
	if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), "older than it should be") {
		t.Errorf("Open = %v, want an Internal error that says what does not fit", err)
	}
	if err := os.Remove(filepath.Join(dir, "store.log")); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, Config{Dir: dir})
	if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), "it is missing, or store.db is older than it should be") {
		t.Errorf("Open = %v, want an Internal error that says the log is missing", err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		found uint32
		code  state.Code
		text  string
	}{{schema, "", ""}, {schema + 6, state.Invalid, "its schema is 7, this program reads up to 1; update the program"}} {
		t.Run(fmt.Sprint(tt.found), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := build(t, dir, 0, false).Close(); err != nil {
				t.Fatal(err)
			}
			db, err := bbolt.Open(filepath.Join(dir, "store.db"), 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *bbolt.Tx) error {
				h, err := readHeader(tx)
				h.schema = tt.found
				kept := append(h.encode(), "what a newer version adds"...)
				return errors.Join(err, tx.Bucket([]byte(headerBucket)).Put([]byte("header"), seal(headerBucket, "header", kept)))
			})
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), Config{Dir: dir})
			if state.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.text) {
				t.Errorf("Open = %v (%s), want %s %q", err, state.CodeOf(err), tt.code, tt.text)
			}
			if err == nil {
				_ = s.Close()
			}
		})
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]value{
		"plain": {rev: 1, body: []byte("body")}, "packed": {rev: 300, form: packed, body: []byte{0}},
		"apart": {rev: 1 << 40, form: apart, set: 7, size: chunkBytes + 1}, "packed apart": {rev: 2, form: packed | apart, set: 1 << 50, size: 5 * chunkBytes},
	} {
		got, err := decode("affairs", "a/b", v.encode("affairs", "a/b"))
		if diff := cmp.Diff(v, got, cmp.AllowUnexported(value{}), cmp.Transformer("body", func(b []byte) string { return string(b) })); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		for _, key := range [][2]string{{"affairs", "a/c"}, {"records", "a/b"}} {
			if _, err := decode(key[0], key[1], v.encode("affairs", "a/b")); !errors.Is(err, errChecksum) {
				t.Errorf("%s read under another name: %v, want a wrong checksum", name, err)
			}
		}
	}
	if got := []int{value{form: apart, size: chunkBytes}.pieces(), value{form: apart, size: chunkBytes + 1}.pieces(), value{size: 9}.pieces()}; !cmp.Equal(got, []int{1, 2, 0}) {
		t.Errorf("pieces = %v, want 1, 2, 0", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 'x'})
	f.Add([]byte{3, 1, 2, 3})
	f.Add(append([]byte{2, 1}, binary.AppendUvarint(nil, 1<<63)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode("affairs", "a", seal("affairs", "a", b))
		if err != nil {
			return
		}
		again, err := decode("affairs", "a", v.encode("affairs", "a"))
		if err != nil || again.rev != v.rev || again.set != v.set || again.size != v.size || string(again.body) != string(v.body) {
			t.Errorf("%+v became %+v, %v", v, again, err)
		}
	})
}

func FuzzParseLock(f *testing.F) {
	f.Add("12 mneme\n")
	f.Add("-1 x")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		pid, name, ok := parseLock(line)
		if ok && (pid <= 0 || name == "" || strings.ContainsAny(name, "\n\x00")) {
			t.Errorf("parseLock(%q) = %d, %q", line, pid, name)
		}
	})
}

// FuzzCheckFile looks for a file that the check lets pass and that then harms bbolt.
func FuzzCheckFile(f *testing.F) {
	dir := f.TempDir()
	if err := build(f, dir, 4000, false).Close(); err != nil {
		f.Fatal(err)
	}
	db, err := os.ReadFile(filepath.Join(dir, "store.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte{1})
	f.Add(4096*3+10, []byte{0xFF, 0xFF})
	f.Add(len(db)-1, []byte{})
	f.Fuzz(func(t *testing.T, at int, with []byte) {
		b := append([]byte(nil), db...)
		if at < 0 || at > len(b) {
			return
		}
		copy(b[at:], with)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "store.db"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), Config{Dir: dir})
		if err != nil {
			return
		}
		_, _ = everything(s)
		if err := s.Close(); err != nil {
			t.Errorf("a store that opens does not close: %v", err)
		}
	})
}
