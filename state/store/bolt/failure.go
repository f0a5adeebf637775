package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/mneme-graph/mneme/state"
)

// guard runs f and turns what a damaged or cut file does to it into an error: bbolt panics on pages that
// make no sense, and reading a page that is no longer there is a memory fault.
func guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return f()
}

// panicError is a panic that guard caught.
type panicError struct{ value any }

// Error is what the panic said.
func (e *panicError) Error() string { return fmt.Sprint(e.value) }

func isPanic(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// damageError marks a finding of our own checks as damage of the file.
type damageError struct{ err error }

func damaged(format string, args ...any) error { return &damageError{fmt.Errorf(format, args...)} }

// Error is the finding.
func (e *damageError) Error() string { return e.err.Error() }

// Unwrap returns the finding.
func (e *damageError) Unwrap() error { return e.err }

// explain gives an error its code: damage is Internal and says the way out, a missing right is Denied,
// what else a disk answers is Unavailable. Errors that have a code keep it.
func explain(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var coded *state.Error
	if errors.As(err, &coded) {
		return err
	}
	var damage *damageError
	switch {
	case isPanic(err), errors.As(err, &damage), errors.Is(err, errChecksum):
		return state.Errorf(state.Internal, op,
			"%s is damaged: %w; put back a copy of its folder, or move the folder away to begin with an empty store", path, err)
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		return state.Errorf(state.Denied, op, "%s cannot be written: %w; give the process the right to write there, or choose another folder", path, err)
	}
	return state.Errorf(state.Unavailable, op, "%s: %w", path, err)
}
