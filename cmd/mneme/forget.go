package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

type forgetCommand struct {
	place
	whose
	Record string `help:"This record: its id, as mneme audit and recall show it." placeholder:"ID" xor:"what"`
	Topic  string `help:"What has all these words." placeholder:"WORDS" xor:"what"`
	Affair string `help:"This affair, with all that is filed under it: its id or title." placeholder:"NAME" xor:"what"`
	All    string `help:"All of: session (what was said in it and learnt from it), user, client." placeholder:"WHOSE"`
	Clear  string `help:"Empty a memory: session (what was said in it; what is the user's own stays) or global (what is known of the user)." placeholder:"WHICH"`
	Pinned bool   `help:"What is pinned goes too."`
	Yes    bool   `help:"Do not ask."`
	DryRun bool   `name:"dry-run" help:"Only count what would go."`
	JSON   bool   `name:"json" help:"The receipt as one JSON object. It does not ask: give --yes."`
}

// Help is printed by mneme forget --help.
func (forgetCommand) Help() string {
	return `Erases for good: messages, records, affairs, and what was made of them, in summaries, titles, suggestions, the log, the feed that audit
reads, word indexes, vectors and free pages; with a user or client also its settings. What the user says again later is kept. What is pinned stays, unless --pinned. It says what goes and asks,
unless --yes. Cut short it is gone on with by the same command, by the user's next message, or when a process starts. With nothing named it only
goes on with what was cut short. A turn of the user that runs meanwhile ends with status 4: the message is to be sent again. Backups and exports made before keep what they hold.

To have something no longer hold, and keep it as history, tell it in chat: "forget that ...".

Examples:
  mneme forget --record 0198c2f4 --user anna
  mneme forget --topic "door code" --user anna --dry-run
  mneme forget --affair "Boat trip" --user anna --yes
  mneme forget --all session --session work --user anna
  mneme forget --all user --user anna --pinned --yes --json
  mneme forget --clear global --user anna`
}

// what is what the flags mean.
func (f *forgetCommand) what() memory.What {
	w := memory.What{Record: f.Record, Topic: f.Topic, Affair: f.Affair, Clear: memory.Clear(f.Clear), Pinned: f.Pinned, User: f.All == "user", Client: f.All == "client"}
	if f.All == "session" {
		w.Session = f.whose.Session
	}
	return w
}

// Run counts what goes, asks and erases.
func (f *forgetCommand) Run(ctx context.Context, con *console) (err error) {
	if !slices.Contains([]string{"", "session", "user", "client"}, f.All) {
		return state.Errorf(state.Invalid, fmt.Sprintf("--all %.40q", f.All), "is unknown; it is session, user or client")
	}
	g, err := con.openThere(ctx, f.whose.flags(f.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	// A session without a name is the current one.
	what := f.what()
	if f.All == "session" && what.Session == "" {
		what.Session = g.scope.Session
	}

	if what.Affair, what.Record, err = g.erasedNamed(ctx, what); err != nil {
		return err
	}

	// What would go is counted and shown first. With nothing named it was agreed to before.
	named := what != memory.What{Pinned: f.Pinned}
	if !named && f.DryRun {
		return state.Errorf(state.Invalid, "forget", "--dry-run counts what is named; name a record, topic, affair or memory, or leave it out to go on with what was cut short")
	}
	if named {
		tried := what
		tried.Try = true
		would, err := g.Memory().Forget(ctx, g.scope, tried)
		if err != nil {
			return err
		}
		if f.DryRun {
			return con.forgotten(would, f.JSON, "would go")
		}
		if !f.Yes {
			if f.JSON {
				return state.Errorf(state.Invalid, "forget", "with --json nobody is asked; give --yes, or --dry-run to see what would go")
			}
			if err := con.forgotten(would, false, "goes for good"); err != nil {
				return err
			}
			if !con.agreed("Erase it? [y/N] ") {
				return state.Errorf(state.Denied, "forget", "nothing was erased")
			}
		}
	}

	// From here on it goes for good.
	done, err := g.Memory().Forget(ctx, g.scope, what)
	switch {
	case err != nil:
		return err
	case done.ID == "" && !f.JSON:
		con.println("there is nothing to go on with; name what is to be forgotten: mneme forget --help")
		return nil
	}
	return con.forgotten(done, f.JSON, "is erased")
}

// agreed asks, and reports whether the answer is yes.
func (c *console) agreed(question string) bool {
	fmt.Fprint(c.out, question)
	line, _ := bufio.NewReader(c.in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// forgotten prints a receipt.
func (c *console) forgotten(o state.Order, asJSON bool, says string) error {
	if asJSON {
		return encode(c.out, o)
	}
	fmt.Fprintf(c.out, "%s %s %s\n", o.What, o.Name, says)
	rows := [][]string{{"LAYER", "FOUND", "ERASED", "LEFT", ""}}
	for _, l := range o.Layers {
		rows = append(rows, []string{l.Name, fmt.Sprint(l.Plan), fmt.Sprint(l.Count), fmt.Sprint(l.Left), l.Note})
	}
	table(c.out, rows)
	return nil
}
