package forget

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/person"
)

// This file takes in a memory that was kept in a file, and may be from before something of it was erased.

// Bring takes in the memory of a person's file, which write writes, for a user who has none (person.Config.Around), and erases in it what this store, or the
// ledger outside, has erased of that memory under either name since. It returns how many orders those were. They are durable before write is called, so what is
// cut short brings nothing back: the next start of a process goes on.
func (r *Room) Bring(ctx context.Context, to state.Scope, file person.Report, write func(context.Context) error) (int, error) {
	to = to.Default()
	from := state.Scope{Client: file.Client, User: file.User}.Default()
	orders, err := r.erasedOf(ctx, file.Origin, to, from)
	if err != nil {
		return 0, err
	}
	if len(orders) == 0 {
		return 0, write(ctx)
	}
	user := to.Client + "/" + to.User
	for _, x := range orders {
		o := x.order(r.desk.Now())
		o.After = file.Last
		if to.UserPrefix() != from.UserPrefix() {
			o.Threads, o.Turns = nil, nil // their log is not in a file
		}
		if r.outer != nil && x.user().UserPrefix() != to.UserPrefix() {
			if err := r.tell(ctx, to, o.ID, x.asked); err != nil {
				return 0, err
			}
		}
		if err := r.planLater(ctx, to, o); err != nil {
			return 0, err
		}
	}
	if err := r.note(ctx, func(k *knows) {
		if !slices.Contains(k.Brought, user) {
			k.Brought = append(k.Brought, user)
		}
	}); err != nil {
		return 0, err
	}

	// The memory comes, with its holds, and what was erased of it goes.
	if err := write(ctx); err != nil {
		return 0, err
	}
	for _, x := range orders {
		if err := r.holdAgain(ctx, to, x.held); err != nil {
			return 0, err
		}
	}
	return len(orders), r.goOnBringing(ctx, knows{Brought: []string{user}})
}

// erasedOf returns the orders to erase something of a memory, known by when it began, that the store or the ledger outside has under either of its names.
func (r *Room) erasedOf(ctx context.Context, origin int64, to, from state.Scope) (out []outerOrder, err error) {
	if r.outer == nil {
		out, err = r.erasedHere(ctx, to, from)
	} else {
		var lines []Line
		if lines, err = r.outer.Lines(ctx); err == nil {
			err = Check(lines)
		}
		out = foldLines(lines)
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(o outerOrder) bool {
		at, id := o.user().UserPrefix(), o.asked.Order
		if at != to.UserPrefix() && at != from.UserPrefix() || o.asked.Origin != origin || o.closed == Dropped || seen[id] {
			return true
		}
		seen[id] = true
		return false
	}), nil
}

// erasedHere returns the orders of users that the store has.
func (r *Room) erasedHere(ctx context.Context, names ...state.Scope) (out []outerOrder, err error) {
	for _, user := range names {
		orders, err := r.Orders(ctx, user)
		if err != nil {
			return nil, err
		}
		for _, o := range orders {
			line, err := r.asking(ctx, user, o)
			if err != nil {
				return nil, err
			}
			line.Client, line.User, line.Order = user.Client, user.User, o.ID
			out = append(out, outerOrder{asked: line, held: line.Held})
		}
	}
	return out, nil
}

// arrived returns those of a user's orders that wait to be planned whose memory is there: all of it, or what he went on with where it never came.
func (r *Room) arrived(ctx context.Context, user state.Scope, orders []state.Order) ([]state.Order, error) {
	if len(orders) == 0 {
		return nil, nil
	}
	head, err := ledger.Head(ctx, r.desk.Base, user)
	if err != nil {
		return nil, err
	}
	origin, err := r.origin(ctx, user)
	return slices.DeleteFunc(orders, func(o state.Order) bool {
		return head.Seq == 0 || origin == o.Origin && head.Seq < o.After
	}), err
}

// goOnBringing carries out the orders of memories that were brought, and forgets those of which none is left.
func (r *Room) goOnBringing(ctx context.Context, k knows) error {
	for _, name := range k.Brought {
		client, id, _ := strings.Cut(name, "/")
		user := state.Scope{Client: client, User: id}.Default()
		if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
			return err
		}
		orders, err := r.Orders(ctx, user)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(orders, func(o state.Order) bool { return o.Stage == ledger.StagePlan }) {
			continue // the rest of it has not come
		}
		err = r.note(ctx, func(k *knows) {
			k.Brought = slices.DeleteFunc(k.Brought, func(b string) bool { return b == name })
		})
		if err != nil {
			return err
		}
	}
	return nil
}
