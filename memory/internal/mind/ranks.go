package mind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// rank is what decides which of a user's records go into the archive first.
type rank struct {
	id         string
	importance int
	times      int
	seen       int64 // in seconds
	stays      bool  // it is shielded
}

// keepRank keeps the rank of a record that holds and is not in the archive. Summaries of parts of sessions are none that count.
func (d *Mind) keepRank(r state.Record) {
	if r.ValidTo != nil || r.ArchivedAt != nil || r.Span != nil {
		delete(d.ranks, r.ID)
		return
	}
	d.ranks[r.ID] = rank{r.ID, r.Importance, r.Times, r.Seen().Unix(), r.Shielded()}
}

// Records returns how many records the user has that hold and are not in the archive.
func (d *Mind) Records() int { return len(d.ranks) }

// LeastImportant are the ids of n records, the least important first, of several the one said less often and longest ago. What is shielded,
// or is among those that stay is none of them.
func (d *Mind) LeastImportant(n int, stay map[string]bool) []string {
	least := make([]rank, 0, n+1)
	for _, r := range d.ranks {
		if r.stays || len(least) == n && (n == 0 || byImportance(r, least[n-1]) > 0) || stay[r.id] {
			continue
		}
		i, _ := slices.BinarySearchFunc(least, r, byImportance)
		least = slices.Insert(least, i, r)
		least = least[:min(n, len(least))]
	}
	ids := make([]string, len(least))
	for i, r := range least {
		ids[i] = r.id
	}
	return ids
}

func byImportance(a, b rank) int {
	return cmp.Or(a.importance-b.importance, a.times-b.times, cmp.Compare(a.seen, b.seen), strings.Compare(a.id, b.id))
}
