package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
)

// damaged returns the error of a store that is not as it was written, and says the way out.
func damaged(op, path string, err error) error {
	return state.Errorf(state.Internal, op, "%s is damaged: %w; put back a copy of its folder, save what can be read with "+
		"mneme copy --skip-damaged, or move the folder away to begin with an empty store", path, err)
}

// explain gives an error its code: damage is Internal and says the way out, a missing right is Denied, what else a
// disk answers is Unavailable. Errors that have a code keep it.
func explain(op, path string, err error) error {
	var coded *state.Error
	if err == nil || errors.As(err, &coded) || errors.Is(err, state.ErrConflict) {
		return err
	}
	switch {
	case isDamage(err):
		return damaged(op, path, err)
	case isRefused(err):
		return state.Errorf(state.Denied, op, "%s cannot be written: %w; give the process the right to write there, or choose another folder", path, err)
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull:
		return state.Errorf(state.Unavailable, op, "%s: the disk is full: %w; make room and try again: erasing needs some too, for it writes before it gives any back", path, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return state.Errorf(state.Unavailable, op, "given up: %w", err)
	}
	return state.Errorf(state.Unavailable, op, "%s: %w", path, err)
}

func isDamage(err error) bool {
	switch code := sqlite.ErrCode(err); code.ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return true
	case sqlite.ResultError: // of statements that are known to be right: the tables are not there
		_, ours := sqlite.ErrorOffset(err)
		return ours || errors.Is(err, errValue)
	default:
		return code == lib.SQLITE_IOERR_DATA || code == sqlite.ResultIOErrShortRead
	}
}

// isRefused reports whether the system lets nobody write there, or not this process.
func isRefused(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultCantOpen, sqlite.ResultAuth:
		return true
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
