package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
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
only one has; part of the title is enough. What fits several is refused with status 4.

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
		affairs, err := g.Memory().Affairs(ctx, g.scope, a.All)
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
			return x, []string{numberOf(items, x.ID), string(x.Status), clip(x.Title, 40), fmt.Sprint(x.Messages), con.ago(x.UpdatedAt), short[x.ID]}
		})
	})
}

// shortAffairs are short ids of the user's affairs.
func (o *opened) shortAffairs(ctx context.Context) (map[string]string, error) {
	all, err := o.Memory().Affairs(ctx, o.scope, true)
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

type affairShow struct {
	oneAffair
	All   bool `help:"Everything of it: messages and records too, in the language of the session."`
	Limit int  `default:"50" help:"Messages and records at most, the latest ones." placeholder:"N"`
	Skip  int  `help:"How many of the latest to pass over." placeholder:"N"`
}

// shown is an affair and what it is linked to.
type shown struct {
	affair state.Affair
	linked []memory.Related
}

// MarshalJSON writes the affair with one more key, linked.
func (s shown) MarshalJSON() ([]byte, error) {
	affair, err := json.Marshal(s.affair)
	if err != nil {
		return nil, err
	}
	linked, err := json.Marshal(append([]memory.Related{}, s.linked...))
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimSuffix(affair, []byte("}")), []byte(`,"linked":`), linked, []byte("}")), nil
}

// Run prints the affair, and the records and affairs that share something with it.
func (a *affairShow) Run(ctx context.Context, con *console) error {
	const steps, most = 2, 10
	return a.with(ctx, con, func(g *opened) error {
		id, err := g.affairNamed(ctx, a.Affair)
		switch {
		case err != nil:
			return err
		case a.All:
			return a.whole(ctx, con, g, id)
		}

		// JSON is the affair together with what shares something with it.
		x, err := g.Memory().Affair(ctx, g.scope, id)
		if err != nil {
			return err
		}
		linked, err := g.Memory().Related(ctx, g.scope, x.ID, steps, most)
		switch {
		case err != nil:
			return err
		case a.JSON:
			return encode(con.out, shown{x, linked})
		}

		// People read the affair, then the first of its links and the last of its changes.
		con.document(x)
		for _, l := range linked[:min(mostShown, len(linked))] {
			con.field("linked", linkLine(l))
		}
		changes, err := g.Memory().Audit(ctx, g.scope, memory.AuditQuery{ID: x.ID, Limit: mostShown + 1})
		if err != nil {
			return err
		}
		tell, err := g.teller(ctx, con, false)
		for _, c := range changes[:min(mostShown, len(changes))] {
			con.field("changed", tell.line(c))
		}
		if len(changes) > mostShown {
			con.field("", "mneme audit "+shortIDs(x.ID)[x.ID]+" lists all changes, --all shows topics, messages and records")
		}
		return err
	})
}

// whole prints everything of the affair.
func (a *affairShow) whole(ctx context.Context, con *console, g *opened, id string) error {
	d, err := g.Memory().Dossier(ctx, g.scope, id, memory.Page{Limit: a.Limit, Skip: a.Skip})
	switch {
	case err != nil:
		return err
	case a.JSON:
		return encode(con.out, d)
	}
	fmt.Fprint(con.out, d.Markdown(0, g.Memory().Tokens))
	if topics := d.Affair.Topics; len(topics) > 0 {
		fmt.Fprintf(con.out, "\n## Topics\n%s\n", quote.Line(strings.Join(topics, ", ")))
	}
	return nil
}

// linkLine is a linked record or affair in a line, and by what it is linked.
func linkLine(l memory.Related) string {
	var what string
	if l.Affair != nil {
		what = fmt.Sprintf("affair %q, %s", l.Affair.Title, l.Affair.Status)
	} else {
		what = fmt.Sprintf("%s: %s", l.Record.Kind, clip(l.Record.Content, 80))
	}
	by := slices.Clone(l.Via)
	if len(by) == 3 && (strings.HasPrefix(by[1], "records/") || strings.HasPrefix(by[1], "affairs/")) { // in two steps, by way of another
		by = []string{by[0] + ", then " + by[2]}
	}
	for i := range by {
		by[i] = strings.TrimSuffix(by[i], affairID(by[i]))
	}
	return what + " (" + strings.Join(by, ", ") + ")"
}

// affairID is the id at the end of a link by affair, which says nothing to a reader.
func affairID(via string) string {
	if at := strings.LastIndex(via, "affair:"); at >= 0 {
		return via[at+len("affair"):]
	}
	return ""
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

// document prints an affair to be read.
func (c *console) document(a state.Affair) {
	fmt.Fprintln(c.out, c.paint(bold, a.Title))
	c.field("id", a.ID)
	c.field("status", string(a.Status))
	for _, part := range []struct{ label, text string }{
		{"session", a.Session}, {"summary", a.Summary},
		{"related", strings.Join(a.Related, ", ")}, {"merged into", a.MergedInto}, {"absorbed", strings.Join(a.Absorbed, ", ")},
	} {
		if part.text != "" {
			c.field(part.label, part.text)
		}
	}

	// Key facts come first, then those that held before, then what is to be done.
	for _, f := range a.KeyFacts {
		c.field("fact", f.Label+": "+f.Value)
	}
	for _, p := range a.PastFacts {
		c.field("was", fmt.Sprintf("%s: %s (until %s)", p.Label, p.Value, c.at(p.Until)))
	}
	for _, action := range a.PendingActions {
		c.field("next", action)
	}

	// The end says how much was said of it, and when.
	c.field("messages", fmt.Sprint(a.Messages))
	c.field("created", c.at(a.CreatedAt))
	c.field("updated", c.at(a.UpdatedAt)+", "+c.ago(a.UpdatedAt))
}
