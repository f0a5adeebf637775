package affair_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/affair"
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
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.err != "") {
				t.Fatalf("error %v", err)
			}
			if err != nil && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %q, want an invalid one with %q", err, tt.err)
			}
		})
	}
}

func TestActivate(t *testing.T) {
	t.Parallel()
	all := []state.Affair{
		{ID: "a", Status: state.Active, Session: "s"},
		{ID: "b", Status: state.Parked},
		{ID: "c", Status: state.Active, Session: "other"},
	}
	tests := []struct{ name, id, session, want string }{
		{"parks the active one", "b", "s", "a:PARKED: b:ACTIVE:s"},
		{"takes one from another session", "c", "s", "a:PARKED: c:ACTIVE:s"},
		{"is active already", "a", "s", ""},
		{"in a session without any", "b", "new", "b:ACTIVE:new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			changed, err := affair.Activate(all, tt.id, tt.session, at(2))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range changed {
				got = append(got, a.ID+":"+string(a.Status)+":"+a.Session)
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("changed %q, want %q", g, tt.want)
			}
		})
	}
	if _, err := affair.Activate(all, "x", "s", at(2)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("unknown affair: %v", err)
	}
	if _, err := affair.Activate(all, "b", "", at(2)); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("no session: %v", err)
	}
}

// TestNeverTwoActive drives several sessions over the same affairs, 500 random steps at a time and 50,000 in all.
func TestNeverTwoActive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sessions := []string{"s1", "s2", "s3"}
		var all []state.Affair
		for step := range 500 {
			session := rapid.SampledFrom(sessions).Draw(t, "session")
			if len(all) == 0 || len(all) < 12 && rapid.IntRange(0, 9).Draw(t, "create") == 0 {
				all = append(all, state.Affair{ID: "a" + string(rune('a'+len(all))), Status: state.Parked})
			}
			i := rapid.IntRange(0, len(all)-1).Draw(t, "affair")
			to := rapid.SampledFrom(statuses()).Draw(t, "to")
			before := all[i]
			if to == state.Active {
				all = activate(t, all, before, session, step)
			} else {
				moved, err := affair.Move(before, to, session, at(0))
				if legal := affair.Legal(before.Status, to) || before.Status == to; legal != (err == nil) {
					t.Fatalf("from %s to %s: %v", before.Status, to, err)
				}
				all[i] = moved
			}
			checkSessions(t, all)
		}
	})
}

// activate applies what Activate changed.
func activate(t *rapid.T, all []state.Affair, a state.Affair, session string, step int) []state.Affair {
	changed, err := affair.Activate(all, a.ID, session, at(step))
	if err != nil {
		t.Fatalf("activate from %s: %v", a.Status, err)
	}
	for _, c := range changed {
		for n := range all {
			if all[n].ID == c.ID {
				if all[n].Status == c.Status && all[n].Session == c.Session {
					t.Fatalf("affair %s was reported as changed", c.ID)
				}
				all[n] = c
			}
		}
	}
	for _, x := range all {
		if x.ID == a.ID && (x.Status != state.Active || x.Session != session) {
			t.Fatalf("affair %s is %s in %q, not active in %s", x.ID, x.Status, x.Session, session)
		}
	}
	return all
}

func checkSessions(t *rapid.T, all []state.Affair) {
	active := map[string]string{}
	for _, a := range all {
		if (a.Status == state.Active) != (a.Session != "") {
			t.Fatalf("affair %s is %s with session %q", a.ID, a.Status, a.Session)
		}
		if a.Status != state.Active {
			continue
		}
		if other, two := active[a.Session]; two {
			t.Fatalf("affairs %s and %s are active in %s", other, a.ID, a.Session)
		}
		active[a.Session] = a.ID
	}
}
