package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

type affairsCommand struct {
	List    affairsList `cmd:"" default:"withargs" help:"List affairs that are not archived (the default)."`
	Show    affairShow  `cmd:"" help:"Show one affair as its document."`
	Create  affairNew   `cmd:"" help:"Open an affair by hand; it is parked."`
	Rename  affairName  `cmd:"" help:"Give an affair another title, which then stays."`
	Edit    affairEdit  `cmd:"" help:"Change title, summary, facts, pending actions or topics."`
	Merge   affairMerge `cmd:"" help:"Make one affair of two; the first is archived."`
	Park    affairPark  `cmd:"" help:"Set an affair aside."`
	Resume  affairTake  `cmd:"" help:"Make an affair the session's active one."`
	Resolve affairDone  `cmd:"" help:"Mark an affair as settled."`
	Archive affairAway  `cmd:"" help:"Put an affair out of sight; it is kept."`
}

// Help is printed by mneme affairs --help.
func (affairsCommand) Help() string {
	return `An affair is named by its number in the list, by its id or four or more characters that only its id begins with, or by a title that
only one has; part of the title is enough. What fits several is refused with status 4. An affair is active in one session at a time: seen from
another one (--session) its status names the session that has it.

Examples:
  mneme affairs
  mneme affairs show "car part"
  mneme affairs show "car part" --all --json
  mneme affairs resolve 2 --session work
  mneme affairs park "car part" --summary "Waits for the courier."
  mneme affairs rename "car part" "Wiper for the Jeep"
  mneme affairs edit wiper --fact colour=black --drop-fact price --pending "call the shop"
  mneme affairs merge "new tiles" "roof repair"
  mneme affairs --all --json | jq .title`
}

// affairFlags is what all of them take.
type affairFlags struct {
	place
	whose
	JSON bool `name:"json" help:"As JSON, one object a line."`

	makes bool // a store, where there is none
}

// with opens the graph, does its work and closes it.
func (f affairFlags) with(ctx context.Context, con *console, do func(*opened) error) (err error) {
	open := con.openThere
	if f.makes {
		open = con.open
	}
	g, err := open(ctx, f.whose.flags(f.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g)
}

type affairsList struct {
	affairFlags
	All   bool `help:"Archived ones too."`
	Limit int  `help:"At most so many, those changed last; 0 = all." placeholder:"N"`
}

// Run prints the affairs as a table.
func (a *affairsList) Run(ctx context.Context, con *console) error {
	return a.with(ctx, con, func(g *opened) error {
		affairs, err := g.Memory().Affairs().List(ctx, g.scope, a.All)
		if err != nil {
			return err
		}

		// An empty list says whose it is and where, so that a wrong --user shows.
		empty := fmt.Sprintf("no affairs of user %s in %s", g.scope.User, g.where())
		items := pick.Affairs(affairs)
		if affairs, err = firstOnly(affairs, a.Limit); err != nil {
			return err
		}
		short, err := g.shortAffairs(ctx)
		if err != nil {
			return err
		}
		return printList(con, a.JSON, affairs, empty, []string{"NO", "STATUS", "TITLE", "MESSAGES", "UPDATED", "ID"}, func(x *state.Affair) (any, []string) {
			return x, []string{numberOf(items, x.ID), statusOf(*x), clip(x.Title, 40), fmt.Sprint(x.Messages), con.ago(x.UpdatedAt), short[x.ID]}
		})
	})
}

// statusOf is an affair's status, and the session in which it is active where that is another one.
func statusOf(a state.Affair) string {
	if a.Status == state.Parked && a.Session != "" {
		return "ACTIVE in " + a.Session
	}
	return string(a.Status)
}

// shortAffairs are short ids of the user's affairs.
func (o *opened) shortAffairs(ctx context.Context) (map[string]string, error) {
	all, err := o.Memory().Affairs().List(ctx, o.scope, true)
	return shortIDs(idsOf(all, func(x *state.Affair) string { return x.ID })...), err
}

// shortRecords are short ids of the user's records.
func (o *opened) shortRecords(ctx context.Context) (map[string]string, error) {
	all, err := o.Memory().Records(ctx, o.scope)
	return shortIDs(idsOf(all, func(r state.Record) string { return r.ID })...), err
}

// oneAffair names an affair.
type oneAffair struct {
	affairFlags
	Affair string `arg:"" name:"id" help:"The affair: its number in the list, its id or the beginning of it, its title or part of that."`
}

type affairPark struct {
	oneAffair
	Summary string `help:"What to keep of it; default: made of what was said."`
}

// Run parks the affair and says so.
func (a *affairPark) Run(ctx context.Context, con *console) error {
	return a.move(ctx, con, state.Parked, a.Summary)
}

type affairTake struct{ oneAffair }

// Run activates the affair and says so.
func (a *affairTake) Run(ctx context.Context, con *console) error {
	return a.move(ctx, con, state.Active, "")
}

type affairDone struct{ oneAffair }

// Run resolves the affair and says so.
func (a *affairDone) Run(ctx context.Context, con *console) error {
	return a.move(ctx, con, state.Resolved, "")
}

type affairAway struct{ oneAffair }

// Run archives the affair and says so.
func (a *affairAway) Run(ctx context.Context, con *console) error {
	return a.move(ctx, con, state.Archived, "")
}
