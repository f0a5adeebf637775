package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/state"
)

type holdCommand struct {
	place
	whose
	Record  string `arg:"" optional:"" help:"Which record: its id, as mneme audit and recall show it, or the beginning of it; none = list what is held." placeholder:"ID"`
	Release bool   `help:"End it. What was to be erased meanwhile, and waited, goes."`
	By      string `help:"Who wants it held." placeholder:"NAME"`
	Why     string `help:"The reason; it is kept with the record." placeholder:"TEXT"`
	JSON    bool   `name:"json" help:"One JSON object per record, or the receipt of what goes."`
}

// Help is printed by mneme hold --help.
func (holdCommand) Help() string {
	return `Keeps a record from being erased until it is released, as a court may want it. An erasure that meets it erases the rest, says that it waits
and for whom, and goes on when it is released. It may still be corrected and set aside; its history stays.

Examples:
  mneme hold 0198c2f4 --user anna --by olga --why "case 12/2026"
  mneme hold --user anna
  mneme hold 0198c2f4 --user anna --release`
}

// Run holds, releases or lists.
func (h *holdCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
		records, err := g.Memory().Records(ctx, g.scope)
		if err != nil {
			return err
		}
		if h.Record == "" {
			return h.list(con, g, records)
		}
		id, err := recordNamed(h.Record, records)
		if err != nil {
			return err
		}
		if h.Release {
			return h.release(ctx, con, g, id)
		}
		r, err := g.Memory().Forget().Hold(ctx, g.scope, id, h.By, h.Why)
		if err != nil {
			return err
		}
		return con.tell(h.JSON, heldLine{r, r.Held}, "record %s is held: %s", r.ID, clip(g.Memory().Mask(r.Content), mostHeld))
	})
}

// mostHeld is how many letters of a record are shown.
const mostHeld = 70

func (h *holdCommand) release(ctx context.Context, con *console, g *opened, id string) error {
	done, err := g.Memory().Forget().Release(ctx, g.scope, id)
	switch {
	case err != nil:
		return err
	case h.JSON:
		return encode(con.out, done)
	}
	con.println("record " + id + " is released")
	if done.ID != "" {
		con.println("order " + done.ID + " waited for it and goes on (mneme forget --prove " + done.ID + ")")
	}
	return nil
}

// heldLine is a record with who holds it, and why.
type heldLine struct {
	state.Record
	Held *state.By `json:"held"`
}

// list prints what is held of the user.
func (h *holdCommand) list(con *console, g *opened, records []state.Record) error {
	rows := [][]string{{"RECORD", "SINCE", "BY", "WHY", "TEXT"}}
	for _, r := range records {
		switch {
		case r.Held == nil:
		case h.JSON:
			if err := encode(con.out, heldLine{r, r.Held}); err != nil {
				return err
			}
		default:
			rows = append(rows, []string{r.ID, con.day(r.HeldAt), cmp.Or(r.Held.User, "-"), cmp.Or(r.Held.Why, "-"), clip(g.Memory().Mask(r.Content), mostHeld)})
		}
	}
	if !h.JSON {
		con.rows(fmt.Sprintf("nothing of user %s is held", g.scope.User), rows)
	}
	return nil
}
