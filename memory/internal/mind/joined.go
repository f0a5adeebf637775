package mind

import "github.com/mneme-graph/mneme/state"

// Joined says of each affair that was merged into another one which that is. Messages and records keep the id they were filed
// under: who reads them asks here under which affair they are found now, so that what was still being filed while the two were merged is found
// too. A value does not change: readers keep it without the mind.
type Joined map[string]string

// with is j and what an affair says now.
func (j Joined) with(a state.Affair) Joined { return withValue(j, a.ID, a.MergedInto) }

// Of returns the affair under which what is filed under an id is found.
func (j Joined) Of(id string) string {
	for range len(j) {
		into := j[id]
		if into == "" {
			break
		}
		id = into
	}
	return id
}
