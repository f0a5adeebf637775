package memory

import (
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// TestTheWindowIsSteady: a window that is full leaves out what is summed up, and never what is not.
func TestTheWindowIsSteady(t *testing.T) {
	t.Parallel()
	window := func(from, to int64) (out []state.Message) {
		for seq := from; seq <= to; seq++ {
			role := state.RoleUser
			if seq%3 == 0 {
				role = state.RoleTool
			}
			out = append(out, state.Message{Seq: seq, Role: role, Text: "x"})
		}
		return out
	}
	for name, c := range map[string]struct {
		window     []state.Message
		limit      int
		summarised int64
		first      int64 // 0 = none
		affair     *state.Affair
	}{
		"no window":          {nil, 0, 9, 0, nil},
		"of one":             {window(7, 7), 1, 9, 7, nil},
		"not full":           {window(1, 11), 9, 6, 1, nil},
		"nothing summed up":  {window(1, 12), 8, 0, 1, nil},
		"some summed up":     {window(4, 15), 8, 6, 7, nil},
		"not from a result":  {window(4, 15), 8, 5, 7, nil},
		"more than its half": {window(4, 15), 8, 14, 4, nil},
		"of an affair":       {window(4, 15), 8, 6, 4, &state.Affair{ID: "a", Status: state.Active}},
		"of a summed up one": {window(4, 15), 8, 6, 7, &state.Affair{ID: "a", Status: state.Active, Summary: "It is on its way."}},
	} {
		v := state.View{Window: c.window, Session: state.Session{Summarised: c.summarised}}
		if c.affair != nil {
			v.Session.Active, v.Affairs = c.affair.ID, []*state.Affair{c.affair}
			for i := range c.window {
				c.window[i].Affair = c.affair.ID
			}
		}
		got := steady(v, c.limit)
		if len(got) == 0 != (c.first == 0) || len(got) > 0 && got[0].Seq != c.first {
			t.Errorf("%s: %d messages from %+v, want from %d", name, len(got), got[:min(1, len(got))], c.first)
		}
	}
}
