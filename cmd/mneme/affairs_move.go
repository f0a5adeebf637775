package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

// move gives the affair another status and prints it. One that has it already is left as it is, and that is said.
func (o oneAffair) move(ctx context.Context, con *console, to state.Status, summary string) error {
	return o.with(ctx, con, func(g *opened) error {
		id, err := g.affairNamed(ctx, o.Affair)
		if err == nil && to == state.Active {
			err = g.takeSession(ctx)
		}
		if err != nil {
			return err
		}
		before, err := g.Memory().Affair(ctx, g.scope, id)
		if err != nil {
			return err
		}
		if before.Status == to && summary == "" && !o.JSON {
			con.println(fmt.Sprintf("%q is %s already; nothing was changed", before.Title, strings.ToLower(string(to))))
			return nil
		}
		after, err := g.Memory().MoveAffair(ctx, g.scope, id, to, summary)
		switch {
		case err != nil:
			return err
		case o.JSON:
			return encode(con.out, after)
		}
		con.document(after)
		return nil
	})
}

// takeSession lets what needs a session have the only one that there is, where none was named. It makes none.
func (o *opened) takeSession(ctx context.Context) error {
	if o.config.values["session"].origin != "default" {
		return nil
	}
	all, err := o.Memory().Sessions(ctx, o.scope)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return state.Errorf(state.Conflict, "session", "none was named; name one with --session, there are: %s", pick.Listed(pick.Sessions(all)))
	}
	o.scope.Session = all[0].ID
	return nil
}
