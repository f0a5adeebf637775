package state

import (
	"errors"
	"fmt"
	"time"
)

// Code says what kind of failure an Error is; callers branch on it, never on text.
type Code string

// The codes, in JSON and in the exit status of the command (FORMATS: invalid 2, not_found 3,
// conflict 4, denied 1, unavailable 5, internal 1).
const (
	Invalid     Code = "invalid"     // the caller's input is wrong; retrying as it is will not help
	NotFound    Code = "not_found"   // the named thing does not exist in this scope
	Conflict    Code = "conflict"    // somebody else was first; read again and decide
	Denied      Code = "denied"      // rights or autonomy forbid it
	Unavailable Code = "unavailable" // a model or server does not answer; retry later
	Internal    Code = "internal"    // damage or a bug; the text says where
)

// Error is the one error type of the module. Op names what was being done and to what
// ("park affair a1"); Err is the cause. A sentinel is an Error with a code only.
type Error struct {
	Code       Code
	Op         string
	Err        error
	RetryAfter time.Duration // when it may help to try again: a rate-limited server says so, or a turn that is in the way; 0 = unknown
}

// The sentinels match every Error of their code: errors.Is(err, state.ErrNotFound).
var (
	ErrInvalid     = &Error{Code: Invalid}
	ErrNotFound    = &Error{Code: NotFound}
	ErrConflict    = &Error{Code: Conflict}
	ErrDenied      = &Error{Code: Denied}
	ErrUnavailable = &Error{Code: Unavailable}
	ErrInternal    = &Error{Code: Internal}
)

// ErrFenced is a Conflict: another process took the turn over; this one must stop and not retry.
var ErrFenced = &Error{Code: Conflict, Op: "turn was taken over by another process"}

// Errorf makes an Error; format may wrap a cause with %w.
func Errorf(code Code, op, format string, args ...any) *Error {
	return &Error{Code: code, Op: op, Err: fmt.Errorf(format, args...)}
}

// Error joins operation and cause, or names the code when there is neither.
func (e *Error) Error() string {
	switch {
	case e.Op != "" && e.Err != nil:
		return e.Op + ": " + e.Err.Error()
	case e.Err != nil:
		return e.Err.Error()
	case e.Op != "":
		return e.Op
	}
	return string(e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel of this code (an Error without a cause and operation).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Op == "" && t.Err == nil && t.Code == e.Code
}

// CodeOf returns the code of err: that of the outermost Error or matching sentinel in its chain, Internal
// without one, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	for _, sentinel := range []*Error{ErrInvalid, ErrNotFound, ErrConflict, ErrDenied, ErrUnavailable} {
		if errors.Is(err, sentinel) {
			return sentinel.Code
		}
	}
	return Internal
}

// RetryAfter returns how long to wait before trying again, as the first error in err's chain says that has a hint; 0 = none has.
func RetryAfter(err error) time.Duration {
	for e := (*Error)(nil); errors.As(err, &e); err = e.Err {
		if e.RetryAfter > 0 {
			return e.RetryAfter
		}
	}
	return 0
}
