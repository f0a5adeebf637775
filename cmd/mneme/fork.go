package main

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/state"
)

type forkCommand struct {
	sessionFlags
	To   string `required:"" help:"The new session. It must not exist." placeholder:"ID"`
	Turn string `help:"The last turn that is kept, by its id or what that begins with; without it all are." placeholder:"ID"`
}

// Help is printed by mneme fork --help.
func (forkCommand) Help() string {
	return `Makes a new session that begins with the turns of another, and goes its own way from there. The other stays as
it is. A session that exists already is status 4.

Examples:
  mneme fork --session work --to work-2
  mneme fork --session work --turn 0b9c2f41 --to what-if`
}

// forked is the report of a fork. Turn is the last one kept, "" = all were.
type forked struct {
	Session string `json:"session"`
	To      string `json:"to"`
	Turn    string `json:"turn"`
}

// Run forks the session.
func (f *forkCommand) Run(ctx context.Context, con *console) error {
	if err := state.ValidateID("session", f.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return with(ctx, con.openLog, func(o *opened) (err error) {
		done := forked{Session: o.scope.Session, To: f.To}
		if f.Turn != "" {
			if done.Turn, err = o.turnNamed(ctx, f.Turn); err != nil {
				return err
			}
		}

		if err := o.Fork(ctx, o.scope, done.Turn, f.To); err != nil {
			return err
		}

		return con.tell(f.JSON, done, "forked session %s to %s", done.Session, done.To)
	})
}
