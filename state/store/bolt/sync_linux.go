package bolt

import (
	"os"
	"syscall"
)

// datasync makes a file's bytes durable, and its length where that has changed; times of access need no second write.
func datasync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
