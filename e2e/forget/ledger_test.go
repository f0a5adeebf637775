package forget_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
)

// told is a store in which two things were erased and written down, one before there was a ledger, and the ledger.
func told(t *testing.T) (p place, book string) {
	t.Helper()
	p, book = places(t, "sqlite"), filepath.Join(t.TempDir(), "erasures.jsonl")
	erase := func(prefix, word, book string) {
		w, err := openWith(t.Context(), p, begins(), prefix, false, book)
		must(t, err)
		defer w.close(t)
		for _, text := range []string{"My locker has number " + word + ".", "I like tea."} {
			_, err = w.say(t.Context(), in("anna", "s1"), text)
			must(t, err)
		}
		w.now = w.now.Add(time.Hour)
		_, err = w.Memory().Forget().Erase(t.Context(), in("anna", "s1"), forget.What{Topic: word})
		must(t, err)
	}
	erase("a", "qv9902k", "")
	erase("b", "zx4711q", book)
	return p, book
}

// What was erased before there was a ledger is written into it, once.
func TestLedgerHasWhatWasErasedBefore(t *testing.T) {
	t.Parallel()
	p, path := told(t)
	for range 2 {
		w, err := openWith(t.Context(), p, begins(), "c", false, path)
		must(t, err)
		w.close(t)
	}
	book, err := erasures.Open(path)
	must(t, err)
	lines, err := book.Lines(t.Context())
	must(t, err)
	var said []string
	for _, l := range lines {
		said = append(said, string(l.Said))
	}
	if got := strings.Join(said, " "); got != "asked done asked done" {
		t.Errorf("the lines say %q", got)
	}
	text, err := os.ReadFile(path)
	must(t, err)
	for _, word := range []string{"qv9902k", "zx4711q", "locker", "Locker"} {
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("the ledger has the text %s", word)
		}
	}
}

// A ledger that does not fit is refused before anything is read or erased, and the error says why and the way out.
func TestLedgerThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, lines [][]byte) []byte
		says  string
	}{
		"edited": {func(_ *testing.T, l [][]byte) []byte {
			l[1] = bytes.Replace(l[1], []byte(`"done"`), []byte(`"gone"`), 1)
			return bytes.Join(l, nil)
		}, "does not follow"},
		"no JSON":       {func(_ *testing.T, l [][]byte) []byte { l[1] = []byte("{\n"); return bytes.Join(l, nil) }, "line 2 is damaged"},
		"a line cut":    {func(_ *testing.T, l [][]byte) []byte { return bytes.Join(append(l[:1:1], l[2:]...), nil) }, "does not follow"},
		"its end cut":   {func(_ *testing.T, l [][]byte) []byte { return bytes.Join(l[:3], nil) }, "ends at line 3, and this store has seen line 4"},
		"all of it cut": {func(*testing.T, [][]byte) []byte { return nil }, "ends at line 0"},
		"written anew":  {writtenAnew, "has another line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, path := told(t)
			text, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, tt.spoil(t, bytes.SplitAfter(bytes.TrimSuffix(text, nil), []byte("\n"))), 0o600))
			w, err := openWith(t.Context(), p, begins(), "d", false, path)
			if err == nil {
				w.close(t)
			}
			if state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "erasure_ledger") {
				t.Errorf("opened: %v, want a conflict that says %q", err, tt.says)
			}
		})
	}
}

// writtenAnew is a sound ledger with the same orders at other times.
func writtenAnew(t *testing.T, old [][]byte) []byte {
	path := filepath.Join(t.TempDir(), "anew.jsonl")
	book, err := erasures.Open(path)
	must(t, err)
	for range old {
		_, err := book.Append(t.Context(), forget.Line{Said: forget.Asked, Client: "default", User: "anna", Order: "x", AskedAt: begins()})
		must(t, err)
	}
	text, err := os.ReadFile(path)
	must(t, err)
	return text
}

// A store whose user began at another time is another store: nothing of it is erased.
func TestLedgerOfAnotherStore(t *testing.T) {
	t.Parallel()
	_, path := told(t)
	other := places(t, "sqlite")
	w, err := openWorld(t.Context(), other, begins().Add(-time.Hour), "o", false)
	must(t, err)
	_, err = w.say(t.Context(), in("anna", "s1"), "My locker has number qv9902k.")
	must(t, err)
	w.close(t)
	_, err = openWith(t.Context(), other, begins(), "o2", false, path)
	if state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), "another store") && !strings.Contains(err.Error(), "of another") {
		t.Errorf("opened: %v", err)
	}
	if len(holding(everything(t, other), "qv9902k")) == 0 {
		t.Error("it was erased all the same")
	}
}

// Where the ledger cannot be written nothing is erased, and neither by a process that has none, when others have begun one.
func TestErasureNeedsItsLedger(t *testing.T) {
	t.Parallel()
	tea := func(w *world, name string) {
		t.Helper()
		_, err := w.Memory().Forget().Erase(t.Context(), in("anna", "s1"), forget.What{Topic: "tea"})
		if state.CodeOf(err) != state.Unavailable || !strings.Contains(err.Error(), "nothing was erased") {
			t.Errorf("%s: %v", name, err)
		}
		if len(holding(everything(t, w.place), "I like tea")) == 0 {
			t.Errorf("%s: it was erased all the same", name)
		}
	}
	p := places(t, "sqlite")
	w, err := openWorld(t.Context(), p, begins(), "a", false)
	must(t, err)
	defer w.close(t)
	for _, text := range []string{"My locker has number qv9902k.", "I like tea."} {
		_, err = w.say(t.Context(), in("anna", "s1"), text)
		must(t, err)
	}
	other, err := openWith(t.Context(), p, begins(), "b", false, filepath.Join(t.TempDir(), "erasures.jsonl"))
	must(t, err)
	_, err = other.Memory().Forget().Erase(t.Context(), in("anna", "s1"), forget.What{Topic: "locker"})
	must(t, err)
	other.close(t)
	tea(w, "none")

	at, path := told(t)
	s, err := at.open(t.Context())
	must(t, err)
	book, err := erasures.Open(path)
	must(t, err)
	g, err := graph.New(t.Context(), graph.Config{Store: s, Model: offline.New(), Erasures: deaf{book}})
	must(t, err)
	full := &world{Graph: g, store: s, place: at}
	defer full.close(t)
	tea(full, "cannot be written")
}

// deaf is a ledger that cannot be written.
type deaf struct{ forget.Ledger }

func (deaf) Append(context.Context, forget.Line) (forget.Line, error) {
	return forget.Line{}, state.Errorf(state.Unavailable, "erasure ledger", "cannot be written: the disk is full")
}

// A ledger in another database does the same.
func TestLedgerInADatabase(t *testing.T) {
	t.Parallel()
	p, other := places(t, "sqlite"), places(t, "sqlite")
	book, err := other.open(t.Context())
	must(t, err)
	defer func() { must(t, book.Close()) }()
	live := func(p place, what forget.What, say ...string) {
		t.Helper()
		s, err := p.open(t.Context())
		must(t, err)
		defer func() { must(t, s.Close()) }()
		g, err := graph.New(t.Context(), graph.Config{Store: s, Model: offline.New(), Erasures: erasures.In(book, "the other database")})
		must(t, err)
		defer func() { must(t, g.Close()) }()
		for _, text := range say {
			_, err := g.Invoke(t.Context(), graph.Request{Scope: in("anna", "s1"), Text: text})
			must(t, err)
		}
		if what != (forget.What{}) {
			_, err = g.Memory().Forget().Erase(t.Context(), in("anna", "s1"), what)
			must(t, err)
		}
	}
	live(p, forget.What{}, "My locker has number qv9902k.", "I like tea.")
	backup := copyOf(t, p)
	live(p, forget.What{Topic: "qv9902k"})
	live(backup, forget.What{})
	for _, at := range []place{p, backup} {
		if left := holding(everything(t, at), "qv9902k"); len(left) > 0 {
			t.Errorf("left in %q", left)
		}
	}
}

// A ledger that is taken away while a process runs is found by the next erasure, and nothing is erased.
func TestLedgerIsTakenAway(t *testing.T) {
	t.Parallel()
	p, path := told(t)
	w, err := openWith(t.Context(), p, begins(), "c", false, path)
	must(t, err)
	must(t, os.Remove(path))
	_, err = w.Memory().Forget().Erase(t.Context(), in("anna", "s1"), forget.What{Topic: "tea"})
	if state.CodeOf(err) != state.Unavailable || !strings.Contains(err.Error(), "has lost lines") {
		t.Errorf("erased: %v", err)
	}
	w.close(t)
	if len(holding(everything(t, p), "I like tea")) == 0 {
		t.Error("it was erased all the same")
	}
}
