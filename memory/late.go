package memory

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/state"
)

// This file is what becomes known late: a part of a session that is read days after it was said, since no model answered or a batch came
// late, and a chat that was imported. It takes the place of nothing that was said since. What it says is history at once: valid from
// the time of its message to the time of the newer value, which stays. What it wants forgotten ends nothing that was said later.

// outlive makes a plan history: a newer record says what holds. Of several newer ones the earliest ended it.
func (p *plan) outlive(newer state.Record) {
	if at := desk.SaidAt(newer); p.record.ValidTo == nil || at.Before(*p.record.ValidTo) {
		p.record.ValidTo, p.record.ReplacedBy = &at, newer.ID
	}
	p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Other}, state.Record{}, false, true
}

// forgets returns the one of the user's records that a deletion means, of those that were said before it.
func forgets(o desk.Call, known []state.Record, f background.ExtractedFact) (state.Record, bool) {
	return correctedBy(slices.DeleteFunc(slices.Clone(known), o.Before), f)
}
