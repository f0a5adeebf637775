package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

type brainCommand struct {
	place
	whose
	Archive bool `help:"What found no room, too."`
	Limit   int  `help:"At most so many rows of each part, the most important; 0 = all." placeholder:"N"`
	JSON    bool `name:"json" help:"One JSON object: the records of each part."`
}

// Help is printed by mneme brain --help.
func (brainCommand) Help() string {
	return `Shows what is known of the user for good: at most brain_max_tokens, the most important first. A prompt has of it who he is, what is pinned and what has to do with the message. SAID is how
many turns said it, and SINCE and LAST are when it was said first and last.

Examples:
  mneme brain --user anna
  mneme brain --user anna --archive --json`
}

// Run prints the brain.
func (b *brainCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error { return b.brain(ctx, con, g) })
}

func (b *brainCommand) brain(ctx context.Context, con *console, g *opened) error {
	// JSON is the brain as it is; it has the archive only when that is asked for.
	brain, err := g.Memory().Brain(ctx, g.scope)
	if err != nil {
		return err
	}
	archived := len(brain.Archive)
	if !b.Archive {
		brain.Archive = nil
	}
	for _, part := range []*[]state.Record{&brain.User, &brain.Preferences, &brain.Decisions, &brain.Current, &brain.Archive} {
		if *part, err = firstOnly(*part, b.Limit); err != nil {
			return err
		}
	}
	if b.JSON {
		return encode(con.out, brain)
	}
	return b.print(ctx, con, g, brain, archived)
}

// print prints a row for each record, part by part, and how full the brain is.
func (b *brainCommand) print(ctx context.Context, con *console, g *opened, brain memory.Brain, archived int) error {
	short, err := g.shortRecords(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"PART", "TEXT", "SAID", "SINCE", "LAST", "ID"}}
	for _, part := range []struct {
		name string
		list []state.Record
	}{{"user", brain.User}, {"preferences", brain.Preferences}, {"decisions", brain.Decisions}, {"current", brain.Current}, {"archive", brain.Archive}} {
		for _, r := range part.list {
			rows = append(rows, []string{
				part.name, clip(recordText(r), 60), fmt.Sprint(max(r.Times, 1)),
				con.day(r.RecordedAt), con.ago(r.Seen()), cmp.Or(short[r.ID], r.ID),
			})
		}
	}

	// The last line says how full the brain is.
	empty := fmt.Sprintf("nothing is known of user %s yet in %s", g.scope.User, g.where())
	if archived > 0 {
		empty = fmt.Sprintf("nothing that is known of user %s in %s found room: %d in the archive; --archive shows them", g.scope.User, g.where(), archived)
	}
	if con.rows(empty, rows); len(rows) == 1 {
		return nil
	}
	fmt.Fprintf(con.out, "%d of %d tokens; %d more in the archive, which recall finds\n", brain.Tokens, g.Memory().Settings().Known(state.Scope{}).BrainMaxTokens, archived)
	return nil
}
