//go:build !linux

package bolt_test

import "errors"

func fillDisk(string) error { return errors.New("files cannot be limited here") }

func moveOnFullDisk(string) error { return errors.New("knows no limits here") }
