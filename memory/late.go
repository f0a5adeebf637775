package memory

import (
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/state"
)

// This file is what becomes known late: a part of a session that is read days after it was said, since no model answered or a batch came
// late, and a chat that was imported. It takes the place of nothing that was said since. What it says is history at once: valid from
// the time of its message to the time of the newer value, which stays. What it wants forgotten ends nothing that was said later.

// clockSlack is how far two times may be apart and still count as one: clocks are a little wrong.
const clockSlack = 2 * time.Minute

// late reports whether what comes from there was said well before it is written.
func (o Origin) late(now time.Time) bool { return !o.said.IsZero() && now.Sub(o.said) > clockSlack }

// time is when what comes from there was said: now, unless it is late.
func (o Origin) time(now time.Time) time.Time {
	if o.late(now) {
		return o.said
	}
	return now
}

// before reports whether what comes from there was said well before a record was said last.
func (o Origin) before(r state.Record) bool {
	return !o.said.IsZero() && saidAt(r).Sub(o.said) > clockSlack
}

// saidAt is when a record was said last. One that was extracted has the time of its message, if that is not when it was written.
func saidAt(r state.Record) time.Time {
	at := r.RecordedAt
	if r.Trust == state.TrustExtracted && !r.ValidFrom.IsZero() && r.ValidFrom.Before(at) {
		at = r.ValidFrom
	}
	if r.SeenAt.After(at) {
		return r.SeenAt
	}
	return at
}

// outlive makes a plan history: a newer record says what holds. Of several newer ones the earliest ended it.
func (p *plan) outlive(newer state.Record) {
	if at := saidAt(newer); p.record.ValidTo == nil || at.Before(*p.record.ValidTo) {
		p.record.ValidTo, p.record.ReplacedBy = &at, newer.ID
	}
	p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Other}, state.Record{}, false, true
}

// forgets returns the one of the user's records that a deletion means, of those that were said before it.
func (o Origin) forgets(known []state.Record, f background.ExtractedFact) (state.Record, bool) {
	return correctedBy(slices.DeleteFunc(slices.Clone(known), o.before), f)
}
