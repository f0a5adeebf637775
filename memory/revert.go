package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
)

// undoTries bounds how often an undo meets another writer.
const undoTries = 8

// UndoChange takes back what a commit did to records and affairs, by its number: they are as they were before. What came after it in
// other fields, and in other items of lists, stays. What was changed again since is state.ErrConflict, whose text names the later changes; then
// nothing is undone. It is a change of its own, and can be undone as well.
func (m *Memory) UndoChange(ctx context.Context, scope state.Scope, seq int64) error {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return err
	}
	if state.EffectsFrom(ctx) != nil {
		return state.Errorf(state.Invalid, "undo change "+itoa(seq), "is not for the inside of a turn")
	}
	var err error
	for range undoTries {
		if err = m.undoOnce(ctx, scope, seq); !errors.Is(err, errMeanwhile) {
			return err
		}
	}
	return err
}

// errMeanwhile says that somebody wrote between reading and undoing.
var errMeanwhile = errors.New("changed meanwhile")

func (m *Memory) undoOnce(ctx context.Context, scope state.Scope, seq int64) error {
	op := "undo change " + itoa(seq)
	var found []version
	later := map[ledger.Ref][]int64{}
	err := m.walkBack(ctx, scope, func(v version) (bool, error) {
		switch {
		case v.seq > seq:
			later[v.Ref] = append(later[v.Ref], v.seq)
		case v.seq == seq:
			found = append(found, v)
		}
		return v.seq < seq, nil
	})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return state.Errorf(state.NotFound, op, "no change of a record or an affair has that number; audit lists them")
	}
	var effects []state.Effect
	var conflicts []string
	for _, v := range found {
		doc, err := m.c.Store.Get(ctx, v.Ref.Collection, scope.Key(v.Ref.ID))
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
		body, clash, err := v.Undone(v.before, v.after, doc.Body)
		if err != nil {
			return err
		}
		for _, field := range clash {
			conflicts = append(conflicts, fmt.Sprintf("%s of %s %s", field, v.Ref.Collection, v.Ref.ID))
		}
		if len(clash) > 0 {
			conflicts[len(conflicts)-1] += " by change " + earliest(later[v.Ref])
		}
		back := &state.Restore{Collection: v.Ref.Collection, ID: v.Ref.ID, Rev: doc.Rev, Body: body}
		if body == nil {
			back.Was = doc.Body
		}
		effects = append(effects, state.Effect{Scope: scope, Restore: back, By: &state.By{Who: state.ByUser, Path: undoPath, Why: op}})
	}
	if len(conflicts) > 0 {
		return state.Errorf(state.Conflict, op, "what it did was changed since: %s; undo the later change first", strings.Join(conflicts, "; "))
	}
	if err = m.decide(ctx, effects...); errors.Is(err, state.ErrConflict) {
		return errors.Join(errMeanwhile, err)
	}
	return err
}

// earliest is the number of the first of the later changes, as far as the feed tells.
func earliest(seqs []int64) string {
	if len(seqs) == 0 {
		return "unknown"
	}
	return itoa(slices.Min(seqs))
}
