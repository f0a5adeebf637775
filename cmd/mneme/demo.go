package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/e2e"
	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

type demoCommand struct {
	Lang string `help:"Language of the conversation: en, cs, pl or ru." default:"en"`
	Dir  string `help:"Keep the store in this folder; each run is a user of its own." placeholder:"DIR"`
	JSON bool   `name:"json" help:"One JSON object per turn."`
}

// Help is printed by mneme demo --help.
func (demoCommand) Help() string {
	return `Plays a conversation about a car part and a university: an order, a change of subject, a question
aside about the order, and back. Prints what was decided and why. Exits 1 if anything is not as expected.

Examples:
  mneme demo
  mneme demo --lang cs --dir ./demo && mneme doctor --dir ./demo`
}

// Run plays the conversation and prints each turn when it is done.
func (d *demoCommand) Run(ctx context.Context, con *console) error {
	s, err := e2e.Demo(d.Lang)
	if err != nil {
		return err
	}

	// In a folder of one's own, user and ids are new, so that a second demo does not meet the first.
	c := scenario.Config{Dir: d.Dir, Clock: con.now}
	if d.Dir != "" {
		s.Scope.User, c.NewID = "demo-"+uuid.NewString()[:8], uuid.NewString
	}

	// Each turn is printed when it is done; what printing failed with waits for the end.
	var printed error
	c.Observe = func(r scenario.Report) {
		if d.JSON {
			printed = orError(printed, encode(con.out, turnJSON(r)))
			return
		}
		con.turn(r, len(s.Turns))
	}
	if !d.JSON {
		fmt.Fprintf(con.out, "%s\n\n", con.paint(bold, s.Name))
	}

	// An expectation that does not hold fails the command, as in replay.
	result, err := scenario.Run(ctx, s, c)
	switch {
	case err != nil:
		return err
	case printed != nil:
		return printed
	case !result.OK:
		if !d.JSON {
			fmt.Fprintf(con.out, "%s\n", con.paint(red, counted(len(result.Failures), "expectation")+" of the demo failed"))
		}
		return errUnmet
	case !d.JSON:
		fmt.Fprintf(con.out, "%s in %d ms\n", con.paint(green, "all as expected"), result.MS)
	}
	return nil
}

// turn prints one turn for people.
func (c *console) turn(r scenario.Report, of int) {
	// The number of the turn stands before the first line of what was said.
	said := r.Turn.Command
	if r.Turn.User != nil {
		said = *r.Turn.User
	}
	for i, line := range wrap(said, width-5) {
		number := fmt.Sprintf("%d/%d  ", r.Number, of)
		if i > 0 {
			number = "     "
		}
		fmt.Fprintln(c.out, number+c.paint(bold, line))
	}

	// The fields say what the pipeline made of it.
	d := r.Reply.Decision
	c.field("decision", fmt.Sprintf("%s %s(%.2f) %s", d.Kind, quoted(d.Title), d.Confidence, clip(d.Reasoning, 120)))
	c.field("active", orNone(titles(r.Affairs, state.Active)))
	c.field("parked", orNone(titles(r.Affairs, state.Parked)))
	var tools []string
	for _, t := range r.Reply.Tools {
		tools = append(tools, t.Name)
	}
	c.field("tools", orNone(tools))
	c.field("reply", r.Output)
	c.field("context", sections(r.Reply))
	for _, note := range r.Reply.Trace.Notes {
		c.field("note", note)
	}
	c.field("time", fmt.Sprintf("%.1f ms", float64(r.Took.Microseconds())/1000))

	// Failures come last, where they are seen.
	for _, f := range r.Failures {
		c.field("FAILED", f.String())
	}
	fmt.Fprintln(c.out)
}

// sections lists the tokens of each section of the prompt.
func sections(r graph.Reply) string {
	var parts []string
	for _, s := range r.Trace.Context.Sections {
		if s.Tokens > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s.Name, s.Tokens))
		}
	}
	return fmt.Sprintf("%s = %d tokens", strings.Join(parts, " + "), r.Trace.Context.Tokens)
}

func quoted(title string) string {
	if title == "" {
		return ""
	}
	return fmt.Sprintf("%q ", title)
}

func titles(affairs []*state.Affair, in state.Status) []string {
	out := []string{}
	for _, a := range affairs {
		if a.Status == in {
			out = append(out, a.Title)
		}
	}
	return out
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// turnJSON is one turn as data.
func turnJSON(r scenario.Report) map[string]any {
	context := map[string]int{}
	for _, s := range r.Reply.Trace.Context.Sections {
		context[s.Name] = s.Tokens
	}
	tools := []string{}
	for _, t := range r.Reply.Tools {
		tools = append(tools, t.Name)
	}
	failures := append([]scenario.Failure{}, r.Failures...)
	return map[string]any{
		"turn": r.Number, "user": r.Turn.User, "decision": r.Reply.Decision, "reply": r.Output, "tools": tools,
		"active": titles(r.Affairs, state.Active), "parked": titles(r.Affairs, state.Parked),
		"context_tokens": context, "ms": r.Took.Milliseconds(), "failures": failures,
	}
}
