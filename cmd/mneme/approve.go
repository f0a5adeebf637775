package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

type approveCommand struct {
	sessionFlags
	ID     string `name:"id" help:"Only this question: its id, or a part that only one has." placeholder:"ID"`
	Reject bool   `help:"Refuse instead." xor:"answer"`
	Reason string `help:"Why, for the model; with --reject." placeholder:"TEXT"`
	Edit   string `help:"Approve with this value instead: the arguments of the call." placeholder:"JSON" xor:"answer"`
	List   bool   `help:"Only list the questions." xor:"answer"`
}

// Help is printed by mneme approve --help.
func (approveCommand) Help() string {
	return `Answers what the session's turn waits for, all of it or one question, and goes on with the turn. Prints the
reply, or the next questions. A turn that waits for nothing is status 3.

Examples:
  mneme approve --session work --list
  mneme approve --session work
  mneme approve --session work --reject --reason "not for ever"
  mneme approve --session work --edit '{"category":"fact","subject":"coffee","content":"No sugar in coffee."}'`
}

// Run answers, or lists.
func (a *approveCommand) Run(ctx context.Context, con *console) error {
	answer, err := a.answer()
	if err != nil {
		return err
	}
	return a.with(ctx, con, func(o *opened) error {
		// Only what the turn asks now can be answered.
		asked, err := o.Waits(ctx, o.scope)
		switch {
		case err != nil:
			return err
		case a.List:
			return a.list(con, o, asked)
		}

		// One answer holds for all questions that are meant.
		ids, err := a.meant(o, asked)
		if err != nil {
			return err
		}
		answers := map[string]state.Answer{}
		for _, id := range ids {
			answers[id] = answer
		}
		reply, err := o.Answer(ctx, o.scope, answers)
		if err != nil {
			return err
		}
		return con.reply(ctx, o, reply, a.JSON)
	})
}

// answer is what the flags say.
func (a *approveCommand) answer() (state.Answer, error) {
	switch {
	case a.Reason != "" && !a.Reject:
		return state.Answer{}, state.Errorf(state.Invalid, "--reason", "goes with --reject only")
	case a.Reject:
		return state.Answer{Choice: state.Reject, Reason: a.Reason}, nil
	case a.Edit == "":
		return state.Answer{Choice: state.Approve}, nil
	case !json.Valid([]byte(a.Edit)):
		return state.Answer{}, state.Errorf(state.Invalid, "--edit", `is no JSON; give the whole value, such as '{"content": "..."}'`)
	}
	return state.Answer{Choice: state.Edit, Value: a.Edit}, nil
}

// meant are the ids of the questions to be answered. An id that is not open goes to the graph as it is: it may have been
// answered before.
func (a *approveCommand) meant(o *opened, asked []checkpoint.Ask) ([]string, error) {
	// A whole id wins; else each question that has the part is meant.
	var ids []string
	for _, q := range asked {
		if q.ID == a.ID {
			return []string{a.ID}, nil
		}
		if strings.Contains(q.ID, a.ID) {
			ids = append(ids, q.ID)
		}
	}

	switch {
	case len(ids) == 0 && a.ID != "":
		return []string{a.ID}, nil
	case len(ids) == 0:
		return nil, state.Errorf(state.NotFound, "session "+o.scope.Session, "waits for no answer of user %s in %s; `mneme suggestions` lists what waits besides, `mneme resume` finishes what a crash cut off",
			o.scope.User, o.where())
	case len(ids) > 1 && (a.ID != "" || a.Edit != ""):
		return nil, state.Errorf(state.Invalid, fmt.Sprintf("question %q", a.ID), "may be any of %s; name one with --id", strings.Join(ids, ", "))
	}
	return ids, nil
}

func (a *approveCommand) list(con *console, o *opened, asked []checkpoint.Ask) error {
	if !a.JSON && len(asked) == 0 {
		con.println("session " + o.scope.Session + " waits for no answer")
	}
	if !a.JSON {
		con.questions(o, asked)
		return nil
	}
	for _, q := range questionLines(asked) {
		if err := encode(con.out, q); err != nil {
			return err
		}
	}
	return nil
}
