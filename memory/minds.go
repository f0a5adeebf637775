package memory

import (
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// first returns the affairs with those of the ids in front, in their order.
func first(list []*state.Affair, ids []string) []*state.Affair {
	place := func(a *state.Affair) int {
		if at := slices.Index(ids, a.ID); at >= 0 {
			return at
		}
		return len(ids)
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b *state.Affair) int { return place(a) - place(b) })
}
