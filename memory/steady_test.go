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
			out = append(out, state.Message{Seq: seq, Role: role})
		}
		return out
	}
	for name, c := range map[string]struct {
		window     []state.Message
		limit      int
		summarised int64
		first      int64 // 0 = none
	}{
		"no window":          {nil, 0, 9, 0},
		"of one":             {window(7, 7), 1, 9, 7},
		"not full":           {window(1, 11), 12, 6, 1},
		"nothing summed up":  {window(1, 12), 12, 0, 1},
		"some summed up":     {window(4, 15), 12, 6, 7},
		"not from a result":  {window(4, 15), 12, 5, 7},
		"more than its half": {window(4, 15), 12, 14, 4},
	} {
		got := steady(c.window, c.limit, c.summarised)
		if len(got) == 0 != (c.first == 0) || len(got) > 0 && got[0].Seq != c.first {
			t.Errorf("%s: %d messages from %+v, want from %d", name, len(got), got[:min(1, len(got))], c.first)
		}
	}
}
