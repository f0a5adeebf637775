//go:build !linux

package sqlite_test

import "errors"

func fillDisk(string) error { return errors.New("files cannot be limited here") }
