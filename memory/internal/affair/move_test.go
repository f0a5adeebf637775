package affair_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

func at(minute int) time.Time { return time.Date(2026, 2, 15, 21, minute, 0, 0, time.UTC) }

func statuses() []state.Status {
	return []state.Status{state.Active, state.Parked, state.Resolved, state.Archived}
}

func TestLegal(t *testing.T) {
	t.Parallel()
	want := map[state.Status]string{
		state.Active:   "PARKED RESOLVED",
		state.Parked:   "ACTIVE RESOLVED ARCHIVED",
		state.Resolved: "ACTIVE ARCHIVED",
		state.Archived: "ACTIVE",
	}
	for _, from := range statuses() {
		var got []string
		for _, to := range statuses() {
			if affair.Legal(from, to) {
				got = append(got, string(to))
			}
		}
		if g := strings.Join(got, " "); g != want[from] {
			t.Errorf("from %s to %q, want %q", from, g, want[from])
		}
	}
	if affair.Legal("", state.Active) || affair.Legal(state.Parked, "DONE") {
		t.Error("an unknown state may move")
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		from    state.Affair
		to      state.Status
		session string
		want    state.Affair
		err     string // part of the message of the expected error
	}{
		{
			"park", state.Affair{ID: "a", Status: state.Active, Session: "s"}, state.Parked, "s",
			state.Affair{ID: "a", Status: state.Parked, UpdatedAt: at(1)}, "",
		},
		{
			"resume", state.Affair{ID: "a", Status: state.Parked}, state.Active, "s",
			state.Affair{ID: "a", Status: state.Active, Session: "s", UpdatedAt: at(1)}, "",
		},
		{
			"from another session", state.Affair{ID: "a", Status: state.Active, Session: "s1"}, state.Active, "s2",
			state.Affair{ID: "a", Status: state.Active, Session: "s2", UpdatedAt: at(1)}, "",
		},
		{
			"again", state.Affair{ID: "a", Status: state.Parked}, state.Parked, "s",
			state.Affair{ID: "a", Status: state.Parked}, "",
		},
		{
			"active again", state.Affair{ID: "a", Status: state.Active, Session: "s"}, state.Active, "s",
			state.Affair{ID: "a", Status: state.Active, Session: "s"}, "",
		},
		{
			"resolved cannot be parked", state.Affair{ID: "a", Title: "Rent", Status: state.Resolved}, state.Parked, "s",
			state.Affair{ID: "a", Title: "Rent", Status: state.Resolved}, `move affair a "Rent": from RESOLVED to "PARKED" is not allowed; it may become ACTIVE, ARCHIVED`,
		},
		{
			"active cannot be archived", state.Affair{ID: "a", Status: state.Active, Session: "s"}, state.Archived, "s",
			state.Affair{ID: "a", Status: state.Active, Session: "s"}, "may become PARKED, RESOLVED",
		},
		{"to nowhere", state.Affair{ID: "a", Status: state.Parked}, "GONE", "s", state.Affair{ID: "a", Status: state.Parked}, `to "GONE"`},
		{"from nowhere", state.Affair{ID: "a"}, state.Parked, "s", state.Affair{ID: "a"}, "none of ACTIVE"},
		{"without a session", state.Affair{ID: "a", Status: state.Parked}, state.Active, "", state.Affair{ID: "a", Status: state.Parked}, "no session"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := affair.Move(tt.from, tt.to, tt.session, at(1))
			same(t, "got", tt.want, got)
			if (err != nil) != (tt.err != "") {
				t.Fatalf("error %v", err)
			}
			if err != nil && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %q, want an invalid one with %q", err, tt.err)
			}
		})
	}
}
