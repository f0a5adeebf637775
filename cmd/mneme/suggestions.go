package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

type suggestionsCommand struct {
	List    suggestionsList    `cmd:"" default:"withargs" help:"List what waits (the default)."`
	Approve suggestionsApprove `cmd:"" help:"Have suggestions carried out."`
	Edit    suggestionsEdit    `cmd:"" help:"Have one carried out with another content."`
	Reject  suggestionsReject  `cmd:"" help:"Leave suggestions undone."`
}

// Help is printed by mneme suggestions --help.
func (suggestionsCommand) Help() string {
	return `With autonomy=1 every change of memory waits for its user: what an agent or the pipeline wanted to do, and what came by the API. Approved
of, it is judged against what is remembered then and carried out once, at any level of autonomy. After suggestion_days it is over.
ID is a number of the list, an id, or four or more characters that only one id begins with. By hand memory is edited at a lower level with --set autonomy=2.

Examples:
  mneme suggestions --user anna
  mneme suggestions approve 1 s81c44d0
  mneme suggestions approve --all
  mneme suggestions edit 2 "The seat is 2A."
  mneme suggestions reject s81c44d0 --reason "not for ever"`
}

type suggestionsList struct {
	auditFlags
	All   bool `help:"Those that were answered too."`
	Limit int  `help:"At most so many, the oldest; 0 = all." placeholder:"N"`
}

// Run prints them as a table.
func (c *suggestionsList) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openNamed, func(g *opened) error {
		list, err := g.Memory().Suggestions().List(ctx, g.scope, c.All)
		if err != nil {
			return err
		}

		// An empty list says of which user and store.
		empty := fmt.Sprintf("nothing waits for user %s in %s", g.scope.User, g.where())
		items := pick.Suggestions(list)
		if list, err = firstOnly(list, c.Limit); err != nil {
			return err
		}
		all, err := g.Memory().Suggestions().List(ctx, g.scope, true)
		if err != nil {
			return err
		}
		short := shortIDs(idsOf(all, func(s state.Suggestion) string { return s.ID })...)
		return printList(con, c.JSON, list, empty, []string{"NO", "ID", "TIME", "STATUS", "WHO", "ASKS TO", "TEXT"}, func(s state.Suggestion) (any, []string) {
			who := string(s.By.Who)
			if s.By.Who == state.ByAgent {
				who += " " + s.Agent
			}
			return s, []string{numberOf(items, s.ID), short[s.ID], con.ago(s.At), string(s.Status), who, s.Asks, clip(s.Text, 80)}
		})
	})
}

// answers gives suggestions an answer and prints each.
func (f auditFlags) answers(ctx context.Context, con *console, ids []string, all bool, a state.Answer) error {
	// Either ids or --all must be given, and not both.
	if all == (len(ids) > 0) {
		return state.Errorf(state.Invalid, "suggestions", "name some by their ids, or say --all")
	}
	return with(ctx, con.openNamed, func(g *opened) error {
		// Those that have an answer are looked at too, so that naming one says what became of it.
		list, err := g.Memory().Suggestions().List(ctx, g.scope, true)
		if err != nil {
			return err
		}
		chosen, err := chooseSuggestions(list, ids)
		if err != nil {
			return err
		}

		// Each is answered on its own; the first error ends it, and what was answered stays answered.
		for _, id := range chosen {
			s, err := g.Memory().Suggestions().Answer(ctx, g.scope, id, a)
			if err == nil {
				err = con.tell(f.JSON, s, "%s: %s: %s", strings.ToLower(string(s.Status)), s.Asks, s.Text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// chooseSuggestions returns the ids that are meant; without names all that wait.
func chooseSuggestions(list []state.Suggestion, names []string) (chosen []string, err error) {
	items := pick.Suggestions(list)
	if len(names) == 0 {
		for _, i := range items {
			if i.Number > 0 {
				chosen = append(chosen, i.ID)
			}
		}
		return chosen, nil
	}

	for _, name := range names {
		id, err := pick.One("suggestion", name, items)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, id)
	}
	return chosen, nil
}

type suggestionsApprove struct {
	auditFlags
	IDs []string `arg:"" optional:"" name:"id" help:"Numbers in the list, ids or their beginnings."`
	All bool     `help:"All that wait."`
}

// Run approves.
func (c *suggestionsApprove) Run(ctx context.Context, con *console) error {
	return c.answers(ctx, con, c.IDs, c.All, state.Answer{Choice: state.Approve})
}

type suggestionsReject struct {
	auditFlags
	IDs    []string `arg:"" optional:"" name:"id" help:"Numbers in the list, ids or their beginnings."`
	All    bool     `help:"All that wait."`
	Reason string   `help:"Why, for the audit." placeholder:"TEXT"`
}

// Run rejects.
func (c *suggestionsReject) Run(ctx context.Context, con *console) error {
	return c.answers(ctx, con, c.IDs, c.All, state.Answer{Choice: state.Reject, Reason: c.Reason})
}

type suggestionsEdit struct {
	auditFlags
	ID      string   `arg:"" help:"Its number in the list, its id or the beginning of it."`
	Content []string `arg:"" name:"text" help:"What is to be kept instead."`
}

// Run approves with another content.
func (c *suggestionsEdit) Run(ctx context.Context, con *console) error {
	value, err := json.Marshal(strings.Join(c.Content, " "))
	if err != nil {
		return errors.Join(state.Errorf(state.Invalid, "suggestions edit", "the text cannot be written as JSON"), err)
	}
	return c.answers(ctx, con, []string{c.ID}, false, state.Answer{Choice: state.Edit, Value: string(value)})
}
