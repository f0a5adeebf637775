package forget

import (
	"context"
	"errors"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Finish goes on with orders to erase that were cut short, and with keys to destroy, of the users of a client or, with "", of all, and lets sessions go that nobody
// has used for as long as the setting keep says. It is for the start of a process.
func (r *Room) Finish(ctx context.Context, client string) error {
	err := r.each(ctx, state.Orders, client, func(doc store.Doc) error {
		o, err := ledger.Decode[state.Order](doc)
		if err != nil || o.Stage == "" && len(o.Held) == 0 {
			return err
		}
		part := strings.Split(doc.ID, "/")
		_, err = r.forgetOne(ctx, state.Scope{Client: part[0], User: part[1]}.Default(), "", "", What{})
		return err
	})
	_, destroying := r.destroyKeys(ctx, client)
	return errors.Join(err, destroying, r.expire(ctx, client))
}

// each calls do with the documents of a collection, of the users of a client or, with "", of all. An error keeps it from none of the others.
func (r *Room) each(ctx context.Context, c state.Collection, client string, do func(store.Doc) error) error {
	q := store.Query{Collection: c, Limit: desk.Page}
	if client != "" {
		q.Prefix = client + "/"
	}
	var errs []error
	for docs, err := range store.Pages(ctx, r.desk.Store.Scan, q) {
		errs = append(errs, err)
		for _, doc := range docs {
			errs = append(errs, do(doc))
		}
	}
	return errors.Join(errs...)
}

// Owed goes on with what keeps everybody out of a user's memory, a bounded part of it.
func (r *Room) Owed(ctx context.Context, scope state.Scope) error {
	_, err := r.carryOutOrders(ctx, scope, turnBudget, nil)
	return err
}

// Budgets of a pass, in commits.
const (
	turnBudget = 24
	noBudget   = -1
)

// carryOutOrders carries out the user's orders that are not yet, and returns the last of them. Within a budget it does what keeps others
// out, and tells state.ErrUnavailable if that was not all. The plan is that of one of the orders, which is read anew if there is none.
func (r *Room) carryOutOrders(ctx context.Context, scope state.Scope, budget int, plan *erasure) (last state.Order, err error) {
	docs, err := r.desk.Store.Scan(ctx, store.Query{Collection: state.Orders, Prefix: scope.UserPrefix()})
	if err != nil {
		return last, err
	}

	// Those that are still to be planned come last: a new order needs the ones before it to be carried out.
	var owed, later []state.Order
	for _, doc := range docs {
		o, err := ledger.Decode[state.Order](doc)
		if err != nil {
			return last, err
		}
		switch o.Stage {
		case "":
		case ledger.StagePlan:
			later = append(later, o)
		default:
			owed = append(owed, o)
		}
	}
	if later, err = r.arrived(ctx, scope, later); err != nil {
		return last, err
	}
	for _, o := range append(owed, later...) {
		p := &erasing{m: r, scope: scope, order: o}
		if plan != nil && plan.order == o.ID {
			p.plan = plan
		}
		err = p.run(ctx, budget)
		if last = p.order; err != nil {
			return last, err
		}
	}
	return last, nil
}
