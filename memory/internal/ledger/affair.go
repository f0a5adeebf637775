package ledger

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// EditAffair applies an edit. A move that is no longer legal, because another session was first, is left
// out; everything else still holds.
func EditAffair(a *state.Affair, e state.AffairEdit, scope state.Scope) {
	if e.Create != nil && a.ID == "" {
		*a = *e.Create
	}
	if a.MergedInto != "" {
		return // what is merged stays as it was
	}
	if e.Status != "" && e.Status != a.Status || e.Status == state.Active && a.Session != e.Session {
		elsewhere := a.Status == state.Active && a.Session != scope.Session
		if moved, err := affair.Move(*a, e.Status, e.Session, e.At); err == nil && !(e.Status == state.Parked && elsewhere) {
			*a = moved
		}
	}
	if e.Title != "" && (e.Anew || mayTitle(e.TitleBy, a.TitleBy)) {
		a.Title, a.TitleBy = e.Title, e.TitleBy
	}
	if e.Summary != "" || e.Anew {
		a.Summary = e.Summary
	}
	a.KeyFacts = slices.DeleteFunc(slices.Clone(a.KeyFacts), func(f state.Fact) bool { return slices.Contains(e.Drop, f.Label) })
	for _, f := range e.Facts {
		a.Keep(f, e.At)
	}
	if len(e.Unlearn) > 0 {
		a.PastFacts = slices.DeleteFunc(slices.Clone(a.PastFacts), func(f state.Past) bool { return slices.Contains(e.Unlearn, f.Value) })
	}
	if e.SetPending {
		a.PendingActions = e.Pending
	}
	if e.SetSumUp {
		a.SumUp = e.SumUp
	}
	if len(e.Topics) > 0 || e.Anew {
		a.Topics = e.Topics
	}
	a.Messages += e.Messages
	if e.Absorb != nil {
		absorb(a, *e.Absorb)
	}
	if e.Into != "" {
		a.Status, a.Session, a.MergedInto = state.Archived, "", e.Into
	}
	if e.At.After(a.UpdatedAt) {
		a.UpdatedAt = e.At
	}
}

// mayTitle reports whether a title takes the place of the one there was: one made by rule gives way to any, every other, and
// one that nobody knows of who gave it, only to a person's.
func mayTitle(by, had state.Author) bool {
	return by == state.AuthorUser || had == state.AuthorRules
}

// absorb takes in what another affair holds, once. Of two values under one label its own stays.
func absorb(a *state.Affair, other state.Affair) {
	if slices.Contains(a.Absorbed, other.ID) {
		return
	}
	a.Absorbed = append(slices.Clone(a.Absorbed), other.ID)

	// What the second affair has already stays as it is; an affair that was taken in before is not taken in again.
	for _, f := range other.KeyFacts {
		if _, ok := a.KeyFacts.Get(f.Label); !ok {
			a.KeyFacts = a.KeyFacts.With(f.Label, f.Value)
		}
	}

	add := func(to *[]string, more []string) {
		*to = slices.Clone(*to)
		for _, s := range more {
			if !slices.ContainsFunc(*to, func(had string) bool { return text.Fold(had) == text.Fold(s) }) {
				*to = append(*to, s)
			}
		}
	}
	add(&a.PendingActions, other.PendingActions)
	add(&a.Topics, other.Topics)

	if other.Summary != "" && !strings.Contains(a.Summary, other.Summary) {
		a.Summary = strings.TrimSpace(a.Summary + "\n" + other.Summary)
	}
	a.Messages += other.Messages
}
