package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/bolt"
)

// fillDisk runs in a process of its own whose files may not grow over a limit, as a full disk does not
// let them: it looks whether writes fail with a typed error, whether what was acknowledged can be read
// all the time, and whether writing goes on when there is room again.
func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := bolt.Open(context.Background(), bolt.Config{Dir: dir, LogBytes: 100_000})
	if err != nil {
		return err
	}
	acknowledged := 0
	for _, limit := range []uint64{1, 200_000, 150_000, 400_000, 0} {
		if err := setLimit(limit); err != nil {
			return err
		}
		failures := 0
		for i := range 400 {
			err := s.Write(context.Background(), doc(fmt.Sprintf("%06d", acknowledged), 0, 1000))
			if err == nil {
				acknowledged++
			} else if failures++; !errors.Is(err, state.ErrUnavailable) {
				return fmt.Errorf("with %d bytes left, write %d: %w", limit, i, err)
			}
		}
		if (limit > 0) != (failures > 0) {
			return fmt.Errorf("a limit of %d bytes led to %d failures", limit, failures)
		}
		docs, err := allOf(s)
		if err != nil || docs != acknowledged {
			return fmt.Errorf("a limit of %d bytes: %d documents, %w, %d were acknowledged", limit, docs, err, acknowledged)
		}
		fmt.Println("limit", limit, "acknowledged", acknowledged)
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = bolt.Open(context.Background(), bolt.Config{Dir: dir}); err != nil {
		return err
	}
	if docs, err := allOf(s); err != nil || docs != acknowledged {
		return fmt.Errorf("after Close and Open: %d documents, %w, %d were acknowledged", docs, err, acknowledged)
	}
	return s.Close()
}

// setLimit bounds the size of every file the process writes; 0 lifts the bound.
func setLimit(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = bytes
	if bytes == 0 {
		limit.Cur = limit.Max
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	cmd, out := child(t, "fill "+t.TempDir())
	for out.Scan() {
		t.Log(out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child that fills its disk: %v", err)
	}
}

// moveOnFullDisk backs up and compacts a store with too little room: both fail, leave nothing behind, and work
// when there is room.
func moveOnFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	s, err := bolt.Open(ctx, bolt.Config{Dir: from})
	if err != nil {
		return err
	}
	for i := range 3 {
		if err := s.Write(ctx, incompressible(fmt.Sprint(i), 0, i)); err != nil {
			return err
		}
	}
	if err := errors.Join(s.Flush(ctx), setLimit(1<<20)); err != nil {
		return err
	}
	if err := s.Backup(ctx, to); !errors.Is(err, state.ErrUnavailable) {
		return fmt.Errorf("a backup without room: %w", err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	if _, err := bolt.Compact(ctx, bolt.Config{Dir: from}); !errors.Is(err, state.ErrUnavailable) {
		return fmt.Errorf("a compaction without room: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(left) != 1 {
		return fmt.Errorf("%v is left, %w, want store.db only", left, err)
	}
	if err := setLimit(0); err != nil {
		return err
	}
	if _, err := bolt.Compact(ctx, bolt.Config{Dir: from}); err != nil {
		return err
	}
	if s, err = bolt.Open(ctx, bolt.Config{Dir: from}); err != nil {
		return err
	}
	docs, err := allOf(s)
	if docs != 3 {
		err = errors.Join(err, fmt.Errorf("%d documents, want 3", docs))
	}
	return errors.Join(err, s.Backup(ctx, to), s.Close())
}

func TestMoveOnFullDisk(t *testing.T) {
	t.Parallel()
	cmd, _ := child(t, "move "+t.TempDir())
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child without room: %v", err)
	}
}
