//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bolt

import (
	"errors"
	"os"
	"syscall"
)

// isReadOnly reports whether a write was refused because the file system takes none.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// noFollow keeps an open from going through a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// unlock gives up bbolt's lock on its file. Closing the file would not do while it is still mapped.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
