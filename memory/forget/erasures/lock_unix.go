//go:build !windows

package erasures

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock waits until no other process has the file. Closing it ends that, and so does the end of the process.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}
