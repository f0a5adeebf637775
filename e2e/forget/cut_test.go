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
	"testing"
	"time"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// cut is a store whose process dies, or which answers no more, at its n-th write: before it or behind it.
type cut struct {
	opened
	n      int
	behind bool
	dies   bool
	done   *int
}

var errCut = state.Errorf(state.Unavailable, "store", "is cut off")

// at counts a write, and reports whether it comes to nothing.
func (c cut) at(write func() error) error {
	*c.done++
	if c.n == 0 || *c.done < c.n {
		return write()
	}
	if *c.done == c.n && c.behind {
		if err := write(); err != nil {
			return err
		}
	}
	if c.dies {
		crash.Die()
	}
	return errCut
}

// Write writes, or is cut off.
func (c cut) Write(ctx context.Context, docs ...store.Doc) error {
	return c.at(func() error { return c.opened.Write(ctx, docs...) })
}

// Delete deletes, or is cut off.
func (c cut) Delete(ctx context.Context, in state.Collection, prefix string) (n int, err error) {
	err = c.at(func() error {
		n, err = c.opened.Delete(ctx, in, prefix)
		return err
	})
	return n, err
}

// Purge purges, or is cut off.
func (c cut) Purge(ctx context.Context) (done bool, err error) {
	err = c.at(func() error {
		done, err = store.Purge(ctx, c.opened)
		return err
	})
	return done, err
}

// life is what a child has to do: to erase, and where it ends.
type life struct {
	Dir    string
	URI    string
	Scope  state.Scope
	What   forget.What
	N      int
	Behind bool
	Book   string // a ledger of erasures, "" for none
}

const childWord = "forget-child"

func TestMain(m *testing.M) {
	said := func(live func(context.Context, io.Reader) error) func(context.Context, io.Reader, io.Writer) error {
		return func(ctx context.Context, in io.Reader, out io.Writer) error {
			err := live(ctx, in)
			if err == nil {
				_, err = fmt.Fprintln(out, "true")
			}
			return err
		}
	}
	children := map[string]func(context.Context, io.Reader, io.Writer) error{childWord: live, reopenWord: said(reopen), bringWord: said(bringChild)}
	if len(os.Args) == 2 && children[os.Args[1]] != nil {
		if err := children[os.Args[1]](context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func live(ctx context.Context, in io.Reader, out io.Writer) error {
	var l life
	if err := json.NewDecoder(in).Decode(&l); err != nil {
		return err
	}
	_, err := l.erase(ctx, true)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(true)
}

// erase erases, up to the n-th write, and returns how many there were.
func (l life) erase(ctx context.Context, dies bool) (writes int, err error) {
	s, err := place{dir: l.Dir, uri: l.URI}.open(ctx)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	c := memory.Config{Store: cut{s, l.N, l.Behind, dies, &writes}, Now: func() time.Time { return begins().Add(24 * time.Hour) }}
	if l.Book != "" {
		if c.Erasures, err = erasures.Open(l.Book); err != nil {
			return 0, err
		}
	}
	m, err := memory.New(c)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	_, err = m.Forget().Erase(ctx, l.Scope, l.What)
	return writes, err
}

// TestCutShort cuts a forgetting off at every write, before it and behind it, and has it gone on with in one of the ways there are.
func TestCutShort(t *testing.T) {
	t.Parallel()
	for seed := range firstSeed(t) + 3 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			cutEverywhere(t, "sqlite", seed, func(l life) error {
				_, err := l.erase(t.Context(), false)
				return err
			})
		})
	}
}

// TestKilled is TestCutShort with a process that is killed, on MongoDB too.
func TestKilled(t *testing.T) {
	t.Parallel()
	if !long() {
		t.Skip("kills a process at every write; set MNEME_LONG=1 to run it")
	}
	for _, kind := range []string{"sqlite", "mongo"} {
		for seed := range firstSeed(t) + 2 {
			t.Run(fmt.Sprint(kind, " seed ", seed), func(t *testing.T) {
				t.Parallel()
				cutEverywhere(t, kind, seed+100, func(l life) error {
					killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, l, new(bool))
					if err == nil && !killed {
						t.Errorf("write %d: the process was not killed", l.N)
					}
					return err
				})
			})
		}
	}
}

// some is how many writes are between two that are tried: all where time is given, and MongoDB takes more of it.
func some(kind string) int {
	switch {
	case !long():
		return 3
	case kind == "mongo" && os.Getenv("MNEME_LONG") != "2":
		return 8
	}
	return 1
}

func cutEverywhere(t *testing.T, kind string, seed uint64, erase func(life) error) {
	ctx, r, from := t.Context(), rand.New(rand.NewPCG(seed, 11)), places(t, kind)
	w, err := openWorld(ctx, from, begins(), "a", false)
	must(t, err)
	things, err := w.history(ctx, r)
	must(t, err)
	a := aims(w, things, r)
	w.close(t)

	// How many writes has it?
	at := copyOf(t, from)
	whole := life{Dir: at.dir, URI: at.uri, Scope: a.scope, What: a.what}
	writes, err := whole.erase(ctx, false)
	if err != nil || writes < 8 {
		t.Fatalf("%s: %d writes, %v", a.name, writes, err)
	}
	tried := 0
	for n := 1; n <= writes; n++ {
		for _, behind := range []bool{false, true} {
			tried++
			if every := some(kind); (tried+int(seed))%every != 0 {
				continue
			}
			at := copyOf(t, from)
			l := life{Dir: at.dir, URI: at.uri, Scope: a.scope, What: a.what, N: n, Behind: behind}
			if err := erase(l); err != nil && state.CodeOf(err) != state.Unavailable {
				t.Errorf("%s cut at write %d: %v", a.name, n, err)
			}
			goOn(t, a, l, n)
		}
	}
}

// goOn goes on with what was cut short, and looks whether all of it is done.
func goOn(t *testing.T, a aim, l life, n int) {
	ctx, p := t.Context(), place{dir: l.Dir, uri: l.URI}
	w, err := openWorld(ctx, p, begins().Add(48*time.Hour), fmt.Sprint("d", n), false)
	must(t, err)
	was, err := w.Memory().Forget().Erase(ctx, a.scope, forget.What{})
	if n%3 == 0 && err == nil {
		_, err = w.Sweep(ctx, "", false)
	}
	if err == nil && was.ID == "" { // it was cut off before it was written down, or done
		_, err = w.Memory().Forget().Erase(ctx, a.scope, a.what)
		if state.CodeOf(err) == state.NotFound {
			err = nil
		}
	}
	if err == nil {
		_, err = w.Invoke(ctx, graph.Request{Scope: a.scope, Text: "hello again"})
	}
	if err != nil {
		t.Errorf("%s cut at write %d (behind it: %v): %v", a.name, n, l.Behind, err)
	}
	w.close(t)
	left := everything(t, p)
	for _, word := range a.gone {
		if at := holding(left, word); len(at) > 0 {
			slices.Sort(at)
			t.Errorf("%s cut at write %d (behind it: %v): %s is left in %q", a.name, n, l.Behind, word, at)
		}
	}
}

func copyOf(t *testing.T, from place) place {
	t.Helper()
	if from.uri != "" {
		return place{uri: mongotest.Copy(t, from.uri)}
	}
	to := filepath.Join(t.TempDir(), "store")
	must(t, os.CopyFS(to, os.DirFS(from.dir)))
	return place{dir: to}
}
