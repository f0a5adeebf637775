package sealed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// process is a sealed store with a clock of its own; its waits end at once.
func process(t testing.TB, below store.Store, now *time.Time) *sealed.Store {
	t.Helper()
	s, err := sealed.New(sealed.Config{
		Store: below, Keys: keyring(t, "k1"), Now: func() time.Time { return *now },
		After: func(d time.Duration) <-chan time.Time {
			*now = now.Add(d)
			done := make(chan time.Time, 1)
			done <- *now
			return done
		},
	})
	must(t, err)
	return s
}

// destroy ends a change of keys.
func destroy(t testing.TB, s *sealed.Store, client string) {
	t.Helper()
	_, err := s.DestroyKeys(t.Context(), client)
	must(t, err)
}

// keysOf returns the documents of clients' keys.
func keysOf(t testing.TB, below store.Store) []store.Doc {
	t.Helper()
	docs, err := below.Scan(t.Context(), store.Query{Collection: state.Meta, Prefix: "~key/"})
	must(t, err)
	return docs
}

func title(d store.Doc) string { return d.Body.Lookup("title").StringValue() }

// Of several processes that write first for a client one makes the key, and all use it.
func TestOneKeyAClient(t *testing.T) {
	t.Parallel()
	dir, inRAM, loose := t.TempDir(), ram.New(), ram.NewLoose()
	for name, open := range map[string]func() store.Store{
		"RAM": func() store.Store { return inRAM }, "server": func() store.Store { return loose },
		"folder": func() store.Store {
			s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
			must(t, err)
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			below := open()
			var at sync.WaitGroup
			for i := range 8 {
				s := wrap(t, open(), "k1")
				at.Go(func() {
					for c := range 4 {
						if err := s.Write(t.Context(), affair(t, fmt.Sprintf("c%d/u/%d", c, i), "x")); err != nil {
							t.Errorf("process %d, client %d: %v", i, c, err)
						}
					}
				})
			}
			at.Wait()
			if n := len(keysOf(t, below)); n != 4 {
				t.Errorf("%d keys, want one for each of 4 clients", n)
			}
			docs, err := wrap(t, below, "k1").Scan(t.Context(), store.Query{Collection: state.Affairs})
			if len(docs) != 32 || err != nil {
				t.Errorf("%d documents, %v", len(docs), err)
			}
		})
	}
}

// What was written with a key that is destroyed no key opens that is left; what was left of the client can be read.
func TestKeysAreDestroyed(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	below := ram.New()
	s := process(t, below, &now)
	write(t, s, affair(t, "c/u/gone", "secret"), affair(t, "c/u/left", "stays"), affair(t, "d/u/1", "of another"))
	order := affair(t, "c/u/order", "an order")
	order.Collection = state.Orders
	write(t, s, order)
	captured := get(t, below, "c/u/gone") // as free pages or a copy of the file may hold it

	destroy(t, s, "") // there is nothing to destroy
	must(t, s.ChangeKey(t.Context(), "nobody"))
	must(t, s.ChangeKey(t.Context(), "c"))
	must(t, s.ChangeKey(t.Context(), "c")) // once more, as after a kill
	if n := len(keysOf(t, below)); n != 3 {
		t.Fatalf("%d keys, want two of c and one of d", n)
	}
	if _, err := s.Delete(t.Context(), state.Affairs, "c/u/gone"); err != nil {
		t.Fatal(err)
	}
	destroy(t, s, "c")
	destroy(t, s, "c")
	if keys := keysOf(t, below); len(keys) != 2 || keys[0].ID != "~key/c/000002" {
		t.Errorf("keys that are left: %v", keys)
	}

	captured.Rev = 0
	write(t, below, captured)
	for name, reader := range map[string]*sealed.Store{"here": s, "elsewhere": wrap(t, below, "k1")} {
		var unknown *sealed.UnknownKeyError
		if d, err := reader.Get(t.Context(), state.Affairs, "c/u/gone"); !errors.As(err, &unknown) || unknown.Client != "c" || d.Body != nil {
			t.Errorf("%s: what the destroyed key sealed: %v, %v", name, d.Body, err)
		}
		if d := get(t, reader, "c/u/left"); title(d) != "stays" {
			t.Errorf("%s: what is left: %v", name, d.Body)
		}
		if d, err := reader.Get(t.Context(), state.Orders, "c/u/order"); err != nil || title(d) != "an order" {
			t.Errorf("%s: the order: %v, %v", name, d.Body, err)
		}
		if d := get(t, reader, "d/u/1"); title(d) != "of another" {
			t.Errorf("%s: of another client: %v", name, d.Body)
		}
	}
}

// A process that knows the old key does not write with it what nobody could read.
func TestAnotherProcessKnowsTheOldKey(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	below := ram.New()
	a, b := process(t, below, &now), process(t, below, &now)
	write(t, b, affair(t, "c/u/1", "first"))
	must(t, a.ChangeKey(t.Context(), "c"))
	write(t, b, affair(t, "c/u/2", "a moment later"))
	destroy(t, a, "c")
	write(t, b, affair(t, "c/u/3", "behind it"))
	for i, want := range []string{"first", "a moment later", "behind it"} {
		for _, s := range []*sealed.Store{a, b, wrap(t, below, "k1")} {
			if d := get(t, s, fmt.Sprint("c/u/", i+1)); title(d) != want {
				t.Errorf("document %d: %v", i+1, d.Body)
			}
		}
	}

	// Its write hangs until the keys are gone: it is told to look.
	var hung bool
	slow := process(t, storetest.Wrap(below, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		if len(c.Docs) > 0 && c.Docs[0].ID == "c/u/4" && !hung {
			hung = true
			must(t, a.ChangeKey(t.Context(), "c"))
			destroy(t, a, "c")
		}
		return do(ctx)
	}), &now)
	if err := slow.Write(t.Context(), affair(t, "c/u/4", "too late")); state.CodeOf(err) != state.Unavailable {
		t.Errorf("a write behind the end of its key: %v, want an error that is ErrUnavailable", err)
	}
	if docs, err := a.Scan(t.Context(), store.Query{Collection: state.Affairs}); len(docs) != 3 || err != nil {
		t.Errorf("behind it: %d documents, %v, want the three that can be read", len(docs), err)
	}
}

// Cut short at any call, the change of a key is at its end behind the next one, and everything can be read at any time.
func TestKeysAreDestroyedWhereverItIsCut(t *testing.T) {
	t.Parallel()
	broken := errors.New("the process is gone")
	for stop := 1; ; stop++ {
		now, calls := time.Unix(0, 0), 0
		below := ram.New()
		fresh := process(t, below, &now)
		for i := range 5 {
			write(t, fresh, affair(t, fmt.Sprint("c/u/", i), fmt.Sprint("title ", i)))
		}
		dying := process(t, storetest.Wrap(below, func(ctx context.Context, _ *storetest.Call, do func(context.Context) error) error {
			if calls++; calls >= stop {
				return broken
			}
			return do(ctx)
		}), &now)
		err := dying.ChangeKey(t.Context(), "c")
		if err == nil {
			_, err = dying.DestroyKeys(t.Context(), "c")
		}
		read := func(s *sealed.Store) {
			for i := range 5 {
				if d := get(t, s, fmt.Sprint("c/u/", i)); title(d) != fmt.Sprint("title ", i) {
					t.Errorf("cut at call %d: document %d reads %v", stop, i, d.Body)
				}
			}
		}
		read(process(t, below, &now))
		destroy(t, fresh, "")
		read(process(t, below, &now))
		if n := len(keysOf(t, below)); n != 1 {
			t.Errorf("cut at call %d: %d keys are left", stop, n)
		}
		if err == nil {
			if stop < 10 {
				t.Errorf("it took %d calls", stop)
			}
			return
		}
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
	}
}

// Whoever can write to the store below cannot put one key in the place of another.
func TestForgedKeys(t *testing.T) {
	t.Parallel()
	type keys struct{ c, older, d store.Doc }
	for name, forge := range map[string]func(keys) store.Doc{
		"that of another client":    func(k keys) store.Doc { return store.Doc{Collection: state.Meta, ID: k.c.ID, Body: k.d.Body} },
		"an older one as the newer": func(k keys) store.Doc { return store.Doc{Collection: state.Meta, ID: k.c.ID, Body: k.older.Body} },
		"a changed one": func(k keys) store.Doc {
			k.c.Body[len(k.c.Body)-2] ^= 1
			return store.Doc{Collection: state.Meta, ID: k.c.ID, Body: k.c.Body}
		},
		"one that was never sealed": func(k keys) store.Doc { return store.Doc{Collection: state.Meta, ID: k.c.ID, Body: affairBody} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Unix(0, 0)
			below := ram.New()
			s := process(t, below, &now)
			write(t, s, affair(t, "c/u/1", "x"), affair(t, "d/u/1", "x"))
			var k keys
			k.older = keysOf(t, below)[0]
			must(t, s.ChangeKey(t.Context(), "c"))
			destroy(t, s, "c")
			k.c, k.d = keysOf(t, below)[0], keysOf(t, below)[1]
			if _, err := below.Delete(t.Context(), state.Meta, k.c.ID); err != nil {
				t.Fatal(err)
			}
			write(t, below, forge(k))
			_, err := wrap(t, below, "k1").Get(t.Context(), state.Affairs, "c/u/1")
			wantRefused(t, "Get", err, k.c.ID)
			wantRefused(t, "Write", wrap(t, below, "k1").Write(t.Context(), affair(t, "c/u/2", "x")), k.c.ID)
		})
	}
}

// affairBody is a body that no seal is on.
var affairBody = []byte("\x05\x00\x00\x00\x00")

// Nobody sees or changes a client's key through the store.
func TestClientKeysAreNobodysDocuments(t *testing.T) {
	t.Parallel()
	below := ram.New()
	s := wrap(t, below, "k1")
	meta := affair(t, "schema", "x")
	meta.Collection = state.Meta
	write(t, s, meta, affair(t, "c/u/1", "x"))
	key := keysOf(t, below)[0]
	if _, err := s.Get(t.Context(), state.Meta, key.ID); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	for _, q := range []store.Query{{}, {Reverse: true}, {Limit: 1}, {Limit: 1, Reverse: true}, {Reverse: true, After: "~zz"}} {
		q.Collection = state.Meta
		if docs, err := s.Scan(t.Context(), q); len(docs) != 1 || docs[0].ID != "schema" || err != nil {
			t.Errorf("Scan %+v: %v, %v", q, docs, err)
		}
	}
	for _, q := range []store.Query{{Prefix: "~key/"}, {After: "schema"}, {After: "a", Reverse: true}} {
		q.Collection = state.Meta
		if docs, err := s.Scan(t.Context(), q); len(docs) != 0 || err != nil {
			t.Errorf("Scan %+v: %v, %v", q, docs, err)
		}
	}
	key.Rev = 1
	if err := s.Write(t.Context(), key); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Write: %v", err)
	}
	for _, prefix := range []string{"~", "~key/", "~key/c/"} {
		if _, err := s.Delete(t.Context(), state.Meta, prefix); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("Delete %s: %v", prefix, err)
		}
	}
}
