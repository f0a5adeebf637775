package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]local.Config{"no store": {}, "bytes below zero": {Store: ram.New(), Bytes: -1}} {
		if _, err := local.New(cfg); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%s: New = %v, want state.ErrInvalid", name, err)
		}
	}
}

func TestWhatIsKeptOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	shelf := openOn(t, s)
	v := openSpace(t, shelf, eight())
	must(t, v.Put(t.Context(), me(), entry("a", 1), entry("b", 3, 4), entry("c", 0, 1)))
	must(t, v.Delete(t.Context(), me(), "c"))
	must(t, shelf.Promote(t.Context(), eight()))
	before, err := v.Search(t.Context(), me(), index.Query{Vector: entry("", 2, 1).Vector, Limit: 9})
	must(t, err)
	must(t, s.Close())

	shelf = openOn(t, openFolder(t, dir))
	live, ok, err := shelf.Live(t.Context())
	if live != eight() || !ok || err != nil {
		t.Errorf("Live = %v, %t, %v, want %v", live, ok, err, eight())
	}
	after, err := openSpace(t, shelf, live).Search(t.Context(), me(), index.Query{Vector: entry("", 2, 1).Vector, Limit: 9})
	must(t, err)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("Search after opening the folder again (-before +after):\n%s", diff)
	}
}

// TestOtherProcesses has two shelves on one store of several processes: each sees at once what the other wrote.
func TestOtherProcesses(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	a, b := openSpace(t, openOn(t, s), eight()), openSpace(t, openOn(t, s), eight())
	wantFound(t, b)
	must(t, a.Put(t.Context(), me(), entry("one", 1)))
	wantFound(t, b, "one")
	must(t, b.Put(t.Context(), me(), entry("one", 0, 1), entry("two", 1)))
	wantFound(t, a, "two", "one")
	must(t, a.Put(t.Context(), me(), entry("two", 0, 1)))
	must(t, b.Delete(t.Context(), me(), "one"))
	wantFound(t, a, "two")
	must(t, a.Delete(t.Context(), me(), "one", "two"))
	wantFound(t, b)
}

// TestReadOnce counts how often the store is read: a block that nobody else wrote to is read once, whatever is done with it.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]store.Store{"alone": ram.New(), "shared": ram.NewLoose()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must(t, openSpace(t, openOn(t, s), eight()).Put(t.Context(), me(), entry("a", 1), entry("b", 1)))
			shelf := openOn(t, s)
			v := openSpace(t, shelf, eight())
			wantFound(t, v, "a", "b")
			must(t, v.Put(t.Context(), me(), entry("a", 0, 1), entry("c", 1)))
			must(t, v.Delete(t.Context(), me(), "b", "c"))
			must(t, v.Put(t.Context(), me(), entry("b", 1)))
			must(t, v.Put(t.Context(), me(), entry("b", 1), entry("a", 1)))
			must(t, v.Delete(t.Context(), me(), "a", "c"))
			wantFound(t, v, "b")
			if u := shelf.Usage(); u.Loads != 1 {
				t.Errorf("the block was read %d times", u.Loads)
			}
		})
	}
}

func TestOtherProcessesAtOnce(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	var shelves []index.Vectors
	var wg sync.WaitGroup
	for range 3 {
		shelves = append(shelves, openSpace(t, openOn(t, s), eight()))
	}
	for p, v := range shelves {
		wg.Go(func() {
			for i := range 20 {
				if err := v.Put(t.Context(), me(), entry(fmt.Sprintf("p%d-%02d", p, i), 1)); err != nil {
					t.Errorf("process %d: %v", p, err)
				}
			}
		})
	}
	wg.Wait()
	for p, v := range shelves {
		if got := len(found(t, v, me())); got != 60 {
			t.Errorf("process %d finds %d entries, want 60", p, got)
		}
	}
}

func TestOtherProcessPromotes(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	a, b := openOn(t, s), openOn(t, s)
	openSpace(t, a, eight())
	must(t, b.Promote(t.Context(), eight()))
	if live, ok, err := a.Live(t.Context()); live != eight() || !ok || err != nil {
		t.Errorf("Live = %v, %t, %v, want %v", live, ok, err, eight())
	}
}

// TestLostAnswers writes to a store that makes a change and then says it could not. What memory shows must be what the store has.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]store.Store{"atomic": ram.New(), "loose": ram.NewLoose()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := storetest.Wrap(s, nil)
			v := openSpace(t, openOn(t, f), eight())
			must(t, v.Put(t.Context(), me(), entry("a", 1), entry("b", 1)))
			f.Set(storetest.Writes(storetest.Lost))
			if err := v.Put(t.Context(), me(), entry("a", 0, 1), entry("c", 1)); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("Put = %v, want state.ErrUnavailable", err)
			}
			f.Set(nil)
			wantFound(t, v, "b", "c", "a")
			must(t, v.Put(t.Context(), me(), entry("a", 1), entry("c", 0, 1)))
			wantFound(t, v, "a", "b", "c")
			f.Set(storetest.Writes(storetest.Lost))
			if err := v.Delete(t.Context(), me(), "a"); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("Delete = %v, want state.ErrUnavailable", err)
			}
			f.Set(nil)
			wantFound(t, v, "b", "c")
			must(t, v.Delete(t.Context(), me(), "a", "b"))
			wantFound(t, v, "c")
		})
	}
}

func TestRefusedWritesChangeNothing(t *testing.T) {
	t.Parallel()
	f := storetest.Wrap(ram.New(), nil)
	v := openSpace(t, openOn(t, f), eight())
	must(t, v.Put(t.Context(), me(), entry("a", 1)))
	for name, id := range map[string]string{"not UTF-8": "x\xff", "longer than a key": strings.Repeat("x", 1100)} {
		if err := v.Put(t.Context(), me(), entry("b", 1), entry(id, 1)); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("Put of an id that is %s = %v, want state.ErrInvalid", name, err)
		}
	}
	f.Set(storetest.Writes(storetest.Refused))
	if err := v.Put(t.Context(), me(), entry("b", 1)); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Put = %v, want state.ErrUnavailable", err)
	}
	wantFound(t, v, "a")
}

func TestOthersAlwaysFirst(t *testing.T) {
	t.Parallel()
	f := storetest.Wrap(ram.New(), nil)
	v := openSpace(t, openOn(t, f), eight())
	f.Set(storetest.On("write", func(c *storetest.Call) error {
		return &store.ConflictError{Collection: c.Collection, ID: c.ID}
	}))
	if err := v.Put(t.Context(), me(), entry("a", 1)); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Put = %v, want state.ErrUnavailable", err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]bson.D{
		"empty":         {},
		"short vector":  {{Key: "hash", Value: ""}, {Key: "kind", Value: ""}, {Key: "session", Value: ""}, {Key: "at", Value: bson.DateTime(0)}, {Key: "vector", Value: []byte{1, 2, 3}}},
		"wrong type":    {{Key: "hash", Value: 7}, {Key: "kind", Value: ""}, {Key: "session", Value: ""}, {Key: "at", Value: bson.DateTime(0)}, {Key: "vector", Value: make([]byte, 32)}},
		"time as text":  {{Key: "hash", Value: ""}, {Key: "kind", Value: ""}, {Key: "session", Value: ""}, {Key: "at", Value: "now"}, {Key: "vector", Value: make([]byte, 32)}},
		"no vector but": {{Key: "hash", Value: ""}, {Key: "kind", Value: ""}, {Key: "session", Value: ""}, {Key: "at", Value: bson.DateTime(0)}, {Key: "vectors", Value: make([]byte, 32)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ram.New()
			must(t, openSpace(t, openOn(t, s), eight()).Put(t.Context(), me(), entry("a", 1)))
			docs, err := s.Scan(t.Context(), store.Query{Collection: state.Vectors})
			must(t, err)
			docs[0].Body, err = bson.Marshal(body)
			must(t, err)
			must(t, s.Write(t.Context(), docs[0]))
			_, err = openSpace(t, openOn(t, s), eight()).List(t.Context(), me())
			if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), docs[0].ID) {
				t.Errorf("List = %v, want state.ErrInternal that names %s", err, docs[0].ID)
			}
		})
	}
}

// TestReadersDoNotWait holds a write in the store and searches meanwhile.
func TestReadersDoNotWait(t *testing.T) {
	t.Parallel()
	f := storetest.Wrap(ram.New(), nil)
	v := openSpace(t, openOn(t, f), eight())
	must(t, v.Put(t.Context(), me(), entry("a", 1)))
	arrived, leave := make(chan struct{}), make(chan struct{})
	f.Set(storetest.On("write", func(*storetest.Call) error { close(arrived); <-leave; return nil }))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := v.Put(t.Context(), me(), entry("b", 1)); err != nil {
			t.Errorf("Put: %v", err)
		}
	})
	<-arrived
	wantFound(t, v, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Put(ctx, me(), entry("c", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Put behind another whose context ends = %v, want context.Canceled", err)
	}
	close(leave)
	wg.Wait()
	wantFound(t, v, "a", "b")
}

// TestBlocksInUseStay fills the memory while a write waits in the store. The block that is written to must not be let go and read
// again without what is being written.
func TestBlocksInUseStay(t *testing.T) {
	t.Parallel()
	f := storetest.Wrap(ram.New(), nil)
	shelf, err := local.New(local.Config{Store: f, Bytes: 1})
	must(t, err)
	v := openSpace(t, shelf, eight())
	arrived, leave := make(chan struct{}), make(chan struct{})
	f.Set(storetest.On("write", func(*storetest.Call) error { close(arrived); <-leave; return nil }))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := v.Put(t.Context(), me(), entry("a", 1)); err != nil {
			t.Errorf("Put: %v", err)
		}
	})
	<-arrived
	found(t, v, index.Owner{Client: "c", User: "other"})
	wantFound(t, v)
	close(leave)
	wg.Wait()
	wantFound(t, v, "a")
}

// TestFiltersWhileOthersWrite lets readers filter by names while writers bring new ones.
func TestFiltersWhileOthersWrite(t *testing.T) {
	t.Parallel()
	v := openSpace(t, openOn(t, ram.New()), eight())
	must(t, v.Put(t.Context(), me(), entry("first", 1)))
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := range 300 {
				e := entry(fmt.Sprint(w, "-", i), 1)
				e.Kind, e.Session = fmt.Sprint("kind", i), fmt.Sprint("session", w, i)
				if err := v.Put(t.Context(), me(), e); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
		wg.Go(func() {
			for range 300 {
				q := index.Query{Vector: entry("", 1).Vector, Limit: 9, Kinds: []string{"message"}, Session: "s", IDs: []string{"first", "0-5"}}
				if hits, err := v.Search(t.Context(), me(), q); err != nil || len(hits) != 1 {
					t.Errorf("Search = %v, %v, want the first entry", hits, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestLoadGivenUp cancels the call that reads the block; the next one reads it.
func TestLoadGivenUp(t *testing.T) {
	t.Parallel()
	s := ram.New()
	must(t, openSpace(t, openOn(t, s), eight()).Put(t.Context(), me(), entry("a", 1)))
	f := storetest.Wrap(s, nil)
	v := openSpace(t, openOn(t, f), eight())
	ctx, cancel := context.WithCancel(t.Context())
	f.Set(storetest.On("scan", func(*storetest.Call) error { cancel(); return nil }))
	if _, err := v.Search(ctx, me(), index.Query{Vector: entry("", 1).Vector, Limit: 1}); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Search = %v, want state.ErrUnavailable", err)
	}
	wantFound(t, v, "a")
}
