package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

type historyCommand struct {
	sessionFlags
	Limit *int   `help:"At most so many turns, the newest (default 20), or with --steps and --json steps (default all); 0 = all." placeholder:"N"`
	Steps bool   `help:"A line for each step of the turns, as --json has them." xor:"what"`
	Turn  string `help:"Only this turn: its id or what that begins with." placeholder:"ID"`
	State *int64 `help:"Print the state after this step instead; 0 = the last." placeholder:"STEP" xor:"what"`
	Diff  string `help:"Print what changed between two steps instead; 0 = the last." placeholder:"A,B" xor:"what"`
}

// Help is printed by mneme history --help.
func (historyCommand) Help() string {
	return `Lists the turns of a session, newest first: when, what was said, what was decided, and in how many steps. With --steps its checkpoints:
what each step finished, and what was still to do after it. In the middle of a turn that is never nothing.

Examples:
  mneme history --session work
  mneme history --session work --steps --limit 20
  mneme history --session work --turn 0b9c2f41 --json
  mneme history --session work --state 12
  mneme history --session work --diff 11,12`
}

// checkpointLine is one checkpoint as JSON.
type checkpointLine struct {
	Step    int64     `json:"step"`
	Turn    string    `json:"turn"`
	Attempt string    `json:"attempt"`
	Source  string    `json:"source"`
	Nodes   []string  `json:"nodes"` // finished by the step
	Next    []string  `json:"next"`  // to run after it; empty = the turn is finished
	At      time.Time `json:"at"`
	Done    bool      `json:"done"`
	Parent  int64     `json:"parent"`         // the step it goes on from, 0 = none
	From    string    `json:"from,omitempty"` // Parent's thread, where it is another
	Waits   []string  `json:"waits"`          // ids of the questions the step ended with
}

// lineOf describes a checkpoint.
func lineOf(c flow.Checkpoint) checkpointLine {
	l := checkpointLine{
		Step: c.Seq, Turn: c.Turn, Attempt: c.Attempt, Source: string(c.Source), Nodes: []string{}, Next: append([]string{}, c.Next...),
		At: c.At.UTC(), Done: c.Done, Parent: c.Parent, From: c.From, Waits: []string{},
	}

	// A step follows the one before it unless it says otherwise.
	if l.Parent == 0 && c.From == "" {
		l.Parent = c.Seq - 1
	}

	for _, p := range c.Parts {
		switch {
		case p.EndsVisit():
			l.Nodes = append(l.Nodes, p.Node)
		case p.Item > 0 && !p.Partial:
			l.Nodes = append(l.Nodes, fmt.Sprintf("%s %d/%d", p.Node, p.Item, p.Of))
		}
	}

	for _, a := range c.Asked {
		l.Waits = append(l.Waits, a.ID)
	}
	return l
}

// Run prints the checkpoints, a state, or a difference.
func (h *historyCommand) Run(ctx context.Context, con *console) error {
	if _, _, err := h.steps(); err != nil {
		return err
	}
	return with(ctx, con.openLog, func(o *opened) error {
		switch {
		case h.State != nil:
			return h.state(ctx, con, o)
		case h.Diff != "":
			return h.diff(ctx, con, o)
		}
		return h.list(ctx, con, o)
	})
}

func (h *historyCommand) list(ctx context.Context, con *console, o *opened) (err error) {
	// A turn may be given by the beginning of its id.
	w := checkpoint.Which{}
	if h.Turn != "" {
		if w.Turn, err = o.turnNamed(ctx, h.Turn); err != nil {
			return err
		}
	}
	if !h.Steps && !h.JSON {
		return h.turns(ctx, con, o, w)
	}
	if h.Limit != nil {
		w.Limit = *h.Limit
	}
	steps, err := o.History(ctx, o.scope, w)
	if err != nil || len(steps) == 0 {
		return cmp.Or(err, o.noTurns())
	}

	// There is one step at least.
	return printList(con, h.JSON, steps, "", []string{"STEP", "TURN", "SOURCE", "FINISHED", "NEXT", con.timeHead(), "WAITS"}, func(s flow.Checkpoint) (any, []string) {
		l := lineOf(s)
		waits := "-"
		if len(l.Waits) > 0 {
			waits = fmt.Sprintf("for %d", len(l.Waits))
		}
		return l, []string{
			fmt.Sprint(l.Step), fmt.Sprintf("%.*s", shortTurn, l.Turn), l.Source, cmp.Or(strings.Join(l.Nodes, " "), "-"),
			cmp.Or(strings.Join(l.Next, " "), "-"), l.At.In(con.zone()).Format("2006-01-02 15:04:05"), waits,
		}
	})
}

// stateDoc is a state as it was after one step.
type stateDoc struct {
	checkpointLine
	Asked []questionLine  `json:"questions"` // without an answer
	State json.RawMessage `json:"state"`     // field by field, extended JSON
}

func (h *historyCommand) state(ctx context.Context, con *console, o *opened) error {
	snapshot, err := o.State(ctx, o.scope, *h.State)
	if err != nil {
		return err
	}
	if snapshot.Seq == 0 {
		return o.noTurns()
	}

	fields, err := field.Whole(snapshot.State.Fields())
	if err != nil {
		return err
	}
	text, err := bson.MarshalExtJSON(fields, false, false)
	if err != nil {
		return state.Errorf(state.Internal, "state", "cannot be printed: %w", err)
	}
	return h.document(con, stateDoc{lineOf(snapshot.Checkpoint), questionLines(snapshot.Waits), text})
}

// document prints JSON: on one line with --json, else to be read.
func (h *historyCommand) document(con *console, v any) error {
	if h.JSON {
		return encode(con.out, v)
	}
	return encodeIndented(con.out, v, "  ")
}

// steps returns the two that --diff names.
func (h *historyCommand) steps() (from, to int64, err error) {
	if h.Diff == "" {
		return 0, 0, nil
	}
	a, b, two := strings.Cut(h.Diff, ",")
	from, err = strconv.ParseInt(strings.TrimSpace(a), 10, 64)
	if err == nil {
		to, err = strconv.ParseInt(strings.TrimSpace(b), 10, 64)
	}
	if !two || err != nil {
		return 0, 0, state.Errorf(state.Invalid, "--diff", "takes two steps, such as --diff 11,12")
	}
	return from, to, nil
}

func (h *historyCommand) diff(ctx context.Context, con *console, o *opened) error {
	from, to, err := h.steps()
	if err != nil {
		return err
	}
	changes, err := o.Diff(ctx, o.scope, from, to)
	if err != nil {
		return err
	}

	// One line of JSON for each field, or its name and both values below.
	for _, c := range changes {
		line := changeLine{c.Field, extended{c.Before}, extended{c.After}}
		if err := con.tell(h.JSON, line, "%s\n%s %s\n%s %s", con.paint(bold, c.Field), con.paint(red, "-"), line.Before, con.paint(green, "+"), line.After); err != nil {
			return err
		}
	}

	if len(changes) == 0 && !h.JSON {
		con.println("no field differs")
	}
	return nil
}
