package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

type pruneCommand struct {
	sessionFlags
	Keep   int    `help:"Keep so many of the last turns." placeholder:"N" xor:"what" required:""`
	Before string `help:"Delete turns that ended before: 2026-02-15, or 2026-02-15T21:00:00Z." placeholder:"TIME" xor:"what" required:""`
	All    bool   `help:"Delete the whole log." xor:"what" required:""`
	Force  bool   `help:"With --all: end an unfinished turn first."`
}

// Help is printed by mneme prune --help.
func (pruneCommand) Help() string {
	return `Deletes turns from the session's log: the steps that history shows and resume needs. What was said and what was
learnt stays. The last turn and an unfinished one are kept, but for --all. A turn that runs is status 4, with --all an
unfinished one too: mneme resume or mneme approve finishes it, mneme cancel or --force ends it.

Examples:
  mneme prune --session work --keep 100
  mneme prune --session work --before 2026-01-01
  mneme prune --session work --all --force`
}

// pruned is the report; Documents counts those deleted, -1 with --all, where nobody counts.
type pruned struct {
	Session   string `json:"session"`
	All       bool   `json:"all"`
	Documents int    `json:"documents"`
}

// Run deletes.
func (p *pruneCommand) Run(ctx context.Context, con *console) error {
	keep, err := p.keep()
	if err != nil {
		return err
	}
	return with(ctx, con.openLog, func(o *opened) error {
		// A session without turns is more likely mistyped than empty.
		if there, err := o.History(ctx, o.scope, checkpoint.Which{Limit: 1}); err != nil || len(there) == 0 {
			return cmp.Or(err, o.noTurns())
		}

		// Either the whole log goes, or all but the last turns, or what ended before a time.
		done := pruned{Session: o.scope.Session, All: p.All, Documents: -1}
		if p.All {
			err = p.deleteAll(ctx, o)
		} else {
			done.Documents, err = o.Prune(ctx, o.scope, keep)
		}
		if err != nil {
			return err
		}
		what := "the log"
		if !p.All {
			what = counted(done.Documents, "document") + " from the log"
		}
		return con.tell(p.JSON, done, "deleted %s of session %s; its messages and what was learnt stay", what, done.Session)
	})
}

// deleteAll deletes the log, after its unfinished turn was ended if that is asked for.
func (p *pruneCommand) deleteAll(ctx context.Context, o *opened) error {
	if p.Force {
		if _, err := o.Cancel(ctx, o.scope); err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
	}
	err := o.DeleteThread(ctx, o.scope)
	if errors.Is(err, checkpoint.ErrUnfinished) {
		return state.Errorf(state.Conflict, "session "+o.scope.Session, "has an unfinished turn; mneme resume or mneme approve finishes it, "+
			"mneme cancel ends it, and so does --force")
	}
	return err
}

// keep returns what the flags leave.
func (p *pruneCommand) keep() (flow.Keep, error) {
	if p.Force && !p.All {
		return flow.Keep{}, state.Errorf(state.Invalid, "--force", "goes with --all only")
	}
	if p.Before != "" {
		before, err := parseTime(p.Before)
		return flow.Keep{Before: before}, err
	}
	if !p.All && p.Keep < 1 {
		return flow.Keep{}, state.Errorf(state.Invalid, fmt.Sprintf("--keep %d", p.Keep), "keeps at least 1; --all deletes the whole log")
	}
	return flow.Keep{Turns: p.Keep}, nil
}

// parseTime reads a day, which begins at midnight UTC, or a time as RFC 3339 writes it.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, state.Errorf(state.Invalid, fmt.Sprintf("%.40q", text), "is not a time; write 2026-02-15 or 2026-02-15T21:00:00Z")
}
