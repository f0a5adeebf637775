//go:build unix

package bolt

import (
	"errors"
	"syscall"
)

// isReadOnly reports whether a write was refused because the file system takes none.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
