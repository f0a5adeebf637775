package ledger

import (
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// mergeSession takes a session as decided into the session as it stands. Another writer may have been there since
// it was decided, so what counts only grows, a part that somebody ended stays ended, the later title stays, and a summary gives way to
// one that covers more.
func mergeSession(stands *state.Session, decided state.Session) {
	was := *stands
	*stands = decided
	stands.Messages = max(was.Messages, decided.Messages)
	stands.WindowFrom = max(was.WindowFrom, decided.WindowFrom)

	if was.Part > decided.Part {
		stands.Part, stands.PartFrom, stands.PartAt, stands.Ending = was.Part, was.PartFrom, was.PartAt, was.Ending
		stands.Preferences = was.Preferences
		stands.Touched, stands.TouchedLast = union(was.Touched, decided.Touched), was.TouchedLast
	}
	if was.TitledAt.After(decided.TitledAt) {
		stands.Title, stands.TitledAt = was.Title, was.TitledAt
	}
	if was.Summarised > decided.Summarised {
		stands.Summary, stands.SummaryID, stands.Summarised = was.Summary, was.SummaryID, was.Summarised
	}
	if was.LastAt.After(decided.LastAt) {
		stands.LastAt = was.LastAt
	}
	if was.LastSwitchAt.After(decided.LastSwitchAt) {
		stands.LastSwitchAt = was.LastSwitchAt
	}
}

// HoldPath is the way by which a record comes to be held, and not to be held any more.
const HoldPath = "hold"

// mergeRecord takes a record as decided into the one that stands. Of two summaries of one part of a session the one that covers more
// stays, and the part stays ended and read. Of two L1 or L2 of one number the first stays.
func mergeRecord(stands *state.Record, decided state.Record, by *state.By) {
	was := *stands
	*stands = decided
	if by == nil || by.Path != HoldPath { // whoever edits it may not have seen that it is held
		stands.Held, stands.HeldAt = was.Held, was.HeldAt
	}
	if was.Span == nil || decided.Span == nil {
		return
	}
	if len(was.Span.Of) > 0 && !slices.Equal(was.Span.Of, decided.Span.Of) { // another writer has made the one of this number
		*stands = was
		return
	}

	if had, comes := was.Span, decided.Span; had.Covered > comes.Covered || had.Covered == comes.Covered && had.Version > comes.Version {
		*stands = was
	}

	span := *stands.Span
	span.Last = max(was.Span.Last, decided.Span.Last)
	span.Affairs = union(was.Span.Affairs, decided.Span.Affairs)
	span.EndedAt = was.Span.EndedAt
	if span.EndedAt.IsZero() {
		span.EndedAt = decided.Span.EndedAt
	}
	span.Waits = decided.Span.Waits && (was.Span.Waits || !was.Span.Ended()) // who has read it has read it for all
	if span.Digest == "" {
		span.Digest = decided.Span.Digest
	}
	stands.Span = &span
}

// union returns a list with what another one has besides.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
