//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bolt

import "os"

// isReadOnly reports whether a write was refused because the file system takes none; here that is said
// with fs.ErrPermission already.
func isReadOnly(error) bool { return false }

// noFollow keeps an open from going through a symbolic link; here Open's own look has to do.
const noFollow = 0

// unlock gives up bbolt's lock on its file; here closing the file does.
func unlock(*os.File) error { return nil }
