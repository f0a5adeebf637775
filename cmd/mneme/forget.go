package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

type forgetCommand struct {
	place
	whose
	Record string `help:"This record, and what else says the same: its id, as mneme audit and recall show it." placeholder:"ID" xor:"what"`
	Topic  string `help:"What states it: each sentence and record that has all these words." placeholder:"WORDS" xor:"what"`
	Affair string `help:"This affair, with all that is filed under it: its id or title." placeholder:"NAME" xor:"what"`
	All    string `help:"All of: session (what was said in it and learnt from it), user, client." placeholder:"WHOSE"`
	Clear  string `help:"Empty a memory: session (what was said in it; what is known of the user stays) or global (what is known of the user)." placeholder:"WHICH"`
	Pinned bool   `help:"What is pinned goes too."`
	Yes    bool   `help:"Do not ask."`
	Expect *int   `help:"With --yes: how many messages go, as --dry-run prints it. Another number is refused." placeholder:"N"`
	DryRun bool   `name:"dry-run" help:"Only show what would go."`
	Prove  string `help:"Erase nothing: say of an earlier erasure who asked for it, when it was done, and what is found of it now. Something is status 1." placeholder:"ORDER" xor:"what"`
	List   bool   `help:"Erase nothing: list what was erased before." xor:"what"`
	Adopt  bool   `help:"Erase nothing: the ledger that this store was used with is lost; use the one that is named from now on (a new one, or an older copy), or none." xor:"what"`
	JSON   bool   `name:"json" help:"The receipt as one JSON object. It does not ask: give --yes."`
}

// Help is printed by mneme forget --help.
func (forgetCommand) Help() string {
	return `Erases for good: messages, records, affairs, and what was made of them, in summaries, titles, suggestions, the log, the feed that audit
reads, word indexes, vectors and free pages; with a user or client also its settings. What the user says again later is kept. It shows what goes and asks, unless --yes.

Of a topic and a record goes what states it: a message that says other things too loses only the sentence, and an affair goes only when nothing
of it is left. A topic or a record that takes a whole affair or more than 20 messages is asked about twice, and with --yes wants their number, as
--dry-run prints it: --expect N. --affair and --all say themselves how much they take, and need none.
What somebody has pinned is spared, unless --pinned; it is listed, and the status is 4. What is held (mneme hold) goes when it is released. So are sessions forked from one that goes: they keep their copies.

If it is interrupted, run the same command again; the user's next message and the start of a process go on with it too. With nothing named it only
goes on with what was interrupted. A turn of the user that runs meanwhile ends with status 4: the message is to be sent again. Backups and exports made before keep what they hold;
with an erasure ledger (MNEME_ERASURE_LEDGER) it is erased again when such a backup is opened.

To have something no longer hold, and keep it as history, tell it in chat: "forget that ...".

Examples:
  mneme forget --record 0198c2f4 --user anna
  mneme forget --topic "door code" --user anna --dry-run
  mneme forget --topic "boat trip" --user anna --yes --expect 34
  mneme forget --affair "Boat trip" --user anna --yes
  mneme forget --all session --session work --user anna
  mneme forget --all user --user anna --pinned --yes --json
  mneme forget --clear global --user anna
  mneme forget --list --user anna
  mneme forget --prove 000000000042.0198c2f4-0a1b-7c3d-8e4f-5a6b7c8d9e0f --user anna`
}

// what returns what the flags mean.
func (f *forgetCommand) what() forget.What {
	return forget.What{Record: f.Record, Topic: f.Topic, Affair: f.Affair, Clear: forget.Clear(f.Clear), Pinned: f.Pinned, User: f.All == "user", Client: f.All == "client"}
}

// Run counts what goes, asks and erases.
func (f *forgetCommand) Run(ctx context.Context, con *console) error {
	if !slices.Contains([]string{"", "session", "user", "client"}, f.All) {
		return state.Errorf(state.Invalid, fmt.Sprintf("--all %.40q", f.All), "is unknown; it is session, user or client")
	}
	if f.Adopt {
		return f.adopt(ctx, con)
	}
	return with(ctx, con.openNamed, func(g *opened) error { return f.forget(ctx, con, g) })
}

func (f *forgetCommand) forget(ctx context.Context, con *console, g *opened) (err error) {
	switch {
	case f.Prove != "":
		return f.prove(ctx, con, g)
	case f.List:
		return f.orders(ctx, con, g)
	}

	// A session without a name is the current one.
	what := f.what()
	if f.All == "session" {
		what.Session = g.scope.Session
	}

	if what.Affair, what.Record, err = g.erasedNamed(ctx, what); err != nil {
		return err
	}

	// What would go is shown first. With nothing named it was agreed to before.
	named := what != forget.What{Pinned: f.Pinned}
	var would state.Order
	if !named && f.DryRun {
		return state.Errorf(state.Invalid, "forget", "--dry-run shows what is named; name a record, topic, affair or memory, or leave it out to go on with what was cut short")
	}
	if named {
		tried := what
		tried.Try = true
		if would, err = g.Memory().Forget().Erase(ctx, g.scope, tried); err != nil {
			return err
		}
		if err := g.holds(ctx, would); err != nil {
			return err
		}
		if f.DryRun {
			return con.wouldGo(would, f.title(would), f.JSON)
		}
		if err := f.agree(con, would); err != nil {
			return err
		}
	}

	// From here on it goes for good.
	done, err := g.Memory().Forget().Erase(ctx, g.scope, what)
	switch {
	case err != nil:
		return err
	case done.ID == "" && !f.JSON:
		con.println("there is nothing to go on with; name what is to be forgotten: mneme forget --help")
		return nil
	}
	if !g.config.onMilvus() && !f.JSON { // where there is no server, nothing on one is left to do
		for i := range done.Layers {
			if done.Layers[i].Name == "vectors" {
				done.Layers[i].Note = ""
			}
		}
	}
	return con.erased(done, would, f.title(done), f.JSON)
}

// holds returns NotFound where an order would erase nothing at all: a session that was never used, a user who has never said or set anything.
func (o *opened) holds(ctx context.Context, would state.Order) error {
	if len(would.Would)+len(would.Spared)+len(would.Held) > 0 || slices.ContainsFunc(would.Layers, func(l state.OrderLayer) bool { return l.Plan > 0 && l.Name != "sessions" }) {
		return nil
	}
	scope, nothing := o.scope, state.Errorf(state.NotFound, "forget "+would.What+" "+would.Name, "nothing of it is there in %s", o.where())
	switch would.What {
	case "session", "clear session":
		s, err := o.Memory().Sessions().Get(ctx, scope)
		if err != nil || s.ID != "" {
			return err
		}
		turns, err := o.History(ctx, scope, checkpoint.Which{Limit: 1}) // some have no more than a log
		if err != nil || len(turns) > 0 {
			return err
		}
		return nothing
	case "user":
		set, _, err := settings.New(settings.Config{Store: o.store.Store}).Read(ctx, settings.ForUser, scope)
		sessions, err2 := o.Memory().Sessions().List(ctx, scope)
		if err = errors.Join(err, err2); err != nil || len(set)+len(sessions) > 0 {
			return err
		}
		return nothing
	}
	return nil
}

// title names what is meant, as its user has named it.
func (f *forgetCommand) title(o state.Order) string {
	return strings.TrimSpace(o.What + " " + cmp.Or(f.Topic, f.Affair, o.Name))
}

// agree asks whether what would go is meant. A topic or a record that takes whole affairs or many messages is asked about twice, and with --yes
// the number has to be given.
func (f *forgetCommand) agree(con *console, would state.Order) error {
	messages, affairs := forget.Messages(would), forget.Items(would, "affair")
	takes := counted(messages, "message")
	if affairs > 0 {
		takes += " and " + counted(affairs, "whole affair")
	}
	much := forget.Much(would)

	op := "forget " + f.title(would)
	switch {
	case f.Expect != nil && *f.Expect != messages:
		return state.Errorf(state.Conflict, op, "takes %s, and not %d as expected; see --dry-run", takes, *f.Expect)
	case f.Yes && much && f.Expect == nil:
		return state.Errorf(state.Conflict, op, "takes %s; look at them with --dry-run, and if they are meant say --expect %d", takes, messages)
	case f.Yes:
		return nil
	case f.JSON:
		return state.Errorf(state.Invalid, "forget", "with --json nobody is asked; give --yes, or --dry-run to see what would go")
	}

	con.showGoing(would, f.title(would)+" goes for good:")
	answers := bufio.NewReader(con.in)
	if !con.agreed(answers, "Erase it? [y/N] ") || much && !con.agreed(answers, "That is "+takes+". All of it? [y/N] ") {
		return state.Errorf(state.Denied, "forget", "nothing was erased")
	}
	return nil
}
