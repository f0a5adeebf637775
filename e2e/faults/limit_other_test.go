//go:build !linux

package faults_test

import "errors"

func canFill() bool { return false }

func setLimit(uint64) error { return errors.New("not on this system") }
