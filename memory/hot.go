package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/quick"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// hold takes an affair into the mind: the hottest stay there, archived ones and those beyond the bound are read from the
// store when somebody asks.
func (d *mind) hold(a state.Affair) {
	delete(d.affairs, a.ID)
	delete(d.cold, a.ID)
	if a.Status == state.Archived {
		d.cold[a.ID] = true
		return
	}
	d.affairs[a.ID] = a
	for len(d.affairs) > d.hottest {
		coldest := ""
		for id, x := range d.affairs {
			if coldest == "" || colder(x, d.affairs[coldest]) {
				coldest = id
			}
		}
		delete(d.affairs, coldest)
		d.cold[coldest] = true
	}
}

// colder orders affairs by what may go first: parked and resolved before active ones, those not touched for longest.
func colder(a, b state.Affair) bool {
	if a.Status == state.Active != (b.Status == state.Active) {
		return b.Status == state.Active
	}
	if c := a.UpdatedAt.Compare(b.UpdatedAt); c != 0 {
		return c < 0
	}
	return a.ID < b.ID
}

// knows reports whether the user has an affair of the id, in RAM or not.
func (d *mind) knows(id string) bool {
	_, hot := d.affairs[id]
	return hot || d.cold[id]
}

// seen lists the user's hot affairs as a session sees them: one that is active elsewhere shows as PARKED. The last touched
// comes first.
func (d *mind) seen(session string) []state.Affair {
	list := make([]state.Affair, 0, len(d.affairs))
	for _, a := range d.affairs {
		list = append(list, asSeen(a, session))
	}
	slices.SortFunc(list, lastTouched)
	return list
}

func asSeen(a state.Affair, session string) state.Affair {
	if a.Status == state.Active && a.Session != session {
		a.Status = state.Parked
	}
	return a
}

func lastTouched(a, b state.Affair) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
}

// all lists every affair of the user as a session sees them, cold ones too, archived ones last and only if asked for.
func (d *mind) all(ctx context.Context, from reader, session string, archived bool) ([]state.Affair, error) {
	if len(d.cold) == 0 {
		return d.seen(session), nil
	}
	read, err := scan[state.Affair](ctx, from, store.Query{Collection: state.Affairs, Prefix: d.scope.UserPrefix()})
	if err != nil {
		return nil, err
	}
	var list, gone []state.Affair
	for _, a := range read {
		if a.Status == state.Archived {
			gone = append(gone, a)
			continue
		}
		list = append(list, asSeen(a, session))
	}
	slices.SortFunc(list, lastTouched)
	if !archived {
		return list, nil
	}
	slices.SortFunc(gone, lastTouched)
	return append(list, gone...), nil
}

// Bytes that a mind takes besides its index and its links, roughly; a test compares the sum with the heap.
const (
	mindBytes    = 16 << 10
	affairBytes  = 1 << 10 // and its texts
	historyBytes = 4 << 10
	heardBytes   = 700 // of a message in a history
	replicaBytes = 700 // of a document in a replica
	statedBytes  = 250 // of a record that a message was stored as, or of a preference
)

// hotBytes and warmBytes are what the mind takes of the two layers. The caller holds it.
func (d *mind) hotBytes() int64 {
	n := int64(0)
	for _, a := range d.affairs {
		n += affairBytes + int64(len(a.Title)+len(a.Summary))
		for _, f := range a.KeyFacts {
			n += int64(len(f.Label) + len(f.Value))
		}
	}
	return n
}

func (d *mind) warmBytes() int64 {
	n := mindBytes + d.index.Bytes() + d.links.Bytes() + int64(len(d.known)+len(d.stated)+len(d.preferences))*statedBytes
	for _, h := range d.histories {
		n += historyBytes + h.seq*heardBytes
	}
	if d.replica != nil {
		n += int64(d.index.Len()) * replicaBytes
	}
	return n
}

// account notes what the mind takes now, and lets go of the minds that have to go for it. The caller holds the mind.
func (m *Memory) account(d *mind) {
	key := d.scope.UserPrefix()
	gone := m.quick.Hold(quick.Hot, key, d.hotBytes())
	gone = append(gone, m.quick.Hold(quick.Warm, key, d.warmBytes())...)
	for _, other := range gone {
		m.mu.Lock()
		o := m.minds[other]
		if o != nil && !o.needed() {
			delete(m.minds, other)
		}
		m.mu.Unlock()
		m.saveLater(o)
		m.quick.Release(quick.Hot, other)
		m.quick.Release(quick.Warm, other)
	}
}

// reaccount is account for a mind that has just grown, and that nobody has to be in.
func (m *Memory) reaccount(d *mind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.loaded {
		m.account(d)
	}
}

// Usage tells how much RAM the layers take. Cold is what the Memory itself knows of: nothing but the store.
func (m *Memory) Usage() []quick.Usage {
	out := m.quick.Usage()
	if m.vectors != nil {
		s := m.vectors.Status()
		out[quick.Buffer].Bytes, out[quick.Buffer].Things = s.Bytes, s.Waiting
	}
	return out
}
