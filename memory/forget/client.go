package forget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// forgetClient erases the memory of all users of a client, one after the other, and last what they share. The receipt adds theirs up. Cut
// short, whose turn had begun is gone on with as ever, and the same call goes on with the rest.
func (r *Room) forgetClient(ctx context.Context, scope state.Scope, what What) (state.Order, error) {
	all := state.Order{What: "client", Name: scope.Client, Pinned: what.Pinned, At: r.desk.Now(), By: desk.MadeBy(ctx)}
	owners, err := desk.Owners(ctx, r.desk.Store)
	if err != nil {
		return all, err
	}
	set, err := desk.OwnersIn(ctx, r.desk.Store, state.Overrides)
	if err != nil {
		return all, err
	}
	for _, owner := range set { // something is set for them, and they have said nothing yet
		if !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	owners = slices.DeleteFunc(owners, func(o index.Owner) bool { return o.Client != scope.Client })
	slices.SortStableFunc(owners, func(a, b index.Owner) int { return shared(a) - shared(b) })
	if keyed, encrypted := r.desk.Store.(store.ClientKeyed); encrypted && !what.Try {
		if err := keyed.ChangeKey(ctx, scope.Client); err != nil {
			return all, err
		}
	}
	for _, owner := range owners {
		user := scope
		user.User = owner.User
		one, err := r.forgetOne(ctx, user, "user", owner.User, What{User: true, Pinned: what.Pinned, Try: what.Try})
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return all, fmt.Errorf("forget client %s: user %s: %w", scope.Client, owner.User, err)
		}
		all.ID = cmp.Or(all.ID, one.ID)
		all.Take(one)
	}
	if !what.Try {
		n, err := r.destroyKeys(ctx, scope.Client)
		if err != nil {
			return all, err
		}
		if n > 0 {
			all.Count("client key", n)
		}
	}
	if len(all.Held) == 0 {
		all.DoneAt = r.desk.Now()
	}
	if all.ID == "" {
		return all, state.Errorf(state.NotFound, "forget client "+scope.Client, "nothing of it is remembered")
	}
	return all, nil
}

// destroyKeys destroys what keys a client had before; "" = all clients.
func (r *Room) destroyKeys(ctx context.Context, client string) (int, error) {
	if keyed, encrypted := r.desk.Store.(store.ClientKeyed); encrypted {
		return keyed.DestroyKeys(ctx, client)
	}
	return 0, nil
}

// shared returns 1 of what all users of a client share, which goes last.
func shared(o index.Owner) int {
	if o.User == state.ClientUser {
		return 1
	}
	return 0
}
