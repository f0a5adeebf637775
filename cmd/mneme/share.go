package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

type shareCommand struct {
	place
	whose
	Project string           `option:"" help:"Only for turns of this project." placeholder:"ID"`
	Content []string         `arg:"" optional:"" name:"text" help:"What all users of the client are to know; none = list it."`
	Subject string           `help:"What it is about, a few words." placeholder:"TEXT"`
	Kind    state.RecordKind `default:"fact" help:"fact, decision, deadline, contact, procedure and so on." placeholder:"NAME"`
	Pinned  bool             `help:"Before all that is not pinned."`

	Withdraw string `help:"End one instead: the id of what was shared, or the beginning of it. It stays as history." placeholder:"ID"`

	JSON bool `name:"json" help:"One JSON object per record or receipt."`
}

// Help is printed by mneme share --help.
func (shareCommand) Help() string {
	return `Writes what all users of a client know, or lists it. It is in the prompts and recalls of each of them, and none can change it.
Who may write is said by MNEME_SHARE_USERS, a list of users with commas between; without it nobody may. Another value for the same
subject takes the place of the one before. What is withdrawn is in no prompt and recall any more; mneme audit --shared tells of each change.

Examples:
  MNEME_SHARE_USERS=anna mneme share --client acme --user anna --withdraw 0198c2f4
  mneme share --client acme
  MNEME_SHARE_USERS=anna mneme share --client acme --user anna --subject "emergency line" "Call 02-11-900 at night."`
}

// Run writes or lists.
func (s *shareCommand) Run(ctx context.Context, con *console) error {
	// Without a text it only looks back and makes no store.
	open := con.open
	if len(s.Content) == 0 {
		open = con.openThere
	}
	return with(ctx, open, func(g *opened) error {
		// It withdraws, lists or writes, and never two of these.
		switch {
		case s.Withdraw != "":
			return s.withdraw(ctx, con, g)
		case len(s.Content) == 0:
			return s.list(ctx, con, g)
		}
		return s.share(ctx, con, g)
	})
}

// share writes what all are to know.
func (s *shareCommand) share(ctx context.Context, con *console, g *opened) error {
	receipts, err := g.Memory().Share(ctx, g.scope, memory.Change{
		Kind: s.Kind, Subject: s.Subject, Content: strings.Join(s.Content, " "), Pinned: s.Pinned,
	})
	if err != nil {
		return err
	}
	r := receipts[0]
	return con.tell(s.JSON, r, "%s %s %s for all users of client %s", r.Outcome, r.Kind, r.ID, g.scope.Client)
}

// withdraw ends what was shared.
func (s *shareCommand) withdraw(ctx context.Context, con *console, g *opened) error {
	if len(s.Content) > 0 {
		return state.Errorf(state.Invalid, "--withdraw", "goes with no text; share the new one in a call of its own")
	}
	records, err := g.Memory().Shared(ctx, g.scope)
	if err != nil {
		return err
	}
	id, err := recordNamed(s.Withdraw, records)
	if err != nil {
		return err
	}
	done, err := g.Memory().Amend(ctx, g.scope, memory.Amendment{Action: memory.ForgetRecord, ID: id, Shared: true})
	if err != nil {
		return err
	}
	return con.tell(s.JSON, done[0].Receipt, "withdrawn %s %s from all users of client %s", done[0].Kind, done[0].ID, g.scope.Client)
}

// list prints what is valid; JSON has what was replaced too.
func (s *shareCommand) list(ctx context.Context, con *console, g *opened) error {
	records, err := g.Memory().Shared(ctx, g.scope)
	if err != nil {
		return err
	}

	// An empty list says of which client and store.
	short := shortIDs(idsOf(records, func(r state.Record) string { return r.ID })...)
	empty := fmt.Sprintf("the users of client %s share nothing in %s", g.scope.Client, g.where())
	return printList(con, s.JSON, records, empty, []string{"KIND", "PROJECT", "TEXT", "BY", "SINCE", "ID"}, func(r state.Record) (any, []string) {
		if !r.Valid(con.now()) {
			return r, nil
		}
		return r, []string{
			string(r.Kind), r.Project, clip(recordText(r), 60), r.Source.Author, con.ago(r.RecordedAt), short[r.ID],
		}
	})
}
