package memory_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

// saving is a memory that saves word indexes from the first document on, in pieces of some bytes.
func (w *world) saving(t *testing.T, piece int) *memory.Memory {
	t.Helper()
	m := w.memory(t, nil)
	m.SaveFrom(1, piece)
	return m
}

// seeing looks at a store's scans; blind, it hides snapshots, so that everything is loaded in full.
type seeing struct {
	store.Store
	blind bool
	mu    sync.Mutex
	full  int // scans of all messages of a user
}

func (s *seeing) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if s.blind && c == state.Snapshots {
		return store.Doc{}, store.NotFound(c, id)
	}
	return s.Store.Get(ctx, c, id)
}

func (s *seeing) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	s.mu.Lock()
	if q.Collection == state.Messages && q.Prefix == in("").UserPrefix() {
		s.full++
	}
	s.mu.Unlock()
	return s.Store.Scan(ctx, q)
}

// cold is what a new process over the store finds, what it notes, and whether it read all messages.
func (w *world) cold(t *testing.T, blind bool) (found [][]memory.Hit, notes []string, full bool) {
	t.Helper()
	s := &seeing{Store: w.store, blind: blind}
	m := worldOf(s, &statetest.Clock{At: w.clock()}).memory(t, nil)
	trace := &state.Trace{}
	for _, text := range []string{"the garden and its order", "parcel 7 to Prague", "note on the boat", "Noted.", "what was said about order 77?"} {
		hits, err := m.Recall(state.ContextWithTrace(t.Context(), trace), memory.Query{Scope: in("s1"), Text: text, Limit: 40})
		must(t, err)
		found = append(found, hits)
	}
	return found, trace.Notes(), s.full > 0
}

// same fails the test unless a new process finds the same with the snapshot as without; it reports whether it was of use.
func (w *world) same(t *testing.T) (used bool, notes []string) {
	t.Helper()
	want, _, _ := w.cold(t, true)
	got, notes, full := w.cold(t, false)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-loaded in full +from the snapshot)\n%s", diff)
	}
	return !full, notes
}

// snapshots are the user's, by key.
func (w *world) snapshots(t *testing.T) []store.Doc {
	t.Helper()
	docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Snapshots, Prefix: in("").UserPrefix()})
	must(t, err)
	return docs
}

// remove takes a document out of the store as one who forgets it would: with an entry in the feed.
func (w *world) remove(t *testing.T, c state.Collection, which int) {
	t.Helper()
	docs, err := w.store.Scan(t.Context(), store.Query{Collection: c, Prefix: in("").UserPrefix()})
	if err != nil || len(docs) == 0 {
		return
	}
	doc := docs[which%len(docs)]
	doc.Body = nil
	last, err := w.store.Scan(t.Context(), store.Query{Collection: state.Feed, Prefix: in("").UserPrefix(), Reverse: true, Limit: 1})
	must(t, err)
	seq := last[0].Body.Lookup("seq").AsInt64() + 1
	entry, err := bson.Marshal(bson.M{"seq": seq, "at": w.clock(), "changed": []string{string(c) + "/" + strings.TrimPrefix(doc.ID, in("").UserPrefix())}})
	must(t, err)
	must(t, w.store.Write(t.Context(), doc, store.Doc{Collection: state.Feed, ID: in("").FeedKey(seq), Body: entry}))
}

// Whatever two processes write, edit, take back and forget, and whenever one saves: an index from a snapshot and the feed
// behind it finds what one made anew finds, with the same scores.
func TestSnapshotAndFeedAreTheIndex(t *testing.T) {
	t.Parallel()
	var used int
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		processes := []*memory.Memory{w.memory(t, nil), w.memory(t, nil)}
		session := rapid.SampledFrom([]string{"s1", "s2"})
		for n := range rapid.IntRange(1, 14).Draw(rt, "steps") {
			m, scope := processes[rapid.IntRange(0, 1).Draw(rt, "process")], in(session.Draw(rt, "session"))
			switch op := rapid.SampledFrom([]string{"turn", "turn", "write", "write", "undo", "archive", "forget", "save", "save"}).Draw(rt, "op"); op {
			case "turn":
				title := rapid.SampledFrom([]string{"Garden", "Boat"}).Draw(rt, "title")
				w.turn(t, m, scope, opens(title), fmt.Sprintf("%s: parcel %d goes to Prague, order 77-%04d", title, n, n))
			case "write":
				subject := rapid.SampledFrom([]string{"boat", "garden", ""}).Draw(rt, "subject")
				write(t, m, scope, memory.Change{Subject: subject, Content: fmt.Sprintf("note %d on the %s", rapid.IntRange(0, 3).Draw(rt, "note"), subject)})
			case "undo":
				said, err := m.Messages(t.Context(), scope)
				if err == nil && len(said) > 0 {
					err = m.History().UndoTurn(t.Context(), scope, rapid.SampledFrom(said).Draw(rt, "turn").Turn)
					if errors.Is(err, state.ErrConflict) { // a later turn went on with what it did
						err = nil
					}
				}
				must(rt, err)
			case "archive":
				_, _ = m.Affairs().Move(t.Context(), scope, rapid.SampledFrom([]string{"Garden", "Boat"}).Draw(rt, "title"), state.Archived, "") // there may be none
			case "forget":
				c := rapid.SampledFrom([]state.Collection{state.Records, state.Messages}).Draw(rt, "collection")
				w.remove(t, c, rapid.IntRange(0, 20).Draw(rt, "which"))
			case "save":
				m.SaveFrom(1, 300)
				must(rt, m.Close())
				processes[slices.Index(processes, m)] = w.memory(t, nil)
			}
		}
		there := len(w.snapshots(t)) > 0
		restored, notes := w.same(t)
		if restored != there || len(notes) > 0 {
			rt.Fatalf("a snapshot is there: %v, it was of use: %v, noted: %q", there, restored, notes)
		}
		if restored {
			used++
		}
	})
	if used == 0 {
		t.Error("no run had a snapshot")
	}
}

// talked is a world with some messages and records, saved.
func talked(t *testing.T, w *world) *world {
	t.Helper()
	m := w.saving(t, 400)
	for n := range 6 {
		w.turn(t, m, in("s1"), opens("Garden"), fmt.Sprintf("The garden: parcel %d goes to Prague, order 77-%04d", n, n))
		write(t, m, in("s1"), memory.Change{Subject: fmt.Sprint("unicorn ", n), Content: fmt.Sprintf("note %d on the boat named Xanadu", n)})
	}
	must(t, m.Close())
	if n := len(w.snapshots(t)); n < 4 {
		t.Fatalf("%d documents of a snapshot", n)
	}
	return w
}

// change writes documents again with other bodies, nil to delete them.
func (w *world) change(t *testing.T, doc store.Doc, key string, edit func(v bson.RawValue) any) {
	t.Helper()
	var fields bson.D
	must(t, bson.Unmarshal(doc.Body, &fields))
	for i := range fields {
		if fields[i].Key == key {
			fields[i].Value = edit(doc.Body.Lookup(key))
		}
	}
	doc.Body, _ = bson.Marshal(fields)
	must(t, w.store.Write(t.Context(), doc))
}

func TestDamagedSnapshotIsMadeAnew(t *testing.T) {
	t.Parallel()
	number := func(to int64) func(bson.RawValue) any {
		return func(v bson.RawValue) any { return v.AsInt64() + to }
	}
	bit := func(at int) func(bson.RawValue) any {
		return func(v bson.RawValue) any {
			_, data := v.Binary()
			data = bytes.Clone(data)
			data[at] ^= 4
			return data
		}
	}
	for name, damage := range map[string]func(t *testing.T, w *world, head store.Doc, pieces []store.Doc){
		"a bit of a piece": func(t *testing.T, w *world, _ store.Doc, pieces []store.Doc) {
			w.change(t, pieces[1], "data", bit(100))
		},
		"a piece is lost": func(t *testing.T, w *world, _ store.Doc, pieces []store.Doc) {
			pieces[1].Body = nil
			must(t, w.store.Write(t.Context(), pieces[1]))
		},
		"all pieces are lost": func(t *testing.T, w *world, _ store.Doc, pieces []store.Doc) {
			if _, err := w.store.Delete(t.Context(), state.Snapshots, in("").UserPrefix()+"0"); err != nil {
				t.Fatal(err)
			}
		},
		"another form":        func(t *testing.T, w *world, head store.Doc, _ []store.Doc) { w.change(t, head, "form", number(1)) },
		"later than the feed": func(t *testing.T, w *world, head store.Doc, _ []store.Doc) { w.change(t, head, "seq", number(100)) },
		"of another feed": func(t *testing.T, w *world, head store.Doc, _ []store.Doc) {
			w.change(t, head, "at", func(bson.RawValue) any { return bson.DateTime(7) })
		},
		"its head is something else": func(t *testing.T, w *world, head store.Doc, _ []store.Doc) {
			w.change(t, head, "seq", func(bson.RawValue) any { return "seven" })
		},
		"pieces of another format": func(t *testing.T, w *world, head store.Doc, pieces []store.Doc) {
			whole := []byte{}
			for i, p := range pieces {
				_, data := p.Body.Lookup("data").Binary()
				data = bytes.Clone(data)
				if i == 0 {
					copy(data, "mneme words\n")
					w.change(t, p, "data", func(bson.RawValue) any { return data })
				}
				whole = append(whole, data...)
			}
			sum := sha256.Sum256(whole)
			w.change(t, head, "sum", func(bson.RawValue) any { return sum[:] })
		},
		"the feed has a gap behind it": func(t *testing.T, w *world, _ store.Doc, _ []store.Doc) {
			m := w.memory(t, nil)
			write(t, m, in("s1"), memory.Change{Content: "parcel 7 has arrived"})
			gap, err := w.store.Scan(t.Context(), store.Query{Collection: state.Feed, Prefix: in("").UserPrefix(), Reverse: true, Limit: 1})
			must(t, err)
			write(t, m, in("s1"), memory.Change{Content: "parcel 8 has arrived too"})
			gap[0].Body = nil
			must(t, w.store.Write(t.Context(), gap[0]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := talked(t, newWorld())
			docs := w.snapshots(t)
			damage(t, w, docs[len(docs)-1], docs[:len(docs)-1])
			used, notes := w.same(t)
			if used || len(notes) != 1 || !strings.Contains(notes[0], "word index: made anew") {
				t.Errorf("of use: %v; noted: %q", used, notes)
			}
			m := w.saving(t, 400)
			texts(t, m, memory.Query{Scope: in("s1"), Text: "garden"})
			must(t, m.Close())
			if used, notes = w.same(t); !used || len(notes) > 0 {
				t.Errorf("saved again and not of use: %q", notes)
			}
		})
	}
}

func TestSmallIndexesAreNotSaved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		world func() *world
		from  int64 // 0 = as it is by default
		want  bool
	}{
		"by default":       {newWorld, 0, false},
		"one too few":      {newWorld, 4, false},
		"as many":          {newWorld, 3, true},
		"store not atomic": {newServer, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.world()
			m := w.memory(t, nil)
			if c.from > 0 {
				m.SaveFrom(c.from, 100)
			}
			for n := range 3 {
				write(t, m, in("s1"), memory.Change{Kind: state.EventRecord, Content: fmt.Sprintf("On walk %d we saw bird%d", n, n*7)})
			}
			feed := func() int {
				docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Feed})
				must(t, err)
				return len(docs)
			}
			before := feed()
			for range 2 {
				must(t, m.Close())
			}
			if got := len(w.snapshots(t)) > 0; got != c.want || feed() != before {
				t.Errorf("saved: %v, want %v; the feed had %d entries, now %d", got, c.want, before, feed())
			}
		})
	}
}

// cut is a store that dies at the n-th change of a snapshot.
type cut struct {
	store.Store
	left int
}

func (c *cut) dead(collection state.Collection) error {
	if collection != state.Snapshots {
		return nil
	}
	if c.left--; c.left < 0 {
		return state.Errorf(state.Unavailable, "store", "is gone for a test")
	}
	return nil
}

func (c *cut) Write(ctx context.Context, docs ...store.Doc) error {
	for _, d := range docs {
		if err := c.dead(d.Collection); err != nil {
			return err
		}
	}
	return c.Store.Write(ctx, docs...)
}

func (c *cut) Delete(ctx context.Context, collection state.Collection, prefix string) (int, error) {
	if err := c.dead(collection); err != nil {
		return 0, err
	}
	return c.Store.Delete(ctx, collection, prefix)
}

func TestSavingMayBeCutShort(t *testing.T) {
	t.Parallel()
	w := talked(t, newWorld())
	c := &cut{Store: w.store}
	for n := 0; ; n++ {
		c.left = n
		m := w.process(c).saving(t, 400)
		write(t, m, in("s1"), memory.Change{Kind: state.EventRecord, Content: fmt.Sprintf("Parcel %d was bird%d, and the garden is order%d", n, n, n)})
		must(t, m.Close())
		if used, notes := w.same(t); !used || len(notes) > 0 {
			t.Fatalf("cut short at change %d: of use: %v, noted: %q", n, used, notes)
		}
		if c.left >= 0 {
			break
		}
		if n > 100 {
			t.Fatal("it is never complete")
		}
	}
	sets := map[string]bool{}
	for _, d := range w.snapshots(t) {
		set, _, _ := strings.Cut(strings.TrimPrefix(d.ID, in("").UserPrefix()), "/")
		sets[set] = true
	}
	if len(sets) != 2 {
		t.Errorf("left behind: %v", sets) // the head and one set
	}
}

func TestSealedSnapshotShowsNothing(t *testing.T) {
	t.Parallel()
	shows := func(s store.Store) bool {
		docs, err := s.Scan(t.Context(), store.Query{Collection: state.Snapshots})
		must(t, err)
		return slices.ContainsFunc(docs, func(d store.Doc) bool {
			return bytes.Contains(d.Body, []byte("xanadu")) || bytes.Contains(d.Body, []byte("unicorn"))
		})
	}
	if w := talked(t, newWorld()); !shows(w.store) {
		t.Fatal("a plain snapshot has no word of the texts: this test looks for the wrong one")
	}
	below := ram.New()
	ring, err := sealed.ParseKeys("k1:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	must(t, err)
	w := newWorld()
	if w.store, err = sealed.New(sealed.Config{Store: below, Keys: ring}); err != nil {
		t.Fatal(err)
	}
	talked(t, w)
	if shows(below) {
		t.Error("what was said can be read in the snapshot")
	}
	if used, notes := w.same(t); !used || len(notes) > 0 {
		t.Errorf("of use: %v, noted: %q", used, notes)
	}
}

func TestSnapshotsOfMindsThatGo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.WarmBudgetMB, c.Settings.HotBudgetMB = 1, 1 })
	m.SaveFrom(60, 1<<20)
	for i := range 16 {
		scope := in("s1")
		scope.User = fmt.Sprintf("u%d", i+1)
		var changes []memory.Change
		for n := range 60 {
			changes = append(changes, memory.Change{Kind: state.EventRecord, Content: fmt.Sprintf("On walk number %d user %d saw bird%d and tree%d at place%d", n, i, n*7, n*11, n*13)})
		}
		if _, err := m.Write(t.Context(), scope, changes...); err != nil {
			t.Fatal(err)
		}
	}
	if m.Usage()[2].Gone == 0 {
		t.Fatal("nobody had to go")
	}
	must(t, m.Close())
	if used, notes := w.same(t); !used || len(notes) > 0 { // the first one went
		t.Errorf("of use: %v, noted: %q", used, notes)
	}
}

// telling is a store that tells of heads of snapshots.
type telling struct {
	store.Store
	heads chan string
}

func (s *telling) Write(ctx context.Context, docs ...store.Doc) error {
	err := s.Store.Write(ctx, docs...)
	for _, d := range docs {
		if d.Collection == state.Snapshots && strings.HasSuffix(d.ID, "/snapshot") {
			s.heads <- d.ID
		}
	}
	return err
}

func TestLongLoadIsSaved(t *testing.T) {
	t.Parallel()
	w := newWorld()
	fill := w.memory(t, nil)
	for n := range 4 {
		write(t, fill, in("s1"), memory.Change{Kind: state.EventRecord, Content: fmt.Sprintf("On walk %d we saw bird%d", n, n*7)})
	}
	s := &telling{Store: w.store, heads: make(chan string, 9)}
	m := w.process(s).saving(t, 400)
	for range 2 { // once, though
		texts(t, m, memory.Query{Scope: in("s1"), Text: "which bird?"})
	}
	if got := <-s.heads; got != in("").UserPrefix()+"snapshot" {
		t.Errorf("saved %s", got)
	}
	if err := m.Close(); err != nil || len(s.heads) > 0 {
		t.Errorf("saved twice: %v", err)
	}
	if used, notes := w.same(t); !used || len(notes) > 0 {
		t.Errorf("of use: %v, noted: %q", used, notes)
	}
}
