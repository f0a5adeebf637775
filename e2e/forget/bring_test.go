package forget_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/person"
)

// bringing is what takes a file in, and where it ends.
type bringing struct {
	Dir    string
	Book   string // a ledger of erasures, "" for none
	File   string
	User   string // whose it becomes
	Now    time.Time
	N      int // of its writes, 0 = it does not end before
	Behind bool
}

const bringWord = "forget-bring"

// bring takes the file in, up to the n-th write, and returns how many there were, and how many orders were carried out again.
func (l bringing) bring(ctx context.Context, dies bool) (writes, orders int, err error) {
	s, err := place{dir: l.Dir}.open(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c := graph.Config{Store: cut{s, l.N, l.Behind, dies, &writes}, Model: offline.New(), Now: func() time.Time { return l.Now }}
	if l.Book != "" {
		if c.Erasures, err = erasures.Open(l.Book); err != nil {
			return 0, 0, err
		}
	}
	g, err := graph.New(ctx, c)
	if err != nil {
		return writes, 0, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	text, err := os.ReadFile(l.File)
	if err != nil {
		return writes, 0, err
	}
	to := in(l.User, "s0")
	_, err = person.Read(ctx, person.Config{Store: c.Store, Scope: to, Around: func(ctx context.Context, r person.Report, write func(context.Context) error) (err error) {
		orders, err = g.Memory().Forget().Bring(ctx, to, r, write)
		return err
	}}, bytes.NewReader(text))
	return writes, orders, err
}

// bringChild is the child's life.
func bringChild(ctx context.Context, in io.Reader) error {
	var l bringing
	if err := json.NewDecoder(in).Decode(&l); err != nil {
		return err
	}
	_, _, err := l.bring(ctx, true)
	return err
}

// fileOf writes what a place has of a user into a file, "" = it has nothing.
func fileOf(t *testing.T, p place, user string, now time.Time) string {
	t.Helper()
	s, err := p.open(t.Context())
	must(t, err)
	defer func() { must(t, s.Close()) }()
	path := filepath.Join(t.TempDir(), user+".jsonl")
	f, err := os.Create(path)
	must(t, err)
	_, err = person.Write(t.Context(), person.Config{Store: s, Scope: in(user, "s0"), Now: func() time.Time { return now }}, f)
	must(t, f.Close())
	if state.CodeOf(err) == state.NotFound {
		return ""
	}
	must(t, err)
	return path
}

// without is a copy of a store that was used with a ledger, and goes on without one.
func without(t *testing.T, p place) place {
	t.Helper()
	p = copyOf(t, p)
	if _, err := openWith(t.Context(), p, begins(), "n", false, ""); state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), "erasure_ledger") {
		t.Errorf("without its ledger: %v", err)
	}
	s, err := p.open(t.Context())
	must(t, err)
	m, err := memory.New(memory.Config{Store: s})
	must(t, err)
	_, err = m.Forget().Adopt(t.Context())
	must(t, errors.Join(err, m.Close(), s.Close()))
	return p
}

// A person's file from before erasures is taken in: into the store in which things were erased, with its ledger and without one, or into a new one with the ledger, under
// the person's name or another one. Whether it is taken in at once or killed at any write, nothing comes back.
func TestPersonFileFromBefore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	n, again, kills := tries(12, 20, 40), 0, 0
	for seed := firstSeed(t); seed < firstSeed(t)+n; seed++ {
		x, r := newRestored(t, "sqlite", seed), rand.New(rand.NewPCG(seed, 53))
		for _, user := range []string{"anna", "boris"} {
			file := fileOf(t, x.backup, user, x.now)
			if file == "" {
				continue
			}
			for name, l := range map[string]bringing{
				"a new store":                        {Dir: places(t, "sqlite").dir, Book: copyFile(t, x.book), User: user},
				"a new store, another name":          {Dir: places(t, "sqlite").dir, Book: copyFile(t, x.book), User: "zoe"},
				"its store, another name":            {Dir: copyOf(t, x.store).dir, Book: copyFile(t, x.book), User: "zoe"},
				"its store, another name, no ledger": {Dir: without(t, x.store).dir, User: "zoe"},
			} {
				name = fmt.Sprintf("seed %d, %s into %s", seed, user, name)
				l.File, l.Now = file, x.now
				at := copyOf(t, place{dir: l.Dir})
				writes, orders, err := l.bring(t.Context(), false)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				again += orders
				x.look(t, place{dir: l.Dir}, name)
				l.survives(t, x, name)

				// The same, killed in it, and gone on with.
				l.Dir = at.dir
				if l.Book != "" {
					l.Book = copyFile(t, x.book)
				}
				l.N, l.Behind = 1+r.IntN(writes), r.IntN(2) == 0
				was, err := crash.Run(t.Context(), []string{os.Args[0], bringWord}, l, new(bool))
				must(t, err)
				if was {
					kills++
				}
				name += fmt.Sprintf(", killed at write %d of %d", l.N, writes)
				w, err := openWith(t.Context(), place{dir: l.Dir}, x.now.Add(time.Hour), "f", false, l.Book)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, word := range x.gone {
					hits, err := w.Memory().Recall(t.Context(), memory.Query{Scope: in(l.User, "s0"), Text: word})
					must(t, err)
					for _, h := range hits {
						if strings.Contains(h.Text, word) {
							t.Errorf("%s: recalled: %s", name, h.Text)
						}
					}
				}
				w.close(t)
				l.N = 0
				if _, _, err := l.bring(t.Context(), false); err != nil && state.CodeOf(err) != state.Conflict {
					t.Errorf("%s, and again: %v", name, err)
				}
				x.look(t, place{dir: l.Dir}, name+", and again")
				l.survives(t, x, name)
			}
		}
	}
	if again == 0 {
		t.Error("nothing was erased again")
	}
	t.Logf("%d orders carried out again, %d kills", again, kills)
}

// survives looks whether what was not erased is there.
func (l bringing) survives(t *testing.T, x restored, name string) {
	t.Helper()
	left, of := everything(t, place{dir: l.Dir}), strings.TrimSuffix(filepath.Base(l.File), ".jsonl")
	for _, th := range x.stays {
		if th.user == of && len(holding(left, th.canary)) == 0 {
			t.Errorf("%s, %v: what was not erased is not there: %s", name, x.names, th.canary)
		}
	}
}

// A file of another installation is taken in for a user of whom the ledger says something: his memory is another one. It stays, and the store opens.
func TestPersonFileOfAnotherStore(t *testing.T) {
	t.Parallel()
	_, book := told(t)
	other := places(t, "sqlite")
	w, err := openWorld(t.Context(), other, begins().Add(-time.Hour), "o", false)
	must(t, err)
	_, err = w.say(t.Context(), in("anna", "s1"), "My locker has number qv9902k.")
	must(t, err)
	w.close(t)
	l := bringing{Dir: places(t, "sqlite").dir, Book: book, File: fileOf(t, other, "anna", begins()), User: "anna", Now: begins()}
	for range 2 {
		if _, n, err := l.bring(t.Context(), false); n != 0 || err != nil {
			t.Fatalf("%d orders, %v", n, err)
		}
	}
	if len(holding(everything(t, place{dir: l.Dir}), "qv9902k")) == 0 {
		t.Error("it is not there")
	}
}

// A ledger that is lost is begun anew with what the store knows, and one that was put back from an older copy is filled up.
func TestLedgerIsAdopted(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]int{"lost": 0, "cut": 2} {
		p, path := told(t)
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:lines], nil), 0o600))
		if _, err := openWith(t.Context(), p, begins(), "c", false, path); state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), "--adopt") {
			t.Errorf("%s: opened: %v", name, err)
		}
		s, err := p.open(t.Context())
		must(t, err)
		book, err := erasures.Open(path)
		must(t, err)
		m, err := memory.New(memory.Config{Store: s, Erasures: book})
		must(t, err)
		n, err := m.Forget().Adopt(t.Context())
		if n != 0 || err != nil {
			t.Errorf("%s: %d erased again, %v", name, n, err)
		}
		look, err := m.Forget().Outside(t.Context())
		if look.Orders != 2 || look.Late != 0 || err != nil {
			t.Errorf("%s: the ledger stands at %+v, %v", name, look, err)
		}
		must(t, errors.Join(m.Close(), s.Close()))
		w, err := openWith(t.Context(), p, begins(), "d", false, path)
		must(t, err)
		w.close(t)
	}
}
