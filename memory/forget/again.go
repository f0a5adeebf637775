package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file carries out again, in a store from before an erasure, what the ledger outside names.

// Restored carries out again what the ledger outside names and the store does not know, since it is older: a backup that was put back. It returns
// how many orders that were, and goes on with a Bring that was cut short. Cut short it is gone on with by the next call. A ledger that is damaged, cut,
// another store's or not named although the store was used with one is state.ErrConflict, and nothing is erased. It is for the start of a process,
// before anybody reads; graph.New calls it.
func (r *Room) Restored(ctx context.Context) (n int, err error) {
	k, _, err := r.readKnows(ctx)
	if err == nil {
		err = r.goOnBringing(ctx, k)
	}
	switch {
	case err != nil:
		return 0, err
	case r.outer == nil && k.Last > 0:
		return 0, errUnnamed("erasure ledger")
	case r.outer == nil:
		return 0, nil
	}
	lines, err := r.outer.Lines(ctx)
	if err == nil {
		err = r.fits(lines, k)
	}
	if err != nil {
		return 0, err
	}

	// What the store does not know, and what it knows and is not at its end.
	all := foldLines(lines)
	late := slices.DeleteFunc(slices.Clone(all), func(o outerOrder) bool { return o.last <= k.Through })
	unknown, err := r.unknown(ctx, late)
	if err != nil {
		return 0, err
	}
	for _, o := range unknown {
		if err := r.again(ctx, o); err != nil {
			return n, fmt.Errorf("order %s of the erasure ledger: %w", o.asked.Order, err)
		}
		n++
	}
	if !k.Told {
		if err := r.tellOlder(ctx, all); err != nil {
			return n, err
		}
	}
	var last Line
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	return n, r.note(ctx, func(k *knows) {
		k.Told, k.Through = true, max(k.Through, last.Seq)
		if last.Seq > k.Last {
			k.Last, k.Sum = last.Seq, last.Sum
		}
	})
}

// Adopt takes the ledger outside as it stands for the store's: a new one where the old one is lost, or one that was put back from a copy. It writes into it what the
// store has erased and it does not say, and is Restored besides. Without a ledger the store has none from here on.
func (r *Room) Adopt(ctx context.Context) (n int, err error) {
	if r.outer != nil {
		lines, err := r.outer.Lines(ctx)
		if err == nil {
			err = r.fits(lines, knows{})
		}
		if err != nil {
			return 0, err
		}
	}
	if err := r.note(ctx, func(k *knows) { *k = knows{Brought: k.Brought} }); err != nil {
		return 0, err
	}
	return r.Restored(ctx)
}

// unknown returns the orders that the store does not know. It goes on with those that it knows and that are not at their end. An order of a
// user whose memory began at another moment here is refused: the ledger is another store's.
func (r *Room) unknown(ctx context.Context, orders []outerOrder) (out []outerOrder, err error) {
	for _, x := range orders {
		user := x.user()
		o, there, err := r.known(ctx, user, x.asked.Order)
		switch {
		case err != nil:
			return nil, err
		case !there && x.closed == Dropped:
		case !there:
			origin, err := r.origin(ctx, user)
			if err != nil {
				return nil, err
			}
			if origin != 0 && origin != x.asked.Origin {
				return nil, state.Errorf(state.Conflict, "erasure ledger "+r.outer.Where(),
					"names an order of user %s of client %s (line %d), and the memory of that user began at another time in this store: the ledger is of another store; name the right one (erasure_ledger), or a new one for this store",
					user.User, user.Client, x.asked.Seq)
			}
			out = append(out, x)
		case o.Stage != "":
			if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
				return nil, err
			}
		case x.closed == "" || x.closed == Waits && len(o.Held) == 0:
			if err := r.tellDone(ctx, user, o); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// again carries an order out in a store that does not know it. It is planned from what the ledger names and is there, as a new one is.
func (r *Room) again(ctx context.Context, x outerOrder) error {
	user := x.user()
	if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
		return err
	}
	head, err := r.settled(ctx, user)
	if err != nil {
		return err
	}
	o := x.order(r.desk.Now())
	if head.Seq == 0 {
		return r.nothingThere(ctx, user, o)
	}
	if err := r.holdAgain(ctx, user, x.held); err != nil {
		return err
	}
	if err := r.planLater(ctx, user, o); err != nil {
		return err
	}
	_, err = r.carryOutOrders(ctx, user, noBudget, nil)
	return err
}

// planLater keeps an order that is planned when it is carried out. One that is there already, and is done, begins anew.
func (r *Room) planLater(ctx context.Context, user state.Scope, o state.Order) error {
	doc, err := r.desk.Store.Get(ctx, state.Orders, user.Key(o.ID))
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return err
	}
	o.Rev, o.Stage = 0, ledger.StagePlan
	_, err = r.keepOrder(ctx, user, o, doc.Rev)
	return err
}

// nothingThere notes an order of a user who has said nothing yet in this store. He gets no feed by it: when his memory began tells one store from
// another.
func (r *Room) nothingThere(ctx context.Context, user state.Scope, o state.Order) error {
	if o.Whole {
		if _, err := r.desk.Documents.Erase(ctx, user); err != nil {
			return err
		}
	}
	o.Rev, o.Held, o.DoneAt = 1, nil, r.desk.Now()
	kept, err := r.keepOrder(ctx, user, o, 0)
	if err != nil || !kept {
		return err
	}
	return r.tellDone(ctx, user, o)
}

// keepOrder writes an order without an entry of the feed, in the place of what stands at a revision. It reports whether it did; else another process was first.
func (r *Room) keepOrder(ctx context.Context, user state.Scope, o state.Order, rev int64) (bool, error) {
	body, err := bson.Marshal(o)
	if err != nil {
		return false, state.Errorf(state.Internal, "order "+o.ID, "cannot be stored: %w", err)
	}
	err = r.desk.Store.Write(ctx, store.Doc{Collection: state.Orders, ID: user.Key(o.ID), Rev: rev, Body: body})
	if errors.Is(err, state.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// holdAgain has records held that an order of the ledger waits for: the store may be from before that too.
func (r *Room) holdAgain(ctx context.Context, user state.Scope, held []Holding) error {
	for _, h := range held {
		rec, err := ledger.Get[state.Record](ctx, r.desk.Base, state.Records, user.Key(h.Record))
		switch {
		case errors.Is(err, state.ErrNotFound) || err == nil && rec.Held != nil:
			continue
		case err != nil:
			return err
		}
		by := h.By
		by.Path = ledger.HoldPath
		rec.Held, rec.HeldAt = &by, h.At
		if err := r.desk.Commit(ctx, []state.Effect{{Scope: user, Record: &rec, By: &by}}); err != nil {
			return err
		}
	}
	return nil
}
