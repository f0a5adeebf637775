package suggest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file says how long suggestions are kept, and how many wait at most. What was answered, or was over, goes suggestion_keep_days later: the
// audit goes on telling that it was there and who answered it, without its text. When max_suggestions_per_user wait, nothing more is suggested.

// droppedAtOnce bounds how many old suggestions go in a commit.
const droppedAtOnce = 64

// keptSuggestion is a suggestion as it is kept, and its document's revision.
type keptSuggestion struct {
	v   state.Suggestion
	rev int64
}

// keptSuggestions returns the user's suggestions, the oldest first. One that is damaged is left out, which the turn's trace says.
func (r *Room) keptSuggestions(ctx context.Context, scope state.Scope) (all []keptSuggestion, err error) {
	docs, err := r.desk.Base.Scan(ctx, store.Query{Collection: state.Suggestions, Prefix: scope.UserPrefix()})
	if err != nil {
		return nil, err
	}

	for _, doc := range docs {
		s, err := ledger.Decode[state.Suggestion](doc)
		if err != nil {
			ledger.NoteDamage(ctx, state.Suggestions, err)
			continue
		}
		all = append(all, keptSuggestion{s, doc.Rev})
	}

	slices.SortStableFunc(all, func(a, b keptSuggestion) int {
		return cmp.Or(a.v.At.Compare(b.v.At), strings.Compare(a.v.ID, b.v.ID))
	})
	return all, nil
}

// AskedFrom returns what was suggested because of a message, whatever the user has answered since.
func (r *Room) AskedFrom(ctx context.Context, scope state.Scope, message string) (requests []bson.Raw, err error) {
	all, err := r.keptSuggestions(ctx, scope)
	for _, s := range all {
		if askedBy(s.v.Request).Message == message {
			requests = append(requests, s.v.Request)
		}
	}
	return requests, err
}

// dropOld returns the edits that delete suggestions that were answered, or over, too long ago.
func (r *Room) dropOld(ctx context.Context, scope state.Scope, all []keptSuggestion) (out []state.Effect) {
	days := r.desk.Set(r.desk.Under(ctx, scope)).SuggestionKeepDays
	if days == 0 {
		return nil
	}

	before := r.desk.Now().AddDate(0, 0, -days)
	by := state.By{Who: state.ByPipeline, Path: suggestPath, Why: "it was answered, or over, more than suggestion_keep_days ago"}

	for _, s := range all {
		ended := s.v.AnsweredAt
		if ended.IsZero() {
			ended = s.v.Until
		}
		waits := s.v.Status == state.Waiting && s.v.Until.IsZero()
		if !waits && ended.Before(before) && len(out) < droppedAtOnce {
			out = append(out, state.Effect{Scope: scope, Erase: &state.Erase{Collection: state.Suggestions, ID: s.v.ID, Rev: s.rev}, By: &by})
		}
	}
	return out
}

// tidy deletes old suggestions outside a turn, and returns those that stay. Who meets another writer leaves it to him.
func (r *Room) tidy(ctx context.Context, scope state.Scope, all []keptSuggestion) ([]keptSuggestion, error) {
	effects := r.dropOld(ctx, scope, all)
	if len(effects) == 0 {
		return all, nil
	}
	if err := r.desk.Decide(ctx, effects...); err != nil && !errors.Is(err, state.ErrConflict) {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s keptSuggestion) bool {
		return slices.ContainsFunc(effects, func(e state.Effect) bool { return e.Erase.ID == s.v.ID })
	}), nil
}

// suggest leaves what was asked for as suggestions, as many as may wait, and says what waits then. What waits already is not suggested again.
func (r *Room) suggest(ctx context.Context, scope state.Scope, asked []desk.Wish) error {
	all, err := r.keptSuggestions(ctx, scope)
	if err != nil {
		return err
	}

	now, open := r.desk.Now(), 0
	for _, s := range all {
		if s.v.Status == state.Waiting && !s.v.Over(now) {
			open++
		}
	}
	most := r.desk.Set(r.desk.Under(ctx, scope)).MaxSuggestionsPerUser

	// Each request is suggested once, while there is room; what finds none is told in the trace.
	waits := WaitsError{Most: most}
	effects := r.dropOld(ctx, scope, all)
	for i, w := range asked {
		s, err := r.suggestion(ctx, scope, w, i)
		if err != nil {
			return err
		}
		if k := slices.IndexFunc(all, func(o keptSuggestion) bool { return isTwin(o.v, s, now) }); k >= 0 {
			waits.Suggestions = append(waits.Suggestions, all[k].v)
			continue
		}
		if open++; open > most {
			waits.Refused++
			state.TraceFrom(ctx).Note("not even suggested: %s %q, since %d suggestions wait for user %s, as many as max_suggestions_per_user allows; mneme suggestions answers them",
				s.Asks, s.Text, most, scope.User)
			continue
		}
		all = append(all, keptSuggestion{v: s})
		waits.Suggestions = append(waits.Suggestions, s)
		effects = append(effects, state.Effect{Scope: scope, Suggestion: &s})
	}
	if err := r.desk.Decide(ctx, effects...); err != nil {
		return err
	}
	return &waits
}

// isTwin reports whether a suggestion is there already: of the same call, tried again, or one that waits and asks the same for the same agent,
// whatever turn or file asked.
func isTwin(there, s state.Suggestion, now time.Time) bool {
	if there.ID == s.ID {
		return true
	}
	if there.Status != state.Waiting || there.Over(now) || there.Asks != s.Asks || there.Text != s.Text || scopeOfSuggestion(there) != scopeOfSuggestion(s) {
		return false
	}
	return bytes.Equal(withoutAsker(there.Request), withoutAsker(s.Request))
}

// withoutAsker returns a request but for who asks; nil if it cannot be read.
func withoutAsker(request bson.Raw) (out []byte) {
	fields, _ := request.Elements()
	for _, f := range fields {
		if f.Key() != "origin" {
			out = append(out, f...)
		}
	}
	return out
}
