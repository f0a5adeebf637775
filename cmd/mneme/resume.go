package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

type resumeCommand struct {
	sessionFlags
	All bool `help:"All sessions of the client."`
}

// Help is printed by mneme resume --help.
func (resumeCommand) Help() string {
	return `Goes on with the session's unfinished turn where a crash left it: no answered model call and no finished tool
call runs again. Prints the reply, or the questions the turn waits for. Where none is unfinished it says so. One that runs
in another process is status 4, and so is one that another program began, with other tools or another model. With --all also what other processes left owing to memory is carried out.

Examples:
  mneme resume --session work
  mneme resume --all --json`
}

// Run finishes the turn, or all of them.
func (r *resumeCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openLog, func(o *opened) error {
		if r.All {
			return r.sweep(ctx, con, o)
		}
		reply, err := o.Resume(ctx, o.scope)
		if errors.Is(err, state.ErrNotFound) {
			return con.noTurn(o, r.JSON)
		}
		if err != nil {
			return err
		}
		return con.reply(ctx, o, reply, r.JSON)
	})
}

// noTurn says that there is no unfinished turn: that is as it should be.
func (c *console) noTurn(o *opened, asJSON bool) error {
	none := replyLine{Session: o.scope.Session, Waits: []questionLine{}}
	return c.tell(asJSON, none, "session %s has no unfinished turn of user %s in %s", o.scope.Session, o.scope.User, o.where())
}

// sweptLine is an unfinished turn and what became of it: "finished", "waits" for an answer, "runs" in another process,
// or is of "another graph".
type sweptLine struct {
	Client  string    `json:"client"`
	Thread  string    `json:"thread"` // user/session
	Turn    string    `json:"turn"`
	Outcome string    `json:"outcome"`
	Since   time.Time `json:"since"`
}

// lines lists what a sweep found.
func sweptLines(s graph.Swept) (lines []sweptLine) {
	for _, part := range []struct {
		outcome string
		turns   []checkpoint.Open
	}{{"finished", s.Finished}, {"waits", s.Waits}, {"runs", s.Runs}, {"another graph", s.Others}} {
		for _, o := range part.turns {
			lines = append(lines, sweptLine{o.Thread.Client, o.Thread.ID, o.Turn, part.outcome, o.Since.UTC()})
		}
	}
	return lines
}

// sweep goes on with every session's turn. What went wrong with some is the error; the others are finished and printed.
func (r *resumeCommand) sweep(ctx context.Context, con *console, o *opened) error {
	swept, failed := o.Sweep(ctx, o.scope.Client, true)
	lines := sweptLines(swept)
	if failed != nil && len(lines) == 0 {
		return failed
	}

	// An empty list says of which client and store.
	empty := fmt.Sprintf("no unfinished turns of client %s in %s", o.scope.Client, o.where())
	err := printList(con, r.JSON, lines, empty, []string{"OUTCOME", "USER/SESSION", "TURN", "SINCE"}, func(l sweptLine) (any, []string) {
		return l, []string{l.Outcome, l.Thread, fmt.Sprintf("%.*s", shortTurn, l.Turn), con.ago(l.Since)}
	})
	return cmp.Or(err, failed)
}

type cancelCommand struct{ sessionFlags }

// Help is printed by mneme cancel --help.
func (cancelCommand) Help() string {
	return `Ends the session's unfinished turn, one that a crash left or that waits for an answer: no model and no tool is
asked again, what was said so far stays, and the next message is answered at once. Where none is unfinished it says so. One
that runs in another process is status 4.

Examples:
  mneme cancel --session work
  mneme cancel --session work --json`
}

// Run ends the turn.
func (c *cancelCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openLog, func(o *opened) error {
		reply, err := o.Cancel(ctx, o.scope)
		switch {
		case errors.Is(err, state.ErrNotFound):
			return con.noTurn(o, c.JSON)
		case err != nil:
			return err
		}
		return con.tell(c.JSON, lineOfReply(o, reply), "ended the turn of session %s; what was said and what was learnt stays", o.scope.Session)
	})
}
