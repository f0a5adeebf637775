package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// adopt takes the ledger outside for the store's as it stands, and a store without one for such.
func (f *forgetCommand) adopt(ctx context.Context, con *console) error {
	return con.withStore(ctx, false, func(c config, v *keeping) error {
		return c.withErasures(ctx, v, func(r *forget.Room) error {
			before, err := r.Outside(ctx)
			if err != nil && !errors.Is(err, state.ErrConflict) {
				return err
			}
			ledger := masked(cmp.Or(c.get("erasure_ledger"), "none"))
			switch {
			case err == nil && before.Where != "" && before.Seen > 0:
				return state.Errorf(state.Conflict, "forget --adopt", "%s is this store's already, and is whole", ledger)
			case !f.Yes && f.JSON:
				return state.Errorf(state.Invalid, "forget --adopt", "with --json nobody is asked; give --yes")
			case !f.Yes && !con.agreed(bufio.NewReader(con.in), "What only the lost ledger knew comes back with old backups. The ledger from now on is: "+ledger+". Go on? [y/N] "):
				return state.Errorf(state.Denied, "forget --adopt", "nothing was changed")
			}
			n, err := r.Adopt(ctx)
			if err != nil {
				return err
			}
			after, err := r.Outside(ctx)
			if err != nil {
				return err
			}
			says := "this store has no ledger from now on"
			if after.Where != "" {
				says = fmt.Sprintf("%s is the ledger of this store: %s, %d erased again", ledger, counted(after.Orders, "order"), n)
			}
			return con.tell(f.JSON, map[string]any{"ledger": after.Where, "orders": after.Orders, "erased_again": n}, "%s", says)
		})
	})
}
