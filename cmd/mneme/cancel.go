package main

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/state"
)

type cancelCommand struct{ sessionFlags }

// Help is printed by mneme cancel --help.
func (cancelCommand) Help() string {
	return `Ends the session's unfinished turn, one that a crash left or that waits for an answer: no model and no tool is
asked again, what was said so far stays, and the next message is answered at once. Where none is unfinished it says so. One
that runs in another process is status 4.

Examples:
  mneme cancel --session work
  mneme cancel --session work --json`
}

// Run ends the turn.
func (c *cancelCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openLog, func(o *opened) error {
		reply, err := o.Cancel(ctx, o.scope)
		switch {
		case errors.Is(err, state.ErrNotFound):
			return con.noTurn(o, c.JSON)
		case err != nil:
			return err
		}
		return con.tell(c.JSON, lineOfReply(o, reply), "ended the turn of session %s; what was said and what was learnt stays", o.scope.Session)
	})
}
