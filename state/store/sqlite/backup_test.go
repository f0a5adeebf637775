package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// TestBackupDuringWrites makes backups while writers go on: each holds a beginning of what every writer wrote, and
// all that was acknowledged before it began.
func TestBackupDuringWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, sqlite.Config{Dir: filepath.Join(dir, "store")})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	acknowledged := make(chan [2]int, 4)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				if err := s.Write(t.Context(), batch(w, n)...); err != nil {
					t.Error(err)
					return
				}
				select {
				case acknowledged <- [2]int{w, n}:
				case <-ctx.Done():
				}
			}
		})
	}
	before := [writers]int{}
	for i := range 3 {
		for range 20 {
			a := <-acknowledged
			before[a[0]] = a[1]
		}
		to := filepath.Join(dir, fmt.Sprint("backup", i))
		must(t, s.Backup(t.Context(), to))
		copied := open(t, sqlite.Config{Dir: to})
		for w := range writers {
			if n, err := count(copied, w); err != nil || n < before[w] {
				t.Errorf("backup %d holds %d writes of writer %d, %v, want %d or more", i, n, w, err, before[w])
			}
		}
		write(t, copied, doc("the copy goes on", 0, 1))
		closed(t, copied)
	}
	cancel()
	wg.Wait()
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, sqlite.Config{Dir: filepath.Join(dir, "store")})
	write(t, s, doc("a", 0, 1))
	given, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(holding(t, "file", ""), "file")
	for name, tt := range map[string]struct {
		ctx  context.Context
		to   string
		code state.Code
		text string
	}{
		"no folder": {t.Context(), "", state.Invalid, "names no folder"}, "itself": {t.Context(), s.Path(), state.Conflict, "holds store.db"},
		"a file": {t.Context(), file, state.Conflict, "is a file"}, "given up": {given, filepath.Join(dir, "to"), state.Unavailable, "canceled"},
	} {
		if err := s.Backup(tt.ctx, tt.to); state.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.text) {
			t.Errorf("%s: Backup = %v (%s), want %s: %q", name, err, state.CodeOf(err), tt.code, tt.text)
		}
	}
	wantFiles(t, dir, "store")
}

func TestCompact(t *testing.T) {
	t.Parallel()
	s := open(t, sqlite.Config{Dir: t.TempDir()})
	for i := range 20 {
		var docs []store.Doc
		for k := range 20 {
			docs = append(docs, doc(fmt.Sprintf("%d/%d", i, k), 0, 1000))
		}
		write(t, s, docs...)
	}
	if n, err := s.Delete(t.Context(), state.Affairs, "1"); n != 220 || err != nil {
		t.Fatalf("Delete = %d, %v", n, err)
	}
	want := all(t, s)
	c, err := s.Compact(t.Context())
	if err != nil || c.After > c.Before*3/4 {
		t.Errorf("Compact = %+v, %v, want much less", c, err)
	}
	same(t, want, all(t, s))
	stats, err := s.Stats(t.Context())
	if err = errors.Join(err, s.Check(t.Context())); err != nil || stats.PageBytes != c.After || stats.Commits != 21 || stats.Writes != 20 {
		t.Errorf("after it: %+v, %v", stats, err)
	}
	if _, err := os.Stat(filepath.Join(s.Path(), "store.db")); err != nil {
		t.Error(err)
	}
}
