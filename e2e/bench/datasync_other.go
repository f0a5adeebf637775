//go:build !linux

package bench

import "os"

// datasync makes a file's data durable; the system has no call for data alone.
func datasync(f *os.File) error { return f.Sync() }
