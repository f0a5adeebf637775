package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// undoTries bounds how often an undo meets another writer.
const undoTries = 8

// UndoChange takes back what a commit did to records and affairs, by its number: they are as they were before. What came after it in
// other fields, and in other items of lists, stays. What was changed again since is state.ErrConflict, whose text names the later changes; then
// nothing is undone. It is a change of its own, and can be undone as well.
func (r *Room) UndoChange(ctx context.Context, scope state.Scope, seq int64) error {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return err
	}
	if state.EffectsFrom(ctx) != nil {
		return state.Errorf(state.Invalid, "undo change "+strconv.FormatInt(seq, 10), "is not for the inside of a turn")
	}
	var err error
	for range undoTries {
		if err = r.undoOnce(ctx, scope, seq); !errors.Is(err, errMeanwhile) {
			return err
		}
	}
	return err
}

// errMeanwhile says that somebody wrote between reading and undoing.
var errMeanwhile = errors.New("changed meanwhile")

func (r *Room) undoOnce(ctx context.Context, scope state.Scope, seq int64) error {
	op, there, by := "undo change "+strconv.FormatInt(seq, 10), false, state.By{}
	in := scope
	effects, err := r.revert(ctx, scope, op, time.Time{}, func(v version) (its, enough bool) {
		if v.seq == seq {
			there, by, in.Session = true, v.By, v.Sess
		}
		return v.seq == seq, v.seq < seq
	})

	switch {
	case err != nil:
		return err
	case !there:
		return state.Errorf(state.NotFound, op, "no change of a record or an affair has that number; audit lists them")
	case len(effects) == 0:
		return nil
	}

	if err := r.gate(ctx, scope, Request{Change: seq}.wish()); err != nil {
		return err
	}

	// The sessions in which its affairs were active, or are again, say so.
	moved, err := r.sessionsAfter(ctx, scope, op, effects)
	if err != nil {
		return err
	}
	filed, err := r.filedBack(ctx, in, by)
	if err != nil {
		return err
	}
	if err = r.desk.Decide(ctx, slices.Concat(effects, moved, filed)...); errors.Is(err, state.ErrConflict) {
		return errors.Join(errMeanwhile, err)
	}
	return err
}

// reverted is a document on its way back.
type reverted struct {
	doc   store.Doc // as it stands
	body  bson.Raw  // as it is to be
	later []int64   // changes of it that stay, the newest first
}

// revert returns what takes changes back that of selects: the newest first, so that each meets what it left, unless a change came in
// between that stays. It goes back no further than since. What cannot be taken back is state.ErrConflict.
func (r *Room) revert(ctx context.Context, scope state.Scope, op string, since time.Time, of func(version) (its, enough bool)) ([]state.Effect, error) {
	docs, order, clashes := map[ledger.Ref]*reverted{}, []ledger.Ref(nil), []string(nil)
	err := r.walkBack(ctx, scope, since, func(v version) (bool, error) {
		its, enough := of(v)
		if enough {
			return true, nil
		}
		x := docs[v.Ref]
		if x == nil {
			doc, err := r.desk.Base.Get(ctx, v.Ref.Collection, scope.Key(v.Ref.ID))
			if err != nil && !errors.Is(err, state.ErrNotFound) {
				return true, err
			}
			x = &reverted{doc: doc, body: doc.Body}
			docs[v.Ref], order = x, append(order, v.Ref)
		}
		if v.Ref.Collection == state.Suggestions && x.doc.Body == nil { // it went when it was old: what was approved can be taken back all the same
			return false, nil
		}
		if !its {
			x.later = append(x.later, v.seq)
			return false, nil
		}
		body, clash, err := v.Undone(v.before, v.after, x.body)
		for _, field := range clash {
			clashes = append(clashes, fmt.Sprintf("%s of %s %s, by change %s", field, v.Ref.Collection, v.Ref.ID, lastOf(x.later)))
		}
		x.body = body
		return false, err
	})
	if err == nil && len(clashes) > 0 {
		err = state.Errorf(state.Conflict, op, "what it did was changed since: %s; undo that first", strings.Join(clashes, "; "))
	}
	var effects []state.Effect
	for _, ref := range order {
		x := docs[ref]
		if bytes.Equal(x.body, x.doc.Body) {
			continue
		}
		back := &state.Restore{Collection: ref.Collection, ID: ref.ID, Rev: x.doc.Rev, Body: x.body, Was: x.doc.Body}
		effects = append(effects, state.Effect{Scope: scope, Restore: back, By: &state.By{Who: state.ByUser, Path: undoPath, Why: op}})
	}
	return effects, err
}

// lastOf names the earliest of later changes, which stand the newest first.
func lastOf(later []int64) string {
	if len(later) == 0 {
		return "unknown"
	}
	return strconv.FormatInt(later[len(later)-1], 10)
}
