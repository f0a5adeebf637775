package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// TestLogWaitsForBackups writes far more than the log may hold while a backup is under way: nothing goes into
// store.db until it ends, and then all of it does. A commit larger than the log goes there too.
func TestLogWaitsForBackups(t *testing.T) {
	t.Parallel()
	s := build(t, t.TempDir(), 3000, false)
	tx, changes, last, err := s.hold()
	if err != nil {
		t.Fatal(err)
	}
	before, err := everything(s)
	flushes := s.flushes.Load()
	for i := 0; i < 30 && err == nil; i++ {
		err = s.Write(t.Context(), sample(state.Messages, fmt.Sprint("held/", i), 0, 500+200*i))
	}
	if err != nil || s.flushes.Load() != flushes {
		t.Errorf("%d flushes during the backup, %v, want none", s.flushes.Load()-flushes, err)
	}
	dir := t.TempDir()
	if err := rewrite(t.Context(), tx, changes, last, filepath.Join(dir, "store.db")); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.release()
	if err := s.Write(t.Context(), sample(state.Messages, "after", 0, 10)); err != nil || s.flushes.Load() != flushes+1 {
		t.Errorf("%d flushes after the backup, %v, want one", s.flushes.Load()-flushes, err)
	}
	if docs, err := everything(s); err != nil || len(docs) != len(before)+31 {
		t.Errorf("%d documents, %v, want %d", len(docs), err, len(before)+31)
	}
	copied, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if docs, err := everything(copied); err != nil || len(docs) != len(before) {
		t.Errorf("%d documents in the copy, %v, want %d: those of before", len(docs), err, len(before))
	}
	if err := errors.Join(copied.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// ending is a context that ends after its error was asked for so many times.
type ending struct {
	context.Context
	asked int
}

func (e *ending) Err() error {
	if e.asked--; e.asked < 0 {
		return context.Canceled
	}
	return nil
}

// TestGivenUp ends the context at every step of a backup and a compaction: nothing is left of them.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := build(t, from, 0, false).Close(); err != nil {
		t.Fatal(err)
	}
	for asked := 0; asked < 600; asked += 1 + asked/5 {
		s, err := Open(t.Context(), Config{Dir: from})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Backup(&ending{t.Context(), asked}, to)
		_, compactErr := Compact(&ending{t.Context(), asked}, Config{Dir: from})
		if !errors.Is(compactErr, state.ErrConflict) && !errors.Is(compactErr, context.Canceled) {
			t.Fatalf("Compact of an open store = %v", compactErr)
		}
		if closeErr := s.Close(); closeErr != nil {
			t.Fatal(closeErr)
		}
		_, compactErr = Compact(&ending{t.Context(), asked}, Config{Dir: from})
		left, globErr := filepath.Glob(filepath.Join(dir, "*", "*"))
		if globErr != nil || len(left) != 1 && err != nil {
			t.Fatalf("%v is left, %v", left, globErr)
		}
		for _, err := range []error{err, compactErr} {
			if err != nil && (!errors.Is(err, context.Canceled) || state.CodeOf(err) != state.Unavailable) {
				t.Fatalf("given up after %d: %v", asked, err)
			}
		}
		if err == nil && os.RemoveAll(to) != nil {
			t.Fatal("the backup cannot be removed")
		}
		if err == nil && compactErr == nil {
			t.Logf("complete from %d on", asked)
			return
		}
	}
	t.Error("never complete")
}

// TestDamageDuringBackup spoils pages of an open store: the backup is refused and leaves nothing.
func TestDamageDuringBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	s := build(t, from, 1, true)
	info, err := os.Stat(filepath.Join(from, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	junk := make([]byte, info.Size()-8192)
	for i := range junk {
		junk[i] = byte(i * 7)
	}
	f, err := os.OpenFile(filepath.Join(from, "store.db"), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(junk, 8192)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), filepath.Join(dir, "to")); state.CodeOf(err) != state.Internal {
		t.Errorf("Backup of a damaged store = %v, want an Internal error", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v, want the store only", left, err)
	}
	_ = s.Close() // says that it is damaged
}
