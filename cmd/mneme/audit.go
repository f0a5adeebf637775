package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

type auditCommand struct {
	List auditList `cmd:"" default:"withargs" help:"List changes, newest first (the default)."`
	Show auditShow `cmd:"" help:"Show what one change did: before, after, and the words it comes from."`
	Undo auditUndo `cmd:"" help:"Take one change back, or a whole turn."`
}

// Help is printed by mneme audit --help.
func (auditCommand) Help() string {
	return `Every change of a record, an affair or a suggestion: who made it, by which way, in which turn. WHO is you (the user; his name where several
share a memory), agent NAME (a model that called a tool) or pipeline (detection, extraction and the like); --who takes user, agent or pipeline.

A change is undone by its number. Lines with one number are one change of several things: they are undone together, and undo lists them. What came
after it in other places stays; where it was changed again nothing is undone, and the later change is named.

Examples:
  mneme audit --user anna --limit 20
  mneme audit --who agent --path memory_update --since 24h
  mneme audit 0198c2f4 --json
  mneme audit show 42
  mneme audit undo 42
  mneme audit undo --turn 0b9c2f41 --session work`
}

// auditFlags is what all of them take.
type auditFlags struct {
	place
	whose
	JSON bool `name:"json" help:"One JSON object a change."`
}

type auditList struct {
	auditFlags
	ID    string        `arg:"" optional:"" help:"Only changes of this record or affair: its id or the beginning of it."`
	Turn  string        `help:"Only those of this turn: its id or the beginning of it." placeholder:"ID"`
	Agent string        `help:"Only those of this agent." placeholder:"NAME"`
	Of    string        `help:"Only those of this agent's memory, whoever made them." placeholder:"NAME"`
	Who   string        `help:"Only those by the user, an agent or the pipeline." enum:",user,agent,pipeline" default:"" placeholder:"WHO"`
	Path  string        `help:"Only those by this way: a tool, a node, session_end, api, undo." placeholder:"WAY"`
	Since time.Duration `help:"Only those of the last so much time, such as 24h." placeholder:"TIME"`
	Limit int           `help:"At most so many, the newest; 0 = all." placeholder:"N" default:"50"`

	Shared bool `help:"Of what all users of the client know."`
}

// Run prints the changes as a table.
func (a *auditList) Run(ctx context.Context, con *console) error {
	if a.Limit < 0 {
		return state.Errorf(state.Invalid, "--limit", "is %d; give 0 for all, or how many", a.Limit)
	}
	return with(ctx, con.openNamed, func(g *opened) error {
		// The flags become a query; --since counts back from now.
		q := history.Query{ID: a.ID, Turn: a.Turn, Agent: a.Agent, Who: state.Who(a.Who), Path: a.Path, Limit: a.Limit, Target: a.Of, Shared: a.Shared}
		if a.Session != "" {
			q.Session = g.scope.Session
		}
		if a.Since > 0 {
			q.Since = time.Now().Add(-a.Since)
		}
		q, err := g.changesNamed(ctx, q)
		if err != nil {
			return err
		}
		changes, err := g.Memory().History().Audit(ctx, g.scope, q)
		if err != nil {
			return err
		}

		tell, err := g.teller(ctx, con, a.Shared)
		if err != nil {
			return err
		}

		// An empty list says of which user and store.
		empty := fmt.Sprintf("no such change of user %s in %s", g.scope.User, g.where())
		return printList(con, a.JSON, changes, empty, []string{"CHANGE", con.timeHead(), "WHO", "WHAT"}, func(c history.Change) (any, []string) {
			return lineOfChange(c), []string{fmt.Sprint(c.Seq), con.column(c.At), tell.who(c), clip(tell.did(c), 100)}
		})
	})
}

// whatOf says what a change did.
func whatOf(c history.Change) string { return strings.TrimSuffix(string(c.Kind), "s") + " " + c.What }

// auditedLine is a change as JSON, its values as extended JSON.
type auditedLine struct {
	history.Change
	Fields []changeLine `json:"fields"`
}

// lineOfChange describes a change.
func lineOfChange(c history.Change) auditedLine {
	line := auditedLine{c, []changeLine{}}
	for _, f := range c.Fields {
		line.Fields = append(line.Fields, changeLine{f.Name, extended{f.Before}, extended{f.After}})
	}
	return line
}

type auditShow struct {
	auditFlags
	Change int64 `arg:"" help:"Its number."`
}

// Run prints the change.
func (a *auditShow) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openNamed, func(g *opened) error {
		changes, err := g.Memory().History().Audit(ctx, g.scope, history.Query{Seq: a.Change})
		switch {
		case err != nil:
			return err
		case len(changes) == 0:
			return state.Errorf(state.NotFound, fmt.Sprintf("change %d", a.Change), "no change of a record or an affair has that number; mneme audit lists them")
		}

		// One commit may hold several changes; the oldest is printed first.
		for _, c := range slices.Backward(changes) {
			if !a.JSON {
				con.change(c)
			} else if err := encode(con.out, lineOfChange(c)); err != nil {
				return err
			}
		}
		return nil
	})
}

// change prints a change to be read.
func (c *console) change(x history.Change) {
	c.println(c.paint(bold, fmt.Sprintf("change %d: %s %s", x.Seq, whatOf(x), x.ID)))
	c.fields(
		"time", c.at(x.At), "by", string(x.By.Who)+" ("+cmp.Or(x.By.Path, "-")+")", "agent", x.Agent, "of agent", x.Target, "user", x.By.User,
		"session", x.Session, "turn", x.By.Turn, "message", x.By.Message, "words", x.Words, "why", x.By.Why,
	)

	for _, f := range x.Fields {
		fmt.Fprintf(c.out, "  %s\n", f.Name)
		if f.Before.Type != 0 {
			fmt.Fprintf(c.out, "    %s %s\n", c.paint(red, "-"), c.plain(f.Before))
		}
		if f.After.Type != 0 {
			fmt.Fprintf(c.out, "    %s %s\n", c.paint(green, "+"), c.plain(f.After))
		}
	}
}

type auditUndo struct {
	auditFlags
	Change int64  `arg:"" optional:"" help:"Its number." xor:"what"`
	Turn   string `help:"A whole turn instead: its messages and all that it changed." placeholder:"ID" xor:"what"`
}

// Run takes the change back, or the turn.
func (a *auditUndo) Run(ctx context.Context, con *console) error {
	if a.Change == 0 && a.Turn == "" {
		return state.Errorf(state.Invalid, "audit undo", "give the number of a change, as mneme audit lists them, or --turn")
	}
	return with(ctx, con.openNamed, func(g *opened) error {
		before, err := g.newestChange(ctx, "")
		if err != nil {
			return err
		}

		// A whole turn, whose messages go too, or a change.
		what := fmt.Sprintf("change %d is undone", a.Change)
		if a.Turn != "" {
			turn, err := g.turnNamed(ctx, a.Turn)
			if err == nil {
				err = g.Memory().History().UndoTurn(ctx, g.scope, turn)
			}
			if err != nil || a.JSON { // it is no single change that could be printed
				return err
			}
			what = "turn " + turn + " is undone, its messages are out of sight"
		} else if err := g.Memory().History().UndoChange(ctx, g.scope, a.Change); err != nil {
			return err
		}
		return a.undone(ctx, con, g, what, before.Seq)
	})
}

// undone prints what an undo has done: it is a change itself, the newest one of the way "undo", behind the one that was the newest before.
func (a *auditUndo) undone(ctx context.Context, con *console, g *opened, what string, before int64) error {
	made, err := g.Memory().History().Audit(ctx, g.scope, history.Query{Path: "undo"})
	if err != nil {
		return err
	}
	if a.JSON {
		if len(made) == 0 {
			return nil
		}
		return encode(con.out, lineOfChange(made[0]))
	}
	made = slices.DeleteFunc(made, func(c history.Change) bool { return c.Seq <= before })
	if len(made) == 0 {
		con.println(what)
		return nil
	}

	// One line for each affair and record.
	con.println(fmt.Sprintf("%s; that is change %d, which can be undone too:", what, made[0].Seq))
	tell, err := g.teller(ctx, con, false)
	for _, c := range made {
		con.println("  " + clip(tell.did(c), 100))
	}
	return err
}
