package memory

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// This file is what becomes known late: a part of a session that is read days after it was said, since no model answered or a batch came
// late, and a chat that was imported. It takes the place of nothing that was said since. What it says is history at once: valid from
// the time of its message to the time of the newer value, which stays (plan.outlive). What it wants forgotten ends nothing that was said later.

// forgets returns the one of the user's records that a deletion means, of those that were said before it.
func forgets(o desk.Call, known []state.Record, f background.ExtractedFact) (state.Record, bool) {
	return correctedBy(slices.DeleteFunc(slices.Clone(known), o.Before), f)
}

// correctedBy returns the one of the user's records that an update or a deletion means: by the line it copies, else by the words of the line or its subject; a
// deletion names it in its text.
func correctedBy(known []state.Record, f background.ExtractedFact) (state.Record, bool) {
	for _, r := range slices.Backward(known) {
		if f.Old != "" && mind.RecordText(r) == f.Old {
			return r, true
		}
	}

	names := []string{f.Old, f.Subject}
	if f.Label == "DELETE" {
		names = append(names, f.Text)
	}

	for _, asked := range names {
		terms := text.Terms(asked)
		if len(terms) == 0 {
			continue
		}
		for _, r := range slices.Backward(known) {
			has := text.Terms(mind.RecordText(r))
			if !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) }) {
				return r, true
			}
		}
	}
	return state.Record{}, false
}
