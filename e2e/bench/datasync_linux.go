package bench

import (
	"os"
	"syscall"
)

// datasync makes a file's data durable.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
