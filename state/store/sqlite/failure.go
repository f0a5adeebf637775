package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
)

// damageError marks a finding of our own as damage of the store.
type damageError struct{ err error }

func damaged(format string, args ...any) error { return &damageError{fmt.Errorf(format, args...)} }

// Error is the finding.
func (e *damageError) Error() string { return e.err.Error() }

// Unwrap returns the finding.
func (e *damageError) Unwrap() error { return e.err }

// explain gives an error its code: damage is Internal and says the way out, a missing right is Denied, what else a
// disk answers is Unavailable. Errors that have a code keep it.
func explain(op, path string, err error) error {
	var coded *state.Error
	if err == nil || errors.As(err, &coded) || errors.Is(err, state.ErrConflict) {
		return err
	}
	switch {
	case isDamage(err):
		return state.Errorf(state.Internal, op,
			"%s is damaged: %w; put back a copy of its folder, or move the folder away to begin with an empty store", path, err)
	case isRefused(err):
		return state.Errorf(state.Denied, op, "%s cannot be written: %w; give the process the right to write there, or choose another folder", path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return state.Errorf(state.Unavailable, op, "given up: %w", err)
	}
	return state.Errorf(state.Unavailable, op, "%s: %w", path, err)
}

func isDamage(err error) bool {
	var damage *damageError
	switch code := sqlite.ErrCode(err); {
	case errors.As(err, &damage), errors.Is(err, errValue):
		return true
	default:
		return code == lib.SQLITE_IOERR_DATA || code == sqlite.ResultIOErrShortRead || code.ToPrimary() == sqlite.ResultCorrupt ||
			code.ToPrimary() == sqlite.ResultNotADB || code.ToPrimary() == sqlite.ResultError && isSQLite(err)
	}
}

// isSQLite reports whether an error is SQLite's own; of statements that are known to be right, a plain one is about
// tables that are not there.
func isSQLite(err error) bool {
	_, ok := sqlite.ErrorOffset(err)
	return ok
}

// isRefused reports whether the system lets nobody write there, or not this process.
func isRefused(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen, sqlite.ResultAuth:
		return true
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
