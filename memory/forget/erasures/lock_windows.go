package erasures

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock waits until no other process has the file. Closing it ends that, and so does the end of the process. The byte that is locked lies behind all that
// is written, for others may read meanwhile.
func lock(f *os.File) error {
	const behind = 1 << 30
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{OffsetHigh: behind})
}
