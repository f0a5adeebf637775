//go:build !linux

package bolt

import "os"

// datasync makes a file durable.
func datasync(f *os.File) error { return f.Sync() }
