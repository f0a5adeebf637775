package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/e2e"
	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

type demoCommand struct {
	Lang string `help:"Language of the conversation: en, cs, pl or ru." default:"en"`
	Dir  string `group:"whose" help:"Keep the store in this folder; each run is a user of its own." placeholder:"DIR"`
	JSON bool   `name:"json" help:"One JSON object for each turn of the conversation, and nothing after it."`

	PlayTurn bool `name:"play-turn" hidden:"" help:"Play the turn on standard input and die in it."`
}

// Help is printed by mneme demo --help.
func (demoCommand) Help() string {
	return `Plays a conversation of five turns about a car part and a university: an order, a change of subject, a question
aside about the order, and on with the university. It prints what was decided in each turn, and why. Then a fact is corrected,
the process is killed in the middle of a turn, a decision is explained, the correction is undone, and the fact is
erased. Exits 1 if anything is not as expected.

Examples:
  mneme demo
  mneme demo --lang cs --dir ./demo && mneme doctor --dir ./demo`
}

// Run plays the conversation and what follows it, and prints each part when it is done.
func (d *demoCommand) Run(ctx context.Context, con *console) (err error) {
	if d.PlayTurn {
		return scenario.PlayTurn(ctx, con.in, con.out)
	}
	s, err := e2e.Demo(d.Lang)
	if err != nil {
		return err
	}
	c, remove, err := d.place(con, &s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()

	// Each turn is printed when it is done; what printing failed with waits for the end.
	var printed error
	var said []scenario.Report
	c.Observe = func(r scenario.Report) {
		said = append(said, r)
		if d.JSON {
			printed = cmp.Or(printed, encode(con.out, turnJSON(r)))
			return
		}
		con.turn(r)
	}
	if !d.JSON {
		fmt.Fprintf(con.out, "%s\n\n", con.paint(bold, s.Name))
	}

	// An expectation that does not hold fails the command, as in replay. The sequel is for people, and stands on what was as expected.
	began := con.now()
	result, err := scenario.Run(ctx, s, c)
	unmet := len(result.Failures)
	if err == nil && unmet == 0 && !d.JSON {
		unmet, err = con.sequel(ctx, s, c, said)
	}
	switch {
	case err != nil:
		return err
	case printed != nil:
		return printed
	case unmet > 0:
		if !d.JSON {
			fmt.Fprintf(con.out, "%s\n", con.paint(red, counted(unmet, "expectation")+" of the demo failed"))
		}
		return errUnmet
	case !d.JSON:
		fmt.Fprintf(con.out, "%s in %d ms\n", con.paint(green, "all as expected"), con.now().Sub(began).Milliseconds())
	}
	return nil
}

// place says where the conversation is played, and how a process is started that one of its turns kills. remove deletes a temporary folder.
func (d *demoCommand) place(con *console, s *scenario.Scenario) (c scenario.Config, remove func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, nil, state.Errorf(state.Unavailable, "demo", "does not find its own program, which a crash needs: %w", err)
	}
	c = scenario.Config{Dir: d.Dir, Clock: con.now, Child: []string{self, "demo", "--play-turn"}}
	if d.JSON {
		s.Turns = s.Turns[:e2e.DemoTurns]
	}

	// In a folder of one's own, user and ids are new, so that a second demo does not meet the first.
	if d.Dir != "" {
		s.Scope.User, c.NewID = "demo-"+uuid.NewString()[:8], uuid.NewString
		return c, func() error { return nil }, nil
	}
	if c.Dir, err = os.MkdirTemp("", "mneme-demo-"); err != nil {
		return c, nil, state.Errorf(state.Unavailable, "demo", "no temporary folder: %w", err)
	}
	return c, func() error { return os.RemoveAll(c.Dir) }, nil
}

// turn prints one turn for people.
func (c *console) turn(r scenario.Report) {
	// The number of the turn stands before the first line of what was said; those of the sequel are no part of the five.
	said := r.Turn.Command
	if r.Turn.User != nil {
		said = *r.Turn.User
	}
	for i, line := range wrap(said, width-5) {
		number := "     "
		switch {
		case i == 0 && r.Number <= e2e.DemoTurns:
			number = fmt.Sprintf("%d/%d  ", r.Number, e2e.DemoTurns)
		case i == 0:
			number = fmt.Sprintf("%-5d", r.Number)
		}
		fmt.Fprintln(c.out, number+c.paint(bold, line))
	}

	// The fields say what the pipeline made of it. Of the sequel only what is new is shown.
	d := r.Reply.Decision
	if r.Turn.Crash != nil {
		c.field("crash", "the process was killed "+killedAt(*r.Turn.Crash)+"; another one went on from there")
	}
	c.field("reply", r.Output)
	if r.Number <= e2e.DemoTurns {
		c.field("decision", decided(d))
		c.field("active", fmt.Sprintf("%s; parked: %s", cmp.Or(strings.Join(titles(r.Affairs, state.Active), ", "), "none"), cmp.Or(strings.Join(titles(r.Affairs, state.Parked), ", "), "nothing")))
		c.field("tools", cmp.Or(strings.Join(toolsOf(r.Reply), ", "), "none"))
		c.field("context", sections(r.Reply))
		for _, note := range r.Reply.Trace.Notes {
			c.field("note", note)
		}
	}
	c.field("time", fmt.Sprintf("%.1f ms", float64(r.Took.Microseconds())/1000))

	// Failures come last, where they are seen.
	for _, f := range r.Failures {
		c.field("FAILED", f.String())
	}
	fmt.Fprintln(c.out)
}

// killedAt says in words when the process of a turn was killed.
func killedAt(c scenario.Crash) string {
	if c.After && c.Tool != "" {
		return "when the tool " + c.Tool + " had answered"
	}
	return c.Place()
}

// decided describes a decision with its affair, which is named once.
func decided(d state.Decision) string {
	text := fmt.Sprintf("%s %.2f", d.Kind, d.Confidence)
	if d.Title != "" && !strings.Contains(d.Reasoning, d.Title) {
		text += fmt.Sprintf(" “%s”", d.Title)
	}
	return strings.TrimSuffix(text+": "+clip(d.Reasoning, 120), ": ")
}

// sections lists the tokens of each section of the prompt.
func sections(r graph.Reply) string {
	var parts []string
	for _, s := range r.Trace.Context.Sections {
		if s.Tokens > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s.Name, s.Tokens))
		}
	}
	return fmt.Sprintf("%d tokens: %s", r.Trace.Context.Tokens, strings.Join(parts, ", "))
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

// toolsOf returns the names of the tools that were called.
func toolsOf(r graph.Reply) []string {
	names := []string{}
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// turnJSON describes one turn as data.
func turnJSON(r scenario.Report) map[string]any {
	context := map[string]int{}
	for _, s := range r.Reply.Trace.Context.Sections {
		context[s.Name] = s.Tokens
	}
	failures := append([]scenario.Failure{}, r.Failures...)
	return map[string]any{
		"turn": r.Number, "user": r.Turn.User, "decision": r.Reply.Decision, "reply": r.Output, "tools": toolsOf(r.Reply),
		"active": titles(r.Affairs, state.Active), "parked": titles(r.Affairs, state.Parked),
		"context_tokens": context, "ms": r.Took.Milliseconds(), "failures": failures,
	}
}
