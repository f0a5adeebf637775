package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// reorganisePath is the way of what is put in order by itself.
const reorganisePath = "reorganise"

// Bounds of what is put in order when a part of a session ends.
const (
	likeAtOnce   = 8 // pairs of records about which the small model is asked
	restsForLong = 3 // times archive_after_days: a parked affair that waits for nothing is archived
)

// reorganise puts the user's memory in order when a part of a session is over, where autonomy is 3: affairs of one title become one, parked affairs
// that wait for nothing and were left for long are archived, and of records that the rules could not tell apart those that the small model calls
// the same become one. Each of it can be undone.
func (m *Memory) reorganise(ctx context.Context, by *desk.Edits) error {
	e := &edits{m, by}
	scope := e.Scope
	scope.Agent = e.View.Agent
	if e.m.desk.Autonomy(ctx, scope) < desk.ReorganiseLevel {
		return nil
	}

	all, err := e.m.Affairs().List(ctx, e.Scope, false)
	if err != nil {
		return err
	}

	r := &edits{e.m, &desk.Edits{Scope: e.Scope, By: state.By{Who: state.ByPipeline, Path: reorganisePath}}}
	r.View.Affairs = slices.DeleteFunc(slices.Clone(all), func(a *state.Affair) bool { return e.touches(a.ID) || a.Status == state.Active || a.Session != "" })
	r.joinTitles()
	r.archiveLeft(ctx)
	if err := r.joinLike(ctx); err != nil {
		return err
	}

	if len(r.Effects) > 0 {
		state.TraceFrom(ctx).Note("memory was put in order: %d edits, see audit, way %s", len(r.Effects), reorganisePath)
	}
	e.Effects = append(e.Effects, r.Effects...)
	return nil
}

// touches reports whether these edits are about an affair.
func (e *edits) touches(id string) bool {
	return slices.ContainsFunc(e.Effects, func(effect state.Effect) bool { return effect.Affair != nil && effect.Affair.ID == id })
}

// joinTitles merges affairs of one title into the oldest of them.
func (e *edits) joinTitles() {
	oldest := map[string]*state.Affair{}
	byAge := slices.SortedStableFunc(slices.Values(e.View.Affairs), func(a, b *state.Affair) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, a := range byAge {
		title := text.Fold(a.Title)
		into := oldest[title]
		switch {
		case title == "" || a.MergedInto != "":
		case into == nil:
			oldest[title] = a
		default:
			e.By.Why = "affairs " + into.ID + " and " + a.ID + " have one title"
			from := *a
			e.edit(state.AffairEdit{ID: into.ID, Absorb: &from})
			e.edit(state.AffairEdit{ID: a.ID, Into: into.ID})
		}
	}
}

// archiveLeft archives parked affairs that wait for nothing and were left for long.
func (e *edits) archiveLeft(ctx context.Context) {
	days := e.m.desk.Set(ctx).ArchiveAfterDays
	if days == 0 {
		return
	}
	left, swept := e.m.c.Now().Add(-time.Duration(restsForLong*days)*24*time.Hour), 0
	for _, a := range slices.Clone(e.View.Affairs) {
		if a.Status == state.Parked && a.MergedInto == "" && len(a.PendingActions) == 0 && a.UpdatedAt.Before(left) && swept < sweptAtOnce {
			e.By.Why = "parked, it waits for nothing and was last touched on " + a.UpdatedAt.Format(time.DateOnly)
			e.edit(state.AffairEdit{ID: a.ID, Status: state.Archived})
			swept++
		}
	}
}

// joinLike asks the small model about records that may say the same, and makes one of those that do.
func (e *edits) joinLike(ctx context.Context) error {
	small := e.m.desk.Small(ctx, e.View.Agent)
	if small == nil {
		return nil
	}

	// Pairs that a write has marked as alike.
	own, err := e.m.desk.Own(ctx, e.Scope)
	if err != nil {
		return err
	}
	from, err := e.m.desk.Reads(ctx, e.Scope)
	if err != nil {
		return err
	}

	// A few at a time; what the user has said himself is not joined.
	asked := 0
	for _, r := range own {
		if r.Like == "" || r.Trust == state.TrustUser || asked == likeAtOnce {
			continue
		}
		next, old, err := compared(ctx, from, e.Scope, r.ID)
		if err != nil {
			return err
		}
		if old.ID == "" {
			continue
		}
		asked++
		answer, err := small.Same(ctx, old, next)
		if err == nil {
			answer.Reasoning = "the small model: " + answer.Reasoning
			if e.correct(old, next, answer) {
				if err := e.endFacts(ctx, old, next); err != nil {
					return err
				}
			}
			continue
		}

		// A model that does not answer is asked no more this time.
		if !errors.Is(err, state.ErrNotFound) {
			state.TraceFrom(ctx).Note("records %s and %s stay two, the small model did not answer: %v", old.ID, next.ID, err)
		}
		return nil
	}
	return nil
}
