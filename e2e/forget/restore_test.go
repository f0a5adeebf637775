package forget_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
)

// restored is a backup from before some erasures, and the ledger that has them.
type restored struct {
	store   place // that things were erased in
	backup  place
	book    string
	vectors bool
	now     time.Time
	names   []string
	gone    []string // words
	stays   []*thing // that the backup has
}

// newRestored lives a history, makes a backup in the middle, goes on and erases one to three things.
func newRestored(t *testing.T, kind string, seed uint64) restored {
	t.Helper()
	ctx, r, p := t.Context(), rand.New(rand.NewPCG(seed, 35)), places(t, kind)
	out := restored{store: p, book: filepath.Join(t.TempDir(), "erasures.jsonl"), vectors: r.IntN(2) == 0}
	first := out.book
	if r.IntN(3) == 0 { // the backup was made before there was a ledger
		first = ""
	}
	w, err := openWith(ctx, p, begins(), "a", out.vectors, first)
	must(t, err)
	things, err := w.history(ctx, r)
	must(t, err)
	must(t, w.Memory().Vectors().Settle(ctx, in("anna", "s0")))
	w.close(t)
	out.backup = copyOf(t, p)
	had := everything(t, out.backup)
	if w, err = openWith(ctx, p, w.now.Add(time.Hour), "b", out.vectors, out.book); err != nil {
		t.Fatal(err)
	}
	if r.IntN(3) > 0 { // affairs and sessions are other ones by the time that something is erased
		_, err := w.history(ctx, r)
		must(t, err)
	}
	for range 1 + r.IntN(3) {
		a := aims(w, things, r)
		if r.IntN(3) == 0 {
			a = clears(a, r)
		}
		if _, err := w.Memory().Forget().Erase(ctx, a.scope, a.what); err != nil && state.CodeOf(err) != state.NotFound {
			t.Fatalf("%s: %v", a.name, err)
		}
		for _, word := range a.gone {
			if len(holding(had, word)) == 0 {
				t.Errorf("%s: the backup has no %s: nothing is to be looked for", a.name, word)
			}
		}
		w.now = w.now.Add(time.Hour)
		out.names, out.gone = append(out.names, a.name), append(out.gone, a.gone...)
	}
	out.now = w.now.Add(24 * time.Hour)
	w.close(t)

	// What of a clearing went is told by what the store has no more; what stays of it may be in what was learnt since.
	left, cleared := everything(t, p), slices.ContainsFunc(out.names, func(name string) bool { return strings.HasPrefix(name, "clear") })
	for _, th := range things {
		switch here := len(holding(left, th.canary)) > 0; {
		case slices.Contains(out.gone, th.canary):
		case !here:
			out.gone = append(out.gone, th.canary)
		case !cleared:
			out.stays = append(out.stays, th)
		}
	}
	return out
}

// clears is an aim that takes what it takes: a clearing, or the whole client.
func clears(a aim, r *rand.Rand) aim {
	switch r.IntN(3) {
	case 0:
		return aim{name: "clear session", scope: a.scope, what: forget.What{Clear: forget.ClearSession}}
	case 1:
		return aim{name: "clear global", scope: a.scope, what: forget.What{Clear: forget.ClearGlobal}}
	}
	return aim{name: "client", scope: a.scope, what: forget.What{Client: true}}
}

// look looks for what was erased, in every layer of a store.
func (x restored) look(t *testing.T, p place, how string) {
	t.Helper()
	left := everything(t, p)
	for _, word := range x.gone {
		if at := holding(left, word); len(at) > 0 {
			slices.Sort(at)
			t.Errorf("%s, %v: %s came back in %q", how, x.names, word, at)
		}
	}
}

// A backup from before erasures is put back: nothing comes back, what was not erased is found, and the next start erases nothing.
func TestRestored(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "mongo"} {
		n := tries(20, 60, 200)
		if kind == "mongo" {
			n /= 10
		}
		for seed := firstSeed(t); seed < firstSeed(t)+n; seed++ {
			t.Run(fmt.Sprint(kind, " seed ", seed), func(t *testing.T) {
				t.Parallel()
				tryRestored(t, newRestored(t, kind, seed))
			})
		}
	}
}

func tryRestored(t *testing.T, x restored) {
	ctx := t.Context()
	w, err := openWith(ctx, x.backup, x.now, "c", x.vectors, x.book)
	must(t, err)
	for _, th := range x.stays {
		records, err := w.Memory().Records(ctx, in(th.user, th.session))
		must(t, err)
		if slices.ContainsFunc(records, func(r state.Record) bool { return r.ID == th.record && r.EndedIn != "" }) {
			continue
		}
		hits, err := w.Memory().Recall(ctx, memory.Query{Scope: in(th.user, th.session), Text: th.subject + " " + th.canary, Limit: 10})
		if err != nil || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Text, th.canary) }) {
			t.Errorf("%v: what was not erased is found no more: %s, %v", x.names, th.canary, err)
		}
	}
	w.close(t)
	x.look(t, x.backup, "restored")

	// Said again it stays, whatever the ledger has.
	if len(x.gone) == 0 {
		return
	}
	if w, err = openWith(ctx, x.backup, x.now.Add(time.Hour), "d", x.vectors, x.book); err != nil {
		t.Fatal(err)
	}
	_, err = w.say(ctx, in("anna", "s1"), "My "+subjects[0]+" is "+x.gone[0]+" now.")
	must(t, err)
	w.close(t)
	if w, err = openWith(ctx, x.backup, x.now.Add(2*time.Hour), "e", x.vectors, x.book); err != nil {
		t.Fatal(err)
	}
	defer w.close(t)
	hits, err := w.Memory().Recall(ctx, memory.Query{Scope: in("anna", "s1"), Text: x.gone[0]})
	if err != nil || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Text, x.gone[0]) }) {
		t.Errorf("%v: what was said again is not found: %v, %v", x.names, hits, err)
	}
}

// reopening is what a child has to do: to open a backup with a ledger, and where it ends.
type reopening struct {
	Dir    string
	Book   string
	Now    time.Time
	N      int
	Behind bool
}

const reopenWord = "forget-reopen"

// reopen is the child's life.
func reopen(ctx context.Context, in io.Reader) error {
	var l reopening
	if err := json.NewDecoder(in).Decode(&l); err != nil {
		return err
	}
	_, err := l.open(ctx, true)
	return err
}

// open opens the backup up to its n-th write, and returns how many there were.
func (l reopening) open(ctx context.Context, dies bool) (writes int, err error) {
	s, err := place{dir: l.Dir}.open(ctx)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	book, err := erasures.Open(l.Book)
	if err != nil {
		return 0, err
	}
	g, err := graph.New(ctx, graph.Config{Store: cut{s, l.N, l.Behind, dies, &writes}, Model: offline.New(), Erasures: book, Now: func() time.Time { return l.Now }})
	if err != nil {
		return writes, err
	}
	return writes, g.Close()
}

// A process that erases again is killed at one write after the other: the next start goes on, and in the end nothing is there.
func TestRestoredKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	kills, killed, seeds := tries(40, 120, 400), uint64(0), 0
	for seed := firstSeed(t) + 1000; killed < kills; seed++ {
		seeds++
		x := newRestored(t, "sqlite", seed)
		at := copyOf(t, x.backup)
		whole := reopening{Dir: at.dir, Book: copyFile(t, x.book), Now: x.now}
		writes, err := whole.open(t.Context(), false)
		must(t, err)
		x.look(t, at, "not killed")
		r := rand.New(rand.NewPCG(seed, 36))
		for range min(3, writes) {
			l := reopening{Dir: copyOf(t, x.backup).dir, Book: copyFile(t, x.book), Now: x.now, N: 1 + r.IntN(writes), Behind: r.IntN(2) == 0}
			for range 3 { // and killed again where it goes on
				was, err := crash.Run(t.Context(), []string{os.Args[0], reopenWord}, l, new(bool))
				must(t, err)
				if was {
					killed++
				}
				l.N = 1 + r.IntN(max(l.N/2, 1))
			}
			w, err := openWith(t.Context(), place{dir: l.Dir}, x.now.Add(time.Hour), "f", x.vectors, l.Book)
			if err != nil {
				t.Errorf("seed %d, killed at write %d: %v", seed, l.N, err)
				continue
			}
			w.close(t)
			x.look(t, place{dir: l.Dir}, fmt.Sprintf("seed %d, killed at write %d", seed, l.N))
		}
	}
	t.Logf("%d kills in %d histories", killed, seeds)
}

func copyFile(t *testing.T, from string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	to := filepath.Join(t.TempDir(), "erasures.jsonl")
	must(t, os.WriteFile(to, text, 0o600))
	return to
}

// A process that erases is killed at one write after the other. What is written down outside goes at the next start, in its store and in a backup from
// before it; what is not was never begun.
func TestErasingKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	kills, killed, began := tries(40, 120, 400), uint64(0), 0
	for seed := firstSeed(t) + 2000; killed < kills; seed++ {
		r, from := rand.New(rand.NewPCG(seed, 37)), places(t, "sqlite")
		w, err := openWith(t.Context(), from, begins(), "a", false, "")
		must(t, err)
		things, err := w.history(t.Context(), r)
		must(t, err)
		a := aims(w, things, r)
		w.close(t)
		at := copyOf(t, from)
		whole := life{Dir: at.dir, Scope: a.scope, What: a.what, Book: filepath.Join(t.TempDir(), "book")}
		writes, err := whole.erase(t.Context(), false)
		must(t, err)
		for range min(6, writes) {
			at := copyOf(t, from)
			l := whole
			l.Dir, l.Book, l.N, l.Behind = at.dir, filepath.Join(t.TempDir(), "book"), 1+r.IntN(writes), r.IntN(2) == 0
			was, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, l, new(bool))
			must(t, err)
			if !was {
				t.Errorf("seed %d: not killed at write %d of %d", seed, l.N, writes)
			}
			killed++
			book, err := erasures.Open(l.Book)
			must(t, err)
			lines, err := book.Lines(t.Context())
			must(t, err)
			if len(lines) == 0 {
				continue
			}
			began++
			for name, p := range map[string]place{"killed": at, "backup": copyOf(t, from)} {
				w, err := openWith(t.Context(), p, begins().Add(48*time.Hour), "f", false, copyFile(t, l.Book))
				if err != nil {
					t.Errorf("seed %d, killed at write %d: %v", seed, l.N, err)
					continue
				}
				w.close(t)
				restored{gone: a.gone, names: []string{a.name}}.look(t, p, fmt.Sprintf("%s, seed %d, killed at write %d", name, seed, l.N))
			}
		}
	}
	t.Logf("%d kills, %d of them when it was written down", killed, began)
}

// Several processes open a backup at once: each is served when all of it is erased, and it is erased once.
func TestRestoredByMany(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for seed := firstSeed(t) + 3000; seed < firstSeed(t)+3004; seed++ {
		x := newRestored(t, "sqlite", seed)
		var beside sync.WaitGroup
		for range 4 {
			beside.Go(func() {
				l := reopening{Dir: x.backup.dir, Book: x.book, Now: x.now}
				if killed, err := crash.Run(t.Context(), []string{os.Args[0], reopenWord}, l, new(bool)); killed || err != nil {
					t.Errorf("seed %d: killed %v, %v", seed, killed, err)
				}
			})
		}
		beside.Wait()
		x.look(t, x.backup, "opened by many")
		book, err := erasures.Open(x.book)
		must(t, err)
		lines, err := book.Lines(t.Context())
		must(t, err)
		must(t, forget.Check(lines))
		again := map[string]int{}
		for _, l := range lines {
			if l.Said == forget.Again {
				again[l.User+l.Order]++
			}
		}
		if len(again) == 0 {
			t.Error("the ledger does not say that anything was erased again")
		}
	}
}
