package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// fillDisk runs in a process of its own whose files may not grow over a limit, as a full disk does not
// let them: it looks whether writes fail with a typed error, whether what was acknowledged can be read
// all the time, and whether writing goes on when there is room again.
func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	acknowledged := 0
	for _, limit := range []uint64{1, 300_000, 200_000, 900_000, 0} {
		if err := setLimit(limit); err != nil {
			return err
		}
		failures := 0
		for i := range 100 {
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
	if s, err = sqlite.Open(context.Background(), sqlite.Config{Dir: dir}); err != nil {
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
