package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
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
	"github.com/mneme-graph/mneme/state/store/bolt"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// open opens a store and closes it with the test.
func open(t testing.TB, cfg bolt.Config) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open %s: %v", cfg.Dir, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func closed(t testing.TB, s *bolt.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// doc is an affair with a text of n bytes.
func doc(id string, rev int64, n int) store.Doc {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: noise(id, n)}})
	if err != nil {
		panic(err)
	}
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev, Body: body}
}

// noise is n letters that do not shrink much, always the same for an id.
func noise(id string, n int) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
	text := make([]byte, n)
	for i := range text {
		text[i] = ' ' + byte(r.IntN(95))
	}
	return string(text)
}

func write(t testing.TB, s store.Store, docs ...store.Doc) {
	t.Helper()
	if err := s.Write(context.Background(), docs...); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// all returns every document of the store.
func all(t testing.TB, s store.Store) (docs []store.Doc) {
	t.Helper()
	for _, c := range store.Collections() {
		part, err := s.Scan(context.Background(), store.Query{Collection: c})
		if err != nil {
			t.Fatalf("Scan %s: %v", c, err)
		}
		docs = append(docs, part...)
	}
	return docs
}

// same compares documents; cmp would take its time over the large ones.
func same(t testing.TB, want, got []store.Doc) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i].Collection != got[i].Collection || want[i].ID != got[i].ID ||
			want[i].Rev != got[i].Rev || !bytes.Equal(want[i].Body, got[i].Body) {
			t.Fatalf("%d documents, want %d; document %d is not the same", len(got), len(want), i)
		}
	}
}

// image copies the files of a store as a crash at this moment would leave them.
func image(t testing.TB, dir string) string {
	t.Helper()
	copied := t.TempDir()
	for _, name := range []string{"store.db", "store.log"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, bolt.Config{Dir: t.TempDir()}) })
}

// TestDurable makes changes of every kind and compares what is there after Close, and after a crash, with
// what was there before; the log is small, so that parts of the changes are in each file.
func TestDurable(t *testing.T) {
	t.Parallel()
	for _, logBytes := range []int{1, 3000, 0} {
		t.Run(fmt.Sprint("log ", logBytes), func(t *testing.T) {
			t.Parallel()
			cfg := bolt.Config{Dir: t.TempDir(), LogBytes: logBytes}
			s := open(t, cfg)
			for i := range 40 {
				write(t, s, doc(fmt.Sprintf("a/%02d", i), 0, 20*i), doc(fmt.Sprintf("b/%02d", i), 0, i))
				if i%4 == 3 {
					write(t, s, store.Doc{Collection: state.Affairs, ID: fmt.Sprintf("a/%02d", i-1), Rev: 1}, doc(fmt.Sprintf("b/%02d", i), 1, 700))
				}
				if i%10 == 9 {
					sameAfterCrash(t, cfg, s)
				}
			}
			write(t, s, doc("large", 0, 300<<10), doc("huge", 0, 5<<20))
			if n, err := s.Delete(t.Context(), state.Affairs, "b/0"); n != 10 || err != nil {
				t.Errorf("Delete = %d, %v, want 10", n, err)
			}
			sameAfterCrash(t, cfg, s)
			before := all(t, s)
			closed(t, s)
			same(t, before, all(t, open(t, cfg)))
		})
	}
}

func sameAfterCrash(t *testing.T, cfg bolt.Config, s *bolt.Store) {
	t.Helper()
	want := all(t, s)
	cfg.Dir = image(t, cfg.Dir)
	again := open(t, cfg)
	same(t, want, all(t, again))
	write(t, again, doc("after the crash", 0, 1))
	closed(t, again)
	if n := len(all(t, open(t, cfg))); n != len(want)+1 {
		t.Fatalf("after a crash, a write and a Close: %d documents, want %d", n, len(want)+1)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "with parents")
	s := open(t, bolt.Config{Dir: dir})
	if s.Path() != dir {
		t.Errorf("Path = %s, want %s", s.Path(), dir)
	}
	wantFiles(t, dir, "lock", "store.db")
	write(t, s, doc("a", 0, 1))
	wantFiles(t, dir, "lock", "store.db", "store.log")
	closed(t, s)
	wantFiles(t, dir, "store.db")
	closed(t, s)
	reader := open(t, bolt.Config{Dir: dir})
	all(t, reader)
	stats, err := reader.Stats(t.Context())
	if err != nil || stats.Syncs != 0 {
		t.Errorf("a store that was only read waited for the disk %d times, %v, want 0", stats.Syncs, err)
	}
	closed(t, reader)
	wantFiles(t, dir, "store.db")
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		cfg  bolt.Config
		code state.Code
		text string
	}{
		{"no folder", t.Context(), bolt.Config{}, state.Invalid, "names no folder"},
		{"a file", t.Context(), bolt.Config{Dir: file}, state.Invalid, file + " is a file"},
		{"below a file", t.Context(), bolt.Config{Dir: filepath.Join(file, "x")}, state.Denied, filepath.Join(file, "x") + " cannot be made"},
		{"a negative limit", t.Context(), bolt.Config{Dir: dir, MaxDocBytes: -1}, state.Invalid, "MaxDocBytes is -1"},
		{"a limit too large", t.Context(), bolt.Config{Dir: dir, LogBytes: 1 << 31}, state.Invalid, "LogBytes is 2147483648"},
		{"a cancelled context", cancelled, bolt.Config{Dir: dir}, state.Unavailable, "context canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := bolt.Open(tt.ctx, tt.cfg)
			if s != nil || state.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Open = %v, %v (%s), want nil and %s: %q", s, err, state.CodeOf(err), tt.code, tt.text)
			}
		})
	}
}

func TestOpenWithoutRights(t *testing.T) {
	t.Parallel()
	if os.Getuid() <= 0 {
		t.Skip("root may write everywhere, and Windows knows other rights; run the tests as another user to see this one")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Join(dir, "x")} {
		if _, err := bolt.Open(t.Context(), bolt.Config{Dir: d}); !errors.Is(err, state.ErrDenied) || !strings.Contains(err.Error(), d) {
			t.Errorf("Open = %v, want an error that is ErrDenied and names %s", err, d)
		}
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, bolt.Config{Dir: t.TempDir()})
	write(t, s, doc("a", 0, 1))
	closed(t, s)
	ctx := t.Context()
	_, getErr := s.Get(ctx, state.Affairs, "a")
	_, scanErr := s.Scan(ctx, store.Query{Collection: state.Affairs})
	_, deleteErr := s.Delete(ctx, state.Affairs, "a")
	_, statsErr := s.Stats(ctx)
	for call, err := range map[string]error{
		"Get": getErr, "Scan": scanErr, "Delete": deleteErr, "Stats": statsErr, "Flush": s.Flush(ctx), "Write": s.Write(ctx, doc("b", 0, 1)),
	} {
		if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "is closed") {
			t.Errorf("%s after Close = %v, want an Unavailable error that says so", call, err)
		}
	}
}

func TestCloseDuringWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, bolt.Config{Dir: dir, LogBytes: 2000})
	acknowledged := make(chan string, 1000)
	for g := range 4 {
		go func() {
			defer func() { acknowledged <- "" }()
			for i := range 200 {
				id := fmt.Sprintf("%d/%d", g, i)
				if err := s.Write(context.Background(), doc(id, 0, 50)); err != nil {
					if !errors.Is(err, state.ErrUnavailable) {
						t.Errorf("Write: %v", err)
					}
					return
				}
				acknowledged <- id
			}
		}()
	}
	kept := map[string]bool{}
	for range 50 {
		kept[<-acknowledged] = true
	}
	closed(t, s)
	for ended := 0; ended < 4; {
		if id := <-acknowledged; id == "" {
			ended++
		} else {
			kept[id] = true
		}
	}
	docs := all(t, open(t, bolt.Config{Dir: dir}))
	if len(docs) != len(kept) {
		t.Errorf("%d documents are there, %d were acknowledged", len(docs), len(kept))
	}
}

func TestDocumentOverTheCap(t *testing.T) {
	t.Parallel()
	s := open(t, bolt.Config{Dir: t.TempDir(), MaxDocBytes: 1000})
	write(t, s, doc("a", 0, 900))
	err := s.Write(t.Context(), doc("b", 0, 10), doc("c/large", 0, 1000))
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "c/large") || !strings.Contains(err.Error(), "1016 bytes, at most 1000") {
		t.Errorf("Write = %v, want an Invalid error that names document and sizes", err)
	}
	if n := len(all(t, s)); n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	s := open(t, bolt.Config{Dir: t.TempDir()})
	for i := range 100 {
		write(t, s, doc(fmt.Sprintf("a/%03d", i), 0, 500))
	}
	write(t, s)
	stats, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The first commit makes the log as well: one sync for its file, one for the folder, two for store.db.
	if stats.Writes != 100 || stats.Commits != 100 || stats.Syncs != 104 || stats.Flushes != 1 || stats.LogBytes < 100*500 {
		t.Errorf("after 100 lone writes: %+v", stats)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	flushed, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if flushed.LogBytes > 100 || flushed.Flushes != 2 || flushed.PageBytes < 100*500 || flushed.PageBytes > 100*500*5/4+3*4096 || flushed.FileBytes < flushed.PageBytes {
		t.Errorf("after Flush: %+v", flushed)
	}
}

// TestReplacedBodiesFreeTheirPages replaces and deletes a large document again and again: the file must not
// grow with it.
func TestReplacedBodiesFreeTheirPages(t *testing.T) {
	t.Parallel()
	s := open(t, bolt.Config{Dir: t.TempDir(), LogBytes: 1})
	noise := func(rev int64) store.Doc {
		b := make([]byte, 1<<20)
		for i, x := 0, uint64(rev+1); i < len(b); i++ {
			x = x*6364136223846793005 + 1442695040888963407
			b[i] = byte(x >> 56)
		}
		body, err := bson.Marshal(bson.D{{Key: "b", Value: b}})
		if err != nil {
			t.Fatal(err)
		}
		return store.Doc{Collection: state.Affairs, ID: "a", Rev: rev, Body: body}
	}
	var first bolt.Stats
	for i := range 12 {
		write(t, s, noise(int64(i)))
		stats, err := s.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = stats
		}
		if stats.PageBytes != first.PageBytes || stats.FileBytes > 4*first.FileBytes {
			t.Fatalf("after %d replacements %+v, at first %+v", i, stats, first)
		}
	}
	write(t, s, store.Doc{Collection: state.Affairs, ID: "a", Rev: 12})
	stats, err := s.Stats(t.Context())
	if err != nil || stats.PageBytes > 1<<16 {
		t.Errorf("after the deletion %+v, %v", stats, err)
	}
}

func TestStoreOfBeforeACollectionWasAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, doc("a", 0, 100))
	want := all(t, s)
	closed(t, s)
	db, err := bbolt.Open(filepath.Join(dir, "store.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(state.Snapshots)) })
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s = open(t, bolt.Config{Dir: dir})
	same(t, want, all(t, s))
	added := doc("a", 0, 100)
	added.Collection = state.Snapshots
	write(t, s, added)
	added.Rev = 1
	same(t, append(want, added), all(t, s))
}
