package suggest

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/state"
)

// This file is where autonomy acts, for every way by which memory is edited. A door (Write, Amend, Affairs.Edit and so on) passes the gate with what it
// was asked for, once that is known to be possible. Below the doors there is a fence: desk.Desk.Decide takes no edit that has not passed.
//
// Bookkeeping is not asked about, whatever the level: the transcript, sessions and how they are summed up, and what the pipeline learns of an
// affair from the affair's own messages (title, status, summary, key facts, pending actions).

// Config says what a Room works with. All of it is required.
type Config struct {
	Desk   *desk.Desk
	Fulfil func(ctx context.Context, scope state.Scope, s state.Suggestion, a state.Answer) error // does what was asked for, by effects of the context
}

// Room is the gate, and what waits at it. It is safe for concurrent use.
type Room struct {
	desk   *desk.Desk
	fulfil func(ctx context.Context, scope state.Scope, s state.Suggestion, a state.Answer) error
}

// New makes a Room.
func New(c Config) *Room { return &Room{c.Desk, c.Fulfil} }

// WaitsError is the error of an edit that waits for its user, where autonomy is 1. Nothing was changed; each suggestion holds a part of what
// was asked for until Answer. Its code is that of state.ErrDenied.
type WaitsError struct {
	Suggestions []state.Suggestion
	Refused     int // parts of which not even a suggestion is kept, because Most wait already
	Most        int // setting max_suggestions_per_user
}

// Error says what waits, and how it is answered.
func (s *WaitsError) Error() string {
	names := make([]string, len(s.Suggestions))
	for i, x := range s.Suggestions {
		names[i] = x.ID + " (" + x.Asks + ": " + x.Text + ")"
	}
	told := "nothing was changed"
	if len(names) > 0 {
		told += ", it waits for the user's approval (autonomy 1) as suggestion " + strings.Join(names, ", ")
	}
	if s.Refused > 0 {
		told += fmt.Sprintf(", %d could not be suggested, since %d suggestions wait already (max_suggestions_per_user)", s.Refused, s.Most)
	}
	return told + "; mneme suggestions answers it"
}

// Is makes a WaitsError a state.ErrDenied.
func (s *WaitsError) Is(target error) bool { return target == error(state.ErrDenied) }

// Gate lets an edit pass that the scope's autonomy allows, or that the user has approved of. At 0 it is state.ErrDenied, at 1 *WaitsError: what
// was asked for waits then.
func (r *Room) Gate(ctx context.Context, scope state.Scope, asked ...desk.Wish) error {
	if r.desk.Allows(ctx, scope) || len(asked) == 0 {
		return nil
	}
	if err := r.desk.ReadOnly(ctx, scope, asked[0].Asks, ""); err != nil {
		return err
	}
	return r.suggest(ctx, scope, asked)
}

// UnlessWaits is err, or nil where it only says that what was tried waits for the user. It is for what the pipeline does by itself.
func UnlessWaits(err error) error {
	if _, waits := err.(*WaitsError); waits { //nolint:errorlint // it is the gate's own
		return nil
	}
	return err
}
