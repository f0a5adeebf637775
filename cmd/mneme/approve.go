package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

type approveCommand struct {
	sessionFlags
	ID     string `name:"id" help:"Only this question: its number in the list, its id or the beginning of it, or the call that ends it." placeholder:"ID"`
	Reject bool   `help:"Refuse instead." xor:"answer"`
	Reason string `help:"Why, for the model; with --reject." placeholder:"TEXT"`
	Edit   string `help:"Approve with this value instead: the arguments of the call." placeholder:"JSON" xor:"answer"`
	List   bool   `help:"Only list the questions." xor:"answer"`
	Record bool   `help:"Only write the answer down: the program that began the turn goes on with it."`
}

// Help is printed by mneme approve --help.
func (approveCommand) Help() string {
	return `Answers what the session's turn waits for, all of it or one question, and goes on with the turn. Prints the
reply, or the next questions. A turn that waits for nothing is status 3. A turn that another program began, with other tools or
another model, is status 4: --record writes the answer down, and that program goes on.

Examples:
  mneme approve --session work --list
  mneme approve --session work
  mneme approve --session work --reject --reason "not for ever"
  mneme approve --session work --record
  mneme approve --session work --edit '{"category":"fact","subject":"coffee","content":"No sugar in coffee."}'`
}

// Run answers, or lists.
func (a *approveCommand) Run(ctx context.Context, con *console) error {
	answer, err := a.answer()
	if err != nil {
		return err
	}
	return with(ctx, con.openLog, func(o *opened) error {
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
		if a.Record {
			return a.record(ctx, con, o, answers)
		}
		reply, err := o.Answer(ctx, o.scope, answers)
		if err != nil {
			return err
		}
		return con.reply(ctx, o, reply, a.JSON)
	})
}

// record writes the answers down, and says what is left to be answered.
func (a *approveCommand) record(ctx context.Context, con *console, o *opened, answers map[string]state.Answer) error {
	left, err := o.RecordAnswers(ctx, o.scope, answers)
	switch {
	case err != nil:
		return err
	case a.JSON:
		return encode(con.out, replyLine{Session: o.scope.Session, Waits: questionLines(left)})
	}
	con.println("the answer is written down; the program that began the turn goes on with it")
	con.questions(o, left)
	return nil
}

// answer returns what the flags say.
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

// meant returns the ids of the questions to be answered: all, or the one that --id names. An id that is not open goes to the graph as
// it is: it may have been answered before.
func (a *approveCommand) meant(o *opened, asked []checkpoint.Ask) ([]string, error) {
	items := pickQuestions(asked)
	if a.ID != "" {
		id, err := pick.One("question", a.ID, items)
		if state.CodeOf(err) == state.NotFound && strings.Contains(a.ID, "/") {
			return []string{a.ID}, nil
		}
		return []string{id}, err
	}

	var ids []string
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	switch {
	case len(ids) == 0:
		return nil, state.Errorf(state.NotFound, "session "+o.scope.Session, "waits for no answer of user %s in %s; `mneme suggestions` lists what waits besides, `mneme resume` finishes what a crash cut off",
			o.scope.User, o.where())
	case len(ids) > 1 && a.Edit != "":
		return nil, state.Errorf(state.Conflict, "--edit", "may be for any of: %s; name one with --id", pick.Listed(items))
	}
	return ids, nil
}

// pickQuestions returns questions as --list shows them. The end of an id names the call, and stands for its title.
func pickQuestions(asked []checkpoint.Ask) (items []pick.Item) {
	for i, q := range asked {
		items = append(items, pick.Item{ID: q.ID, Title: q.ID[strings.LastIndex(q.ID, "/")+1:], Number: i + 1})
	}
	return items
}

func (a *approveCommand) list(con *console, o *opened, asked []checkpoint.Ask) error {
	switch {
	case a.JSON:
		return encodeEach(con.out, questionLines(asked))
	case len(asked) == 0:
		con.println("session " + o.scope.Session + " waits for no answer")
	}
	con.questions(o, asked)
	return nil
}
