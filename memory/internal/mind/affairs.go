package mind

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/quick"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// holdAffair takes an affair into the mind. The hottest stay there whole; of archived ones and of those beyond the bound there is
// what they are recognised by, and the rest is read from the store when it is asked for.
func (d *Mind) holdAffair(a state.Affair) {
	d.dropAffair(a.ID)
	title := foldTitle(a.Title)
	d.titles[title] = append(d.titles[title], a.ID)
	if a.Status == state.Archived {
		d.chillAffair(a)
		return
	}
	d.affairs[a.ID] = &a

	for len(d.affairs) > d.hottest {
		coldest := ""
		for id, x := range d.affairs {
			if coldest == "" || colder(x, d.affairs[coldest]) {
				coldest = id
			}
		}
		a := d.affairs[coldest]
		delete(d.affairs, coldest)
		d.chillAffair(*a)
	}
}

// chillAffair keeps of an affair what it is recognised by.
func (d *Mind) chillAffair(a state.Affair) {
	short := d.shortenAffair(a)
	d.cold[a.ID] = short
	d.coldBytes += coldSize(short)
	d.Docs.shorten(ledger.Ref{Collection: state.Affairs, ID: d.scope.Key(a.ID)})
}

// dropAffair takes an affair out of the mind.
func (d *Mind) dropAffair(id string) {
	if a := cmp.Or(d.affairs[id], d.cold[id]); a != nil {
		title := foldTitle(a.Title)
		if d.titles[title] = slices.DeleteFunc(d.titles[title], func(other string) bool { return other == id }); len(d.titles[title]) == 0 {
			delete(d.titles, title)
		}
	}
	delete(d.affairs, id)
	d.coldBytes -= coldSize(d.cold[id])
	delete(d.cold, id)
}

// colder orders affairs by what may go first: parked and resolved before active ones, those not touched for longest.
func colder(a, b *state.Affair) bool {
	if a.Status == state.Active != (b.Status == state.Active) {
		return b.Status == state.Active
	}
	if c := a.UpdatedAt.Compare(b.UpdatedAt); c != 0 {
		return c < 0
	}
	return a.ID < b.ID
}

// shortenAffair returns what an affair is recognised by: title, topics, status, times, and the key facts that hold a number.
func (d *Mind) shortenAffair(a state.Affair) *state.Affair {
	short := &state.Affair{
		ID: a.ID, Client: d.scope.Client, User: d.scope.User, Session: a.Session, Title: a.Title, Status: a.Status,
		Messages: a.Messages, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, Topics: slices.Clone(a.Topics), MergedInto: a.MergedInto,
	}
	for _, f := range a.KeyFacts {
		if strings.ContainsAny(f.Value, "0123456789") {
			short.KeyFacts = append(short.KeyFacts, f)
		}
	}
	short.KeyFacts = slices.Clip(short.KeyFacts)
	return short
}

// Knows reports whether the user has an affair of the id.
func (d *Mind) Knows(id string) bool {
	_, hot := d.affairs[id]
	_, cold := d.cold[id]
	return hot || cold
}

// Hot returns an affair that is held whole, nil for any other.
func (d *Mind) Hot(id string) *state.Affair { return d.affairs[id] }

// Seen lists all of the user's affairs as a session sees them, the last touched first: one that is active elsewhere shows as
// PARKED. The hot ones are whole, of the others there is what they are recognised by. Archived ones are left out.
func (d *Mind) Seen(session string) []*state.Affair {
	list := make([]*state.Affair, 0, len(d.affairs)+len(d.cold))
	for _, affairs := range []map[string]*state.Affair{d.affairs, d.cold} {
		for _, a := range affairs {
			if a.Status != state.Archived {
				list = append(list, asSeen(a, session))
			}
		}
	}
	slices.SortFunc(list, lastTouched)
	return list
}

func asSeen(a *state.Affair, session string) *state.Affair {
	if a.Status != state.Active || a.Session == session {
		return a
	}
	parked := *a
	parked.Status = state.Parked
	return &parked
}

func lastTouched(a, b *state.Affair) int {
	if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
		return c
	}
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
}

// Whole returns an affair with all that it holds, wherever it is kept.
func (d *Mind) Whole(ctx context.Context, id string) (state.Affair, error) {
	if a, hot := d.affairs[id]; hot {
		return *a, nil
	}
	return ledger.Get[state.Affair](ctx, d.Docs, state.Affairs, d.scope.Key(id))
}

// WholeAsSeen is Whole of an affair as a session sees it.
func (d *Mind) WholeAsSeen(ctx context.Context, id, session string) (state.Affair, error) {
	a, err := d.Whole(ctx, id)
	return *asSeen(&a, session), err
}

// Complete brings affairs of a view that are only recognised there up to all that they hold, and takes archived ones in. An id
// that is "" or of no affair is passed over. The list of a view is the turn's own.
func (d *Mind) Complete(ctx context.Context, v state.View, ids ...string) (state.View, error) {
	for _, id := range ids {
		if _, cold := d.cold[id]; !cold {
			continue
		}
		a, err := d.Whole(ctx, id)
		if err != nil {
			return v, err
		}

		now := asSeen(&a, v.Session.ID)
		if i := slices.IndexFunc(v.Affairs, func(x *state.Affair) bool { return x.ID == id }); i >= 0 {
			v.Affairs[i] = now
		} else {
			v.Affairs = append(v.Affairs, now)
		}
	}
	return v, nil
}

// IsArchived reports whether an affair is archived; one that is not there is not.
func (d *Mind) IsArchived(id string) bool {
	a := d.cold[id]
	return a != nil && a.Status == state.Archived
}

// Stands returns the status of an affair, "" where there is none. It locks the mind.
func (d *Mind) Stands(id string) state.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := cmp.Or(d.affairs[id], d.cold[id]); a != nil {
		return a.Status
	}
	return ""
}

// Archived picks the ids of archived affairs.
func (d *Mind) Archived(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !d.IsArchived(id) })
}

// Recognised returns an affair of the user as a session sees it: whole when it is hot, else what it is recognised by; nil if there is none.
func (d *Mind) Recognised(id, session string) *state.Affair {
	a := cmp.Or(d.affairs[id], d.cold[id])
	if a == nil {
		return nil
	}
	return asSeen(a, session)
}

// Everyone lists all affairs of the user as a session sees them, archived ones last. The hot ones are whole, of the others there is what
// they are recognised by.
func (d *Mind) Everyone(session string) []*state.Affair {
	var gone []*state.Affair
	for _, a := range d.cold {
		if a.Status == state.Archived {
			gone = append(gone, a)
		}
	}
	slices.SortFunc(gone, lastTouched)
	return append(d.Seen(session), gone...)
}

// All lists every affair of the user as a session sees them, whole, archived ones last and only if asked for.
func (d *Mind) All(ctx context.Context, session string, archived bool) ([]*state.Affair, error) {
	if len(d.cold) == 0 {
		return d.Seen(session), nil
	}

	read, err := ledger.Scan[state.Affair](ctx, d.Docs, store.Query{Collection: state.Affairs, Prefix: d.scope.UserPrefix()})
	if err != nil {
		return nil, err
	}

	var list, gone []*state.Affair
	for i := range read {
		if read[i].Status == state.Archived {
			gone = append(gone, &read[i])
			continue
		}
		list = append(list, asSeen(&read[i], session))
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
	coldBytes    = 450     // of an affair that is not hot, and its texts
	stringBytes  = 24
	sessionBytes = 600 // and its texts
	spanBytes    = 300 // of a part that has ended just now
	codeBytes    = 110 // of a code that records say
	statedBytes  = 250 // of a record that a message was stored as, or of a preference
)

// hotBytes and warmBytes are what the mind takes of the two layers. The caller holds it.
func (d *Mind) hotBytes() int64 {
	n := d.coldBytes
	for _, a := range d.affairs {
		n += affairBytes + int64(len(a.Title)+len(a.Summary))
		for _, f := range a.KeyFacts {
			n += int64(len(f.Label) + len(f.Value))
		}
	}
	return n
}

// coldSize returns what is kept of an affair that is not hot; nil takes nothing.
func coldSize(a *state.Affair) int64 {
	if a == nil {
		return 0
	}
	n := coldBytes + int64(len(a.ID)+len(a.Title))
	for _, t := range a.Topics {
		n += stringBytes + int64(len(t))
	}
	for _, f := range a.KeyFacts {
		n += 2*stringBytes + int64(len(f.Label)+len(f.Value))
	}
	return n
}

// sessionSize returns what a session takes in the mind; one that is not there takes nothing.
func sessionSize(s state.Session) int64 {
	if s.ID == "" {
		return 0
	}
	n := sessionBytes + int64(len(s.ID)+len(s.Title)+len(s.Summary)+len(s.SummaryID)) + int64(len(s.Ending))*spanBytes
	for _, id := range s.Touched {
		n += stringBytes + int64(len(id))
	}
	return n
}

func (d *Mind) warmBytes() int64 {
	n := mindBytes + d.Index.Bytes() + d.Faces.Bytes() + d.links.Bytes() + int64(len(d.known)+len(d.stated)+len(d.replaced)+len(d.over)+len(d.gone)+len(d.Own)+len(d.ranks))*statedBytes + int64(len(d.codes)+len(d.named))*codeBytes
	for _, k := range d.Projects {
		n += k.bytes()
	}
	n += d.talks.bytes() + d.sessionsSize + d.Docs.size()
	return n
}

// accountFor notes what the mind takes now, and lets go of the minds that have to go for it. The caller holds the mind.
func (m *Minds) accountFor(d *Mind) {
	key := d.scope.UserPrefix()
	gone := m.quick.Hold(quick.Hot, key, d.hotBytes())
	gone = append(gone, m.quick.Hold(quick.Warm, key, d.warmBytes())...)
	for _, other := range gone {
		m.mu.Lock()
		o := m.minds[other]
		delete(m.minds, other)
		m.mu.Unlock()
		m.saveLater(o)
		m.quick.Release(quick.Hot, other)
		m.quick.Release(quick.Warm, other)
	}
}

// accountAgain is account for a mind that has just grown, and that nobody has to be in.
func (m *Minds) accountAgain(d *Mind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.loaded {
		m.accountFor(d)
	}
}
