package memory

import (
	"context"
	"maps"

	"github.com/mneme-graph/mneme/state"
)

// joined says of each affair that was merged into another one which that is. Messages and records keep the id they were filed
// under: who reads them asks here under which affair they are found now, so that what was still being filed while the two were merged is found
// too. A value does not change: readers keep it without the mind.
type joined map[string]string

// with is j and what an affair says now.
func (j joined) with(a state.Affair) joined {
	if a.MergedInto == j[a.ID] {
		return j
	}
	next := maps.Clone(j)
	if next == nil {
		next = joined{}
	}
	next[a.ID] = a.MergedInto
	return next
}

// of is the affair under which what is filed under an id is found.
func (j joined) of(id string) string {
	for range len(j) {
		into := j[id]
		if into == "" {
			break
		}
		id = into
	}
	return id
}

// joined is what was merged of the user's affairs.
func (m *Memory) joined(ctx context.Context, scope state.Scope) (joined, error) {
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return d.joined, nil
}
