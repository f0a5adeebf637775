package main

import (
	"context"
	"strconv"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

type explainCommand struct {
	sessionFlags
	Turn string `arg:"" optional:"" help:"The turn: its id or what that begins with, or the number of a message of it (default: the last)."`
	Full bool   `help:"Each line of each prompt, each hit with its figures, and where they are from."`
}

// Help is printed by mneme explain --help.
func (explainCommand) Help() string {
	return `Explains a turn, however long ago it ran and in whatever process, in eight lines: what was decided and why, what the model was shown,
what was found and written, and what it cost. With --full each prompt by sections with the lines that were in (+), those that were not (-) and why,
and where each is from; what was done in a lesser way than hoped, and the bill. Texts are those of today: what was forgotten or taken back since is
gone here too.

Examples:
  mneme explain --session work
  mneme explain --session work --full
  mneme explain --session work 17
  mneme explain --session work 0b9c2f41 --json`
}

// Run prints the account.
func (e *explainCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openLog, func(o *opened) error {
		a, err := o.explain(ctx, e.Turn)
		if err != nil {
			return err
		}
		if e.Full && !e.JSON {
			return a.Explain(con.out)
		}
		return con.tell(e.JSON, a, "%s", scenario.Brief(a, con.zone()))
	})
}

// explain returns the account of a turn that is named by its id, by what that begins with, or by the number of a message. A few digits are a number.
func (o *opened) explain(ctx context.Context, turn string) (graph.Account, error) {
	a, err := o.Explain(ctx, o.scope, turn)
	_, word := strconv.Atoi(turn)
	if number := word == nil && len(turn) < shortTurn; turn == "" || number || state.CodeOf(err) != state.NotFound {
		return a, err
	}
	whole, short := o.turnNamed(ctx, turn)
	switch state.CodeOf(short) {
	case "":
		return o.Explain(ctx, o.scope, whole)
	case state.NotFound: // what Explain says names what there is
		return a, err
	}
	return a, short
}
