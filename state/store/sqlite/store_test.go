package sqlite_test

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

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// open opens a store and closes it with the test.
func open(t testing.TB, cfg sqlite.Config) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), cfg)
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

func closed(t testing.TB, s *sqlite.Store) {
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

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, sqlite.Config{Dir: t.TempDir()}) })
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, sqlite.Config{Dir: t.TempDir()})
	write(t, s, doc("a", 0, 1))
	closed(t, s)
	ctx := t.Context()
	_, getErr := s.Get(ctx, state.Affairs, "a")
	_, scanErr := s.Scan(ctx, store.Query{Collection: state.Affairs})
	_, deleteErr := s.Delete(ctx, state.Affairs, "a")
	_, statsErr := s.Stats(ctx)
	for call, err := range map[string]error{
		"Get": getErr, "Scan": scanErr, "Delete": deleteErr, "Stats": statsErr, "Write": s.Write(ctx, doc("b", 0, 1)),
	} {
		if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "is closed") {
			t.Errorf("%s after Close = %v, want an Unavailable error that says so", call, err)
		}
	}
}

func TestCloseDuringWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, sqlite.Config{Dir: dir})
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
	docs := all(t, open(t, sqlite.Config{Dir: dir}))
	if len(docs) != len(kept) {
		t.Errorf("%d documents are there, %d were acknowledged", len(docs), len(kept))
	}
}

func TestDocumentOverTheCap(t *testing.T) {
	t.Parallel()
	s := open(t, sqlite.Config{Dir: t.TempDir()})
	write(t, s, doc("a", 0, 900))
	err := s.Write(t.Context(), doc("b", 0, 10), store.Doc{Collection: state.Affairs, ID: "c/large", Body: doc("x", 0, 64<<20).Body})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "c/large") || !strings.Contains(err.Error(), " bytes, at most 67108864") {
		t.Errorf("Write = %v, want an Invalid error that names document and sizes", err)
	}
	if n := len(all(t, s)); n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
}

func TestOpenWithoutRights(t *testing.T) {
	t.Parallel()
	if os.Getuid() <= 0 {
		t.Skip("root may write everywhere, and Windows knows other rights; run the tests as another user to see this one")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	for _, d := range []string{dir, filepath.Join(dir, "x")} {
		if _, err := sqlite.Open(t.Context(), sqlite.Config{Dir: d}); !errors.Is(err, state.ErrDenied) || !strings.Contains(err.Error(), d) {
			t.Errorf("Open = %v, want an error that is ErrDenied and names %s", err, d)
		}
	}
}
