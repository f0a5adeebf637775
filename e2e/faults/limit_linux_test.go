package faults_test

import (
	"os/signal"
	"syscall"
)

// canFill reports whether setLimit works here.
func canFill() bool { return true }

// setLimit bounds the size of every file the process writes, as a full disk does; 0 lifts the bound.
func setLimit(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = bytes
	if bytes == 0 {
		limit.Cur = limit.Max
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
