package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/history"
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
}

type affairsList struct {
	affairFlags
	All   bool `help:"Archived ones too."`
	Limit int  `help:"At most so many, those changed last; 0 = all." placeholder:"N"`
}

// Run prints the affairs as a table.
func (a *affairsList) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
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

// statusOf returns an affair's status, and the session in which it is active where that is another one.
func statusOf(a state.Affair) string {
	if a.Status == state.Parked && a.Session != "" {
		return "ACTIVE in " + a.Session
	}
	return string(a.Status)
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

// move gives the affair another status. One that has it already is left as it is, and that is said.
func (o oneAffair) move(ctx context.Context, con *console, to state.Status, summary string) error {
	return o.change(ctx, con, con.openThere, func(g *opened, before state.Affair) (state.Affair, string, error) {
		status := strings.ToLower(string(to))
		if to == state.Active { // in the session it is active, seen from others it is parked
			err := g.takeSession(ctx)
			if err == nil {
				before, err = g.Memory().Affairs().Get(ctx, g.scope, before.ID)
			}
			if err != nil {
				return before, "", err
			}
			status += " in session " + g.scope.Session
		}
		if before.Status == to && summary == "" && !o.JSON {
			return before, fmt.Sprintf("“%s” is %s already", before.Title, status), nil
		}
		after, err := g.Memory().Affairs().Move(ctx, g.scope, before.ID, to, summary)
		return after, fmt.Sprintf("“%s” is %s", before.Title, status), err
	})
}

// change has the affair that is named changed, and says in a line what do says of it and how that is taken back. With JSON it prints the affair.
func (o oneAffair) change(ctx context.Context, con *console, open func(context.Context) (*opened, error), do func(g *opened, before state.Affair) (after state.Affair, says string, err error)) error {
	return with(ctx, open, func(g *opened) error {
		id, err := g.affairNamed(ctx, o.Affair)
		if err != nil {
			return err
		}
		var before state.Affair
		if id != "" {
			if before, err = g.Memory().Affairs().Get(ctx, g.scope, id); err != nil {
				return err
			}
		}
		newest, err := g.newestChange(ctx, "")
		if err != nil {
			return err
		}

		after, says, err := do(g, before)
		switch {
		case err != nil:
			return err
		case o.JSON:
			return encode(con.out, after)
		}
		made, err := g.newestChange(ctx, after.ID)
		switch {
		case err != nil:
			return err
		case made.Seq <= newest.Seq:
			says = cmp.Or(says, fmt.Sprintf("“%s” is so already", before.Title))
			con.println(says + "; nothing was changed")
			return nil
		case says == "": // the change says it best
			tell, err := g.teller(ctx, con, false)
			if err != nil {
				return err
			}
			says = clip(tell.did(made), 100)
		}
		con.println(strings.TrimSuffix(says, ".") + ". Undo: mneme audit undo " + fmt.Sprint(made.Seq) + g.sameFlags())
		return nil
	})
}

// newestChange returns the last change of an affair, or of anything with ""; a zero value = there is none.
func (o *opened) newestChange(ctx context.Context, id string) (history.Change, error) {
	changes, err := o.Memory().History().Audit(ctx, o.scope, history.Query{ID: id, Limit: 1})
	if err != nil || len(changes) == 0 {
		return history.Change{}, err
	}
	return changes[0], nil
}

// sameFlags returns the flags by which another command finds the same memory.
func (o *opened) sameFlags() string {
	out := ""
	for _, name := range []string{"dir", "client", "user"} {
		if v := o.config.values[name]; v.origin == "flag" {
			out += " --" + name + " " + v.text
		}
	}
	return out
}

// takeSession lets what needs a session have the default one or else the only one that there is, where none was named. It makes none.
func (o *opened) takeSession(ctx context.Context) error {
	if o.config.values["session"].origin != "default" {
		return nil
	}
	all, err := o.Memory().Sessions().List(ctx, o.scope)
	if err != nil || slices.ContainsFunc(all, func(s state.Session) bool { return s.ID == o.scope.Session }) { // the default one, as everywhere
		return err
	}
	if len(all) != 1 {
		return state.Errorf(state.Conflict, "session", "none was named; name one with --session, there are: %s", pick.Listed(pick.Sessions(all)))
	}
	o.scope.Session = all[0].ID
	return nil
}
