//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// readWithoutRights runs in a process of its own that gives up the rights of root first.
func readWithoutRights(want int, dir string) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	if n, err := allOf(s); n != want || err != nil {
		return fmt.Errorf("%d documents, %w, want %d", n, err, want)
	}
	if err := s.Check(ctx); err != nil {
		return err
	}
	if err := s.Write(ctx, doc("new", 0, 10)); !errors.Is(err, state.ErrDenied) {
		return fmt.Errorf("Write = %w, want an error that is ErrDenied", err)
	}
	to, err := os.MkdirTemp("", "backup")
	if err != nil {
		return err
	}
	return errors.Join(s.Backup(ctx, filepath.Join(to, "store")), os.RemoveAll(to), s.Close())
}
