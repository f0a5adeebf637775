package forget

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file keeps records from being erased, as a court may want it. An erasure that meets one erases the rest and waits for it.

// Hold keeps a record from being erased until it is released. By names who wants that, why is his reason; both are kept with the record. One that is held
// is state.ErrConflict. It is not for a model: state.ErrDenied.
func (r *Room) Hold(ctx context.Context, scope state.Scope, id, by, why string) (state.Record, error) {
	return r.setHold(ctx, scope.Default(), id, func(rec *state.Record, who state.By) error {
		if rec.Held != nil {
			return state.Errorf(state.Conflict, "hold record "+id, "it is held since %s, by %s", rec.HeldAt.Format("2006-01-02"), cmp.Or(rec.Held.User, string(rec.Held.Who)))
		}
		who.User, who.Why = by, why
		rec.Held, rec.HeldAt = &who, r.desk.Now()
		return nil
	})
}

// Release ends what Hold began, and carries out the erasures that have waited for it. It returns the last of them, if there were any. One that is not held
// is state.ErrConflict; what waits for it is carried out all the same.
func (r *Room) Release(ctx context.Context, scope state.Scope, id string) (state.Order, error) {
	scope = scope.Default()
	_, err := r.setHold(ctx, scope, id, func(rec *state.Record, _ state.By) error {
		if rec.Held == nil {
			return state.Errorf(state.Conflict, "release record "+id, "it is not held")
		}
		rec.Held, rec.HeldAt = nil, time.Time{}
		return nil
	})
	if err != nil && !errors.Is(err, state.ErrConflict) {
		return state.Order{}, err
	}
	done, goes := r.goOnReleased(ctx, scope)
	return done, errors.Join(err, goes)
}

// setHold changes whether a record is held.
func (r *Room) setHold(ctx context.Context, scope state.Scope, id string, set func(*state.Record, state.By) error) (rec state.Record, err error) {
	by := desk.MadeBy(ctx)
	switch {
	case by.Who == state.ByAgent:
		return rec, state.Errorf(state.Denied, "hold record "+id, "is not for a model")
	case state.EffectsFrom(ctx) != nil:
		return rec, state.Errorf(state.Invalid, "hold record "+id, "is not for the inside of a turn; call it when the turn is over")
	}
	if err := errors.Join(scope.Validate(), state.ValidateID("record", id)); err != nil {
		return rec, err
	}
	if _, err := r.carryOutOrders(ctx, scope, noBudget, nil); err != nil { // what was ordered before goes
		return rec, err
	}
	leave, err := r.desk.Alone(ctx, scope)
	if err != nil {
		return rec, err
	}
	defer leave()

	// The record as it stands, and nothing of it is changed besides.
	rec, err = ledger.Get[state.Record](ctx, r.desk.Base, state.Records, scope.Key(id))
	if err != nil {
		return rec, err
	}
	if rec.Span != nil {
		return rec, state.Errorf(state.Invalid, "hold record "+id, "is a summary: it is made again of what it sums up; hold what it is made of")
	}
	by.Path = ledger.HoldPath
	if err := set(&rec, by); err != nil {
		return rec, err
	}
	return rec, r.desk.Commit(ctx, []state.Effect{{Scope: scope, Record: &rec, By: &by}})
}

// holdings says who holds what an order waits for.
func (r *Room) holdings(ctx context.Context, user state.Scope, o state.Order) (out []Holding, err error) {
	for _, name := range o.Held {
		id := parseRef(name).ID
		rec, err := ledger.Get[state.Record](ctx, r.desk.Base, state.Records, user.Key(id))
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		h := Holding{Record: id, At: rec.HeldAt}
		if rec.Held != nil {
			h.By = *rec.Held
			h.By.Why = ""
		}
		out = append(out, h)
	}
	return out, nil
}

// goOnReleased goes on with a user's orders that waited for records which nobody holds any more: each such record is erased by an order of its own,
// and the one that waited is done when it waits for none. It returns the last that was gone on with.
func (r *Room) goOnReleased(ctx context.Context, user state.Scope) (last state.Order, err error) {
	docs, err := r.desk.Store.Scan(ctx, store.Query{Collection: state.Orders, Prefix: user.UserPrefix()})
	if err != nil {
		return last, err
	}
	for _, doc := range docs {
		o, err := ledger.Decode[state.Order](doc)
		if err != nil {
			return last, err
		}
		if o.Stage != "" || len(o.Held) == 0 {
			continue
		}
		held, err := r.eraseReleased(ctx, user, o)
		if err != nil {
			return last, err
		}
		if len(held) == len(o.Held) {
			continue
		}

		// The order says what it waits for still.
		o.Rev++
		if o.Held = held; len(held) == 0 {
			o.DoneAt = r.desk.Now()
		}
		by := o.By
		by.Path = forgetPath
		if err := r.desk.Commit(ctx, []state.Effect{{Scope: user, Order: &o, By: &by}}); err != nil && !errors.Is(err, state.ErrConflict) {
			return last, err
		}
		if last = o; len(held) == 0 {
			if err := r.tellDone(ctx, user, o); err != nil {
				return last, err
			}
		}
	}
	return last, nil
}

// eraseReleased erases what an order has waited for and nobody holds any more, and returns what is held still.
func (r *Room) eraseReleased(ctx context.Context, user state.Scope, o state.Order) (held []string, err error) {
	for _, name := range slices.Clone(o.Held) {
		id := parseRef(name).ID
		rec, err := ledger.Get[state.Record](ctx, r.desk.Base, state.Records, user.Key(id))
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if rec.Held != nil {
			held = append(held, name)
			continue
		}
		_, err = r.orderOne(ctx, user, "record", id, What{Record: id, Pinned: o.Pinned})
		if err != nil && !errors.Is(err, state.ErrNotFound) && !errors.Is(err, errPinned) {
			return nil, err
		}
	}
	return held, nil
}
