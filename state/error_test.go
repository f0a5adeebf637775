package state_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

func TestErrorMatchesByCode(t *testing.T) {
	t.Parallel()
	sentinels := map[state.Code]error{
		state.Invalid: state.ErrInvalid, state.NotFound: state.ErrNotFound, state.Conflict: state.ErrConflict,
		state.Denied: state.ErrDenied, state.Unavailable: state.ErrUnavailable, state.Internal: state.ErrInternal,
	}
	for code, sentinel := range sentinels {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			cause := context.Canceled
			err := fmt.Errorf("outer: %w", state.Errorf(code, "do a thing", "went wrong: %w", cause))
			for other, s := range sentinels {
				if got := errors.Is(err, s); got != (other == code) {
					t.Errorf("Is(%s) = %v", other, got)
				}
			}
			if !errors.Is(err, cause) {
				t.Error("the cause is lost")
			}
			if state.CodeOf(err) != code || state.CodeOf(sentinel) != code {
				t.Errorf("CodeOf = %s and %s", state.CodeOf(err), state.CodeOf(sentinel))
			}
			if got := err.Error(); got != "outer: do a thing: went wrong: context canceled" {
				t.Errorf("text = %q", got)
			}
		})
	}
}

// byCode matches a sentinel without being an Error.
type byCode struct{ error }

func (byCode) Is(target error) bool { return target == error(state.ErrDenied) }

func TestCodeOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want state.Code
	}{
		{"nil", nil, ""},
		{"foreign", errors.New("x"), state.Internal},
		{"fenced is a conflict", state.ErrFenced, state.Conflict},
		{"the outermost counts", state.Errorf(state.Invalid, "a", "%w", state.ErrNotFound), state.Invalid},
		{"joined", errors.Join(errors.New("x"), state.ErrUnavailable), state.Unavailable},
		{"a type that matches", byCode{errors.New("x")}, state.Denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := state.CodeOf(tt.err); got != tt.want {
				t.Errorf("CodeOf = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*state.Error{
		"invalid":      {Code: state.Invalid},
		"op":           {Code: state.Invalid, Op: "op"},
		"cause":        {Code: state.Invalid, Err: errors.New("cause")},
		"op: cause":    {Code: state.Invalid, Op: "op", Err: errors.New("cause")},
		"park a: gone": state.Errorf(state.NotFound, "park a", "gone"),
	} {
		if got := err.Error(); got != want {
			t.Errorf("text = %q, want %q", got, want)
		}
	}
}

// ErrFenced is a sentinel of its own: a conflict, but no conflict is it.
func TestErrFenced(t *testing.T) {
	t.Parallel()
	if !errors.Is(state.ErrFenced, state.ErrConflict) || errors.Is(state.ErrConflict, state.ErrFenced) {
		t.Error("a fence must be a conflict, a conflict no fence")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	hint := &state.Error{Code: state.Conflict, Op: "thread x", RetryAfter: time.Second}
	for _, tt := range []struct {
		name string
		err  error
		want time.Duration
	}{
		{"none", nil, 0},
		{"not ours", errors.New("x"), 0},
		{"without a hint", state.Errorf(state.Conflict, "x", "y"), 0},
		{"its own", hint, time.Second},
		{"behind another", fmt.Errorf("a: %w", state.Errorf(state.Unavailable, "b", "%w", hint)), time.Second},
		{"joined", errors.Join(errors.New("x"), hint), time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := state.RetryAfter(tt.err); got != tt.want {
				t.Errorf("RetryAfter(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}
