package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

type affairsCommand struct {
	List    affairsList `cmd:"" default:"withargs" help:"List affairs that are not archived (the default)."`
	Show    affairShow  `cmd:"" help:"Show one affair as its document."`
	Park    affairPark  `cmd:"" help:"Set an affair aside."`
	Resume  affairTake  `cmd:"" help:"Make an affair the session's active one."`
	Resolve affairDone  `cmd:"" help:"Mark an affair as settled."`
	Archive affairAway  `cmd:"" help:"Put an affair out of sight; it is kept."`
}

// Help is printed by mneme affairs --help.
func (affairsCommand) Help() string {
	return `An affair is named by its id, or by a title that only one has; part of the title is enough.

Examples:
  mneme affairs
  mneme affairs show "car part"
  mneme affairs resolve 0198c2f4 --session work
  mneme affairs --all --json | jq .title`
}

// affairFlags is what all of them take.
type affairFlags struct {
	place
	whose
	JSON bool `name:"json" help:"One JSON object per affair."`
}

// with opens the graph, does its work and closes it.
func (f affairFlags) with(ctx context.Context, con *console, do func(*opened) error) (err error) {
	g, err := con.open(ctx, f.whose.flags(f.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g)
}

type affairsList struct {
	affairFlags
	All bool `help:"Archived ones too."`
}

// Run prints the affairs as a table.
func (a *affairsList) Run(ctx context.Context, con *console) error {
	return a.with(ctx, con, func(g *opened) error {
		affairs, err := g.Memory().Affairs(ctx, g.scope, a.All)
		if err != nil {
			return err
		}
		rows := [][]string{{"STATUS", "TITLE", "MESSAGES", "UPDATED", "ID"}}
		for _, x := range affairs {
			if a.JSON {
				if err := encode(con.out, x); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, []string{string(x.Status), clip(x.Title, 40), fmt.Sprint(x.Messages),
				x.UpdatedAt.Format("2006-01-02 15:04"), x.ID})
		}
		switch {
		case a.JSON:
		case len(affairs) == 0:
			fmt.Fprintf(con.out, "no affairs of user %s in %s\n", g.scope.User, g.where())
		default:
			table(con.out, rows)
		}
		return nil
	})
}

// oneAffair names an affair.
type oneAffair struct {
	affairFlags
	Affair string `arg:"" name:"id" help:"Id, title or part of a title."`
}

// print shows the affair that do returns.
func (o oneAffair) print(ctx context.Context, con *console, do func(*opened) (state.Affair, error)) error {
	return o.with(ctx, con, func(g *opened) error {
		x, err := do(g)
		switch {
		case err != nil:
			return err
		case o.JSON:
			return encode(con.out, x)
		}
		con.document(x)
		return nil
	})
}

type affairShow struct{ oneAffair }

// Run prints the affair.
func (a *affairShow) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened) (state.Affair, error) { return g.Memory().Affair(ctx, g.scope, a.Affair) })
}

type affairPark struct{ oneAffair }

// Run parks the affair and prints it.
func (a *affairPark) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened) (state.Affair, error) { return g.Memory().ParkAffair(ctx, g.scope, a.Affair) })
}

type affairTake struct{ oneAffair }

// Run activates the affair and prints it.
func (a *affairTake) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened) (state.Affair, error) { return g.Memory().ResumeAffair(ctx, g.scope, a.Affair) })
}

type affairDone struct{ oneAffair }

// Run resolves the affair and prints it.
func (a *affairDone) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened) (state.Affair, error) { return g.Memory().ResolveAffair(ctx, g.scope, a.Affair) })
}

type affairAway struct{ oneAffair }

// Run archives the affair and prints it.
func (a *affairAway) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened) (state.Affair, error) { return g.Memory().ArchiveAffair(ctx, g.scope, a.Affair) })
}

// document prints an affair to be read.
func (c *console) document(a state.Affair) {
	fmt.Fprintln(c.out, c.paint(bold, a.Title))
	c.field("id", a.ID)
	c.field("status", string(a.Status))
	for _, part := range []struct{ label, text string }{
		{"session", a.Session}, {"summary", a.Summary}, {"topics", strings.Join(a.Topics, ", ")},
		{"related", strings.Join(a.Related, ", ")},
	} {
		if part.text != "" {
			c.field(part.label, part.text)
		}
	}
	for _, f := range a.KeyFacts {
		c.field("fact", f.Label+": "+f.Value)
	}
	for _, action := range a.PendingActions {
		c.field("next", action)
	}
	c.field("messages", fmt.Sprint(a.Messages))
	c.field("created", a.CreatedAt.Format("2006-01-02 15:04"))
	c.field("updated", a.UpdatedAt.Format("2006-01-02 15:04"))
}
