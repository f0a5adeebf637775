package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
)

// fragmented makes a closed store with documents of every size and many free pages.
func fragmented(t testing.TB, dir string) (want []store.Doc) {
	t.Helper()
	s := open(t, bolt.Config{Dir: dir, LogBytes: 1 << 18})
	for i := range 300 {
		write(t, s, doc(fmt.Sprintf("a/%03d", i), 0, 3000), doc(fmt.Sprintf("b/%03d", i), 0, i))
	}
	write(t, s, doc("packed", 0, 300<<10), incompressible("huge", 0, 1), incompressible("gone", 0, 2))
	write(t, s, incompressible("huge", 1, 3), store.Doc{Collection: state.Affairs, ID: "gone", Rev: 1})
	if _, err := s.Delete(t.Context(), state.Affairs, "a/1"); err != nil {
		t.Fatal(err)
	}
	want = all(t, s)
	closed(t, s)
	return want
}

func TestCompact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := fragmented(t, dir)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "store.db"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	c, err := bolt.Compact(t.Context(), bolt.Config{Dir: dir})
	if err != nil || c.Before != before || c.After != size() || c.After > before/2 {
		t.Fatalf("Compact = %+v, %v, with files of %d and %d bytes, want these, and half at most", c, err, before, size())
	}
	wantFiles(t, dir, "store.db")
	s := open(t, bolt.Config{Dir: dir})
	same(t, want, all(t, s))
	stats, err := s.Stats(t.Context())
	if err != nil || stats.PageBytes < c.After*8/10 {
		t.Errorf("%+v, %v: of %d bytes hardly any may be free", stats, err, c.After)
	}
	write(t, s, doc("after", 0, 1), incompressible("huge", 2, 4))
	closed(t, s)
	again, err := bolt.Compact(t.Context(), bolt.Config{Dir: dir})
	if err != nil || again.After > c.After+1<<20 {
		t.Errorf("second Compact = %+v, %v, want about %d bytes", again, err, c.After)
	}
	if n := len(all(t, open(t, bolt.Config{Dir: dir}))); n != len(want)+1 {
		t.Errorf("%d documents, want %d", n, len(want)+1)
	}
}

// TestCompactAfterCrash compacts a store whose last commits stand in its log.
func TestCompactAfterCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, bolt.Config{Dir: dir})
	for i := range 100 {
		write(t, s, doc(fmt.Sprintf("%03d", i), 0, 1000))
	}
	crashed := image(t, dir)
	if err := os.WriteFile(filepath.Join(crashed, "store.db.compact"), []byte("half a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := bolt.Compact(t.Context(), bolt.Config{Dir: crashed})
	if err != nil || c.Before < 100_000 || c.After < 100_000 {
		t.Fatalf("Compact = %+v, %v", c, err)
	}
	wantFiles(t, crashed, "store.db")
	same(t, all(t, s), all(t, open(t, bolt.Config{Dir: crashed})))
}

func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	dir, busy, broken := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, open(t, bolt.Config{Dir: busy}), doc("a", 0, 1))
	if err := os.WriteFile(filepath.Join(broken, "store.db"), []byte(strings.Repeat("x", 8192)), 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, dir string
		ctx       context.Context
		code      state.Code
		text      string
	}{
		{"no folder", "", t.Context(), state.Invalid, "names no folder"},
		{"no store", dir, t.Context(), state.NotFound, "holds none"},
		{"open already", busy, t.Context(), state.Conflict, "in use by pid"},
		{"damaged", broken, t.Context(), state.Internal, "damaged"},
		{"cancelled", busy, cancelled, state.Unavailable, "context canceled"},
	}
	for _, tt := range tests {
		c, err := bolt.Compact(tt.ctx, bolt.Config{Dir: tt.dir})
		if err == nil || c != (bolt.Compaction{}) || state.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: Compact = %+v, %v (%s), want %s: %q", tt.name, c, err, state.CodeOf(err), tt.code, tt.text)
		}
	}
	wantFiles(t, dir)
}

// TestCompactAgainstOpen lets compactions and writers of the same folder wait for one another's lock, as
// processes do: nothing acknowledged may go into a file that has just lost its name.
func TestCompactAgainstOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closed(t, open(t, bolt.Config{Dir: dir}))
	var wg sync.WaitGroup
	acknowledged := make(chan string, 1000)
	for g := range 3 {
		wg.Go(func() {
			for i := range 15 {
				s, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
				if errors.Is(err, state.ErrConflict) {
					continue
				}
				id := fmt.Sprintf("%d/%d", g, i)
				if err == nil {
					err = errors.Join(s.Write(t.Context(), doc(id, 0, 10)), s.Close())
				}
				if err != nil {
					t.Errorf("%s: %v", id, err)
				}
				acknowledged <- id
			}
		})
		wg.Go(func() {
			for range 10 {
				if _, err := bolt.Compact(t.Context(), bolt.Config{Dir: dir}); err != nil && !errors.Is(err, state.ErrConflict) {
					t.Errorf("Compact: %v", err)
				}
			}
		})
	}
	wg.Wait()
	close(acknowledged)
	s := open(t, bolt.Config{Dir: dir})
	n := 0
	for id := range acknowledged {
		n++
		if _, err := s.Get(t.Context(), state.Affairs, id); err != nil {
			t.Errorf("Get %s: %v", id, err)
		}
	}
	t.Logf("%d of 45 writers had their turn", n)
}

// TestKillCompact ends a process that compacts one store over and over with SIGKILL at any moment: the
// folder opens each time, with the same documents and without what the compaction left behind.
func TestKillCompact(t *testing.T) {
	t.Parallel()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(3, 4))
	want := fragmented(t, dir)
	for round := range 15 {
		cmd, out := child(t, "compact "+dir)
		for range 2 + rng.IntN(3) {
			out.Scan() // one line a compaction, one at its begin
		}
		for range rng.IntN(2_000_000) { // not a pause, only some moment
		}
		kill(t, cmd)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
		if err != nil {
			t.Fatalf("round %d: Open: %v (files %v)", round, err, entries)
		}
		same(t, want, all(t, s))
		closed(t, s)
		wantFiles(t, dir, "store.db")
	}
}

// compactForEver changes and compacts a store, printing a line before each.
func compactForEver(dir string) error {
	for {
		fmt.Println("compacting")
		if _, err := bolt.Compact(context.Background(), bolt.Config{Dir: dir}); err != nil {
			return err
		}
	}
}
