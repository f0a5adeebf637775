package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
)

// TestBackup makes changes of every kind and compares a backup with the store: with all of them in store.db,
// in the log, or in both. The backup is written on, closed and opened again.
func TestBackup(t *testing.T) {
	t.Parallel()
	for _, logBytes := range []int{1, 3000, 0} {
		t.Run(fmt.Sprint("log ", logBytes), func(t *testing.T) {
			t.Parallel()
			s := open(t, bolt.Config{Dir: t.TempDir(), LogBytes: logBytes})
			for i := range 60 {
				write(t, s, doc(fmt.Sprintf("a/%02d", i), 0, 20*i), doc(fmt.Sprintf("b/%02d", i), 0, i))
				if i%4 == 3 {
					write(t, s, store.Doc{Collection: state.Affairs, ID: fmt.Sprintf("a/%02d", i-1), Rev: 1}, doc(fmt.Sprintf("b/%02d", i), 1, 700))
				}
			}
			write(t, s, doc("large", 0, 300<<10), incompressible("huge", 0, 1), incompressible("huge too", 0, 2))
			to := filepath.Join(t.TempDir(), "made", "backup")
			for round := range 3 {
				to := to + strings.Repeat("+", round)
				if err := s.Backup(t.Context(), to); err != nil {
					t.Fatalf("Backup: %v", err)
				}
				wantFiles(t, to, "store.db")
				copied := open(t, bolt.Config{Dir: to})
				same(t, all(t, s), all(t, copied))
				write(t, copied, doc("only in the backup", 0, 1), incompressible("huge", int64(round+1), 3))
				closed(t, copied)
				if n := len(all(t, open(t, bolt.Config{Dir: to}))); n != len(all(t, s))+1 {
					t.Fatalf("the backup, written on, has %d documents, the store %d", n, len(all(t, s)))
				}
				write(t, s, incompressible("huge", int64(round+1), round)) // the next backup gets it from the log, or with other pieces
				if _, err := s.Delete(t.Context(), state.Affairs, fmt.Sprintf("b/%d", round)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// incompressible is an affair of 1 MB that zstd cannot shrink, so that it is kept in pieces.
func incompressible(id string, rev int64, seed int) store.Doc {
	b := make([]byte, 1<<20)
	for i, x := 0, uint64(seed+1); i < len(b); i++ {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte(x >> 56)
	}
	body, err := bson.Marshal(bson.D{{Key: "b", Value: b}})
	if err != nil {
		panic(err)
	}
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev, Body: body}
}

// TestBackupWhileWriting takes backups while eight writers write: each write inserts a pair and replaces a
// counter. A backup holds each writer's writes up to some number, all that were acknowledged before among them.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	const busy, rounds = 8, 4
	s := open(t, bolt.Config{Dir: t.TempDir(), LogBytes: 20_000})
	var acknowledged [busy]atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range busy {
		wg.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				if err := s.Write(context.Background(), batch(w, n)...); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				acknowledged[w].Store(int64(n))
			}
		})
	}
	dir := t.TempDir()
	for round := range rounds {
		before := [busy]int64{}
		for w := range busy {
			for before[w] < int64(10*(round+1)) && !t.Failed() {
				before[w] = acknowledged[w].Load()
			}
		}
		if err := s.Backup(t.Context(), filepath.Join(dir, fmt.Sprint(round))); err != nil {
			t.Fatalf("Backup: %v", err)
		}
		after := [busy]int64{}
		for w := range busy {
			after[w] = acknowledged[w].Load() + 1 // one more may be there whose acknowledgement is on its way
		}
		wantCut(t, filepath.Join(dir, fmt.Sprint(round)), before[:], after[:])
	}
	stop()
	wg.Wait()
	wantFiles(t, dir, "0", "1", "2", "3")
}

// wantCut fails the test unless the folder holds whole writes of each writer without a gap, between so many and so many.
func wantCut(t *testing.T, dir string, least, most []int64) {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
	if err != nil {
		t.Fatalf("Open %s: %v", dir, err)
	}
	for w := range least {
		n, err := count(s, w)
		if err != nil || int64(n) < least[w] || int64(n) > most[w] {
			t.Errorf("%s: writer %d has %d writes, %v, want %d to %d", dir, w, n, err, least[w], most[w])
		}
	}
	closed(t, s)
}

// TestTwoBackupsAtOnce lets several be made at the same time, to folders of their own and to the same one.
func TestTwoBackupsAtOnce(t *testing.T) {
	t.Parallel()
	s, dir := open(t, bolt.Config{Dir: t.TempDir()}), t.TempDir()
	for i := range 50 {
		write(t, s, doc(fmt.Sprint(i), 0, 5000))
	}
	var wg sync.WaitGroup
	var same0 atomic.Int64
	for i := range 6 {
		wg.Go(func() {
			err := s.Backup(t.Context(), filepath.Join(dir, fmt.Sprint(i%4)))
			switch {
			case err == nil:
				same0.Add(1)
			case !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrUnavailable):
				t.Errorf("Backup = %v, want the loser of a race to be told so", err)
			}
		})
	}
	wg.Wait()
	if same0.Load() != 4 {
		t.Errorf("%d backups were made into 4 folders", same0.Load())
	}
	wantFiles(t, dir, "0", "1", "2", "3")
	for i := range 4 {
		same(t, all(t, s), all(t, open(t, bolt.Config{Dir: filepath.Join(dir, fmt.Sprint(i))})))
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, full, file, empty := filepath.Join(dir, "source"), filepath.Join(dir, "full"), filepath.Join(dir, "file"), filepath.Join(dir, "empty")
	for _, d := range []string{full, empty} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{file, filepath.Join(full, "thesis.txt")} {
		if err := os.WriteFile(f, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, bolt.Config{Dir: source})
	write(t, s, doc("a", 0, 1))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, to string
		ctx      context.Context
		code     state.Code
		text     string
	}{
		{"no folder", "", t.Context(), state.Invalid, "names no folder"},
		{"a folder with files", full, t.Context(), state.Conflict, "holds thesis.txt; name a new or an empty folder"},
		{"its own folder", source, t.Context(), state.Conflict, "holds lock"},
		{"a file", file, t.Context(), state.Conflict, "is a file"},
		{"below a file", filepath.Join(file, "x"), t.Context(), state.Unavailable, "not a directory"},
		{"a cancelled context", filepath.Join(dir, "x"), cancelled, state.Unavailable, "context canceled"},
	}
	for _, tt := range tests {
		err := s.Backup(tt.ctx, tt.to)
		if err == nil || state.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: Backup = %v (%s), want %s: %q", tt.name, err, state.CodeOf(err), tt.code, tt.text)
		}
	}
	if err := s.Backup(t.Context(), empty+"/"); err != nil {
		t.Errorf("Backup to an empty folder: %v", err)
	}
	wantFiles(t, empty, "store.db")
	wantFiles(t, full, "thesis.txt")
	wantFiles(t, dir, "empty", "file", "full", "source")
	closed(t, s)
	if err := s.Backup(t.Context(), filepath.Join(dir, "late")); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Backup of a closed store = %v, want an Unavailable error", err)
	}
}
