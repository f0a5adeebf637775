package affair

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// legal lists the states that an affair may move to from a state.
func legal(from state.Status) []state.Status {
	switch from {
	case state.Active:
		return []state.Status{state.Parked, state.Resolved}
	case state.Parked:
		return []state.Status{state.Active, state.Resolved, state.Archived}
	case state.Resolved:
		return []state.Status{state.Active, state.Archived}
	case state.Archived:
		return []state.Status{state.Active}
	}
	return nil
}

// Legal reports whether an affair may go from one state to another. Staying is no move: Legal(s, s) is false.
func Legal(from, to state.Status) bool { return slices.Contains(legal(from), to) }

// Move returns the affair in state to, as of at. It is active in session if it becomes ACTIVE and in none
// otherwise. An affair that is there already comes back unchanged, so a move may be applied twice; one that
// is ACTIVE in another session moves to this one. An illegal move is a state.ErrInvalid that names the legal
// ones, and the affair comes back as it was. Move does not look at other affairs: see Activate.
func Move(a state.Affair, to state.Status, session string, at time.Time) (state.Affair, error) {
	elsewhere := a.Status == state.Active && to == state.Active && a.Session != session
	switch {
	case a.Status == to && !elsewhere:
		return a, nil
	case !elsewhere && !Legal(a.Status, to):
		return a, illegal(a, to)
	case to == state.Active && session == "":
		return a, state.Errorf(state.Invalid, "move affair "+a.ID, "no session to be active in; name one")
	}
	a.Status, a.UpdatedAt, a.Session = to, at, ""
	if to == state.Active {
		a.Session = session
	}
	return a, nil
}

// illegal explains a move that the rules forbid.
func illegal(a state.Affair, to state.Status) error {
	op := fmt.Sprintf("move affair %s %q", a.ID, a.Title)
	next := legal(a.Status)
	if next == nil {
		return state.Errorf(state.Invalid, op, "its state %q is none of ACTIVE, PARKED, RESOLVED, ARCHIVED", a.Status)
	}
	names := make([]string, len(next))
	for i, s := range next {
		names[i] = string(s)
	}
	return state.Errorf(state.Invalid, op, "from %s to %q is not allowed; it may become %s", a.Status, to, strings.Join(names, ", "))
}

// TakeUp makes an affair that of a session without a message. The session is used by that, so it is not idle; if it had ended it is open again.
func TakeUp(s *state.Session, id string, now time.Time) {
	s.Active, s.LastAt = id, now
	if soonest := s.PartAt.Add(time.Millisecond); soonest.After(now) { // behind its end, whatever the clock of who ended it
		s.LastAt = soonest
	}
}
