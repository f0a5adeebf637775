package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// affairFields are what create and edit set.
type affairFields struct {
	Summary   *string  `help:"What is known of it in a few sentences."`
	Fact      []string `sep:"none" placeholder:"LABEL=VALUE" help:"Set a key fact; may be given several times."`
	Pending   []string `sep:"none" help:"What it waits for; may be given several times, and replaces what was there."`
	NoPending bool     `help:"It waits for nothing."`
	Topic     []string `sep:"none" help:"A topic; may be given several times, and replaces what was there."`
}

// wanted returns what the flags ask for.
func (f affairFields) wanted() (memory.AffairChange, error) {
	c := memory.AffairChange{Summary: f.Summary, Topics: f.Topic}
	for _, fact := range f.Fact {
		label, value, ok := strings.Cut(fact, "=")
		if !ok {
			return c, state.Errorf(state.Invalid, "--fact "+fact, "has no =; write label=value")
		}
		c.Facts = append(c.Facts, state.Fact{Label: label, Value: value})
	}
	if len(f.Pending) > 0 || f.NoPending {
		c.Pending = &f.Pending
	}
	return c, nil
}

type affairName struct {
	oneAffair
	Title string `arg:"" help:"The new title."`
}

// Run renames the affair and says so.
func (a *affairName) Run(ctx context.Context, con *console) error {
	return a.change(ctx, con, con.openThere, func(g *opened, before state.Affair) (state.Affair, string, error) {
		if strings.TrimSpace(a.Title) == "" {
			return before, "", state.Errorf(state.Invalid, "rename affair", "the title is empty; give it a few words")
		}
		after, err := g.Memory().Affairs().Edit(ctx, g.scope, before.ID, memory.AffairChange{Title: a.Title})
		if before.Title == after.Title {
			return after, fmt.Sprintf("“%s” is called so already", after.Title), err
		}
		return after, fmt.Sprintf("“%s” is called “%s” now", before.Title, after.Title), err
	})
}

type affairEdit struct {
	oneAffair
	affairFields
	Title    string   `help:"Another title."`
	DropFact []string `sep:"none" placeholder:"LABEL" help:"Take a key fact away; may be given several times."`
}

// Run edits the affair and says what was and what is.
func (a *affairEdit) Run(ctx context.Context, con *console) error {
	return a.change(ctx, con, con.openThere, func(g *opened, before state.Affair) (state.Affair, string, error) {
		c, err := a.wanted()
		if err != nil {
			return before, "", err
		}
		c.Title, c.DropFacts = a.Title, a.DropFact
		if c.Title == "" && c.Summary == nil && c.Pending == nil && len(c.Facts)+len(c.DropFacts)+len(c.Topics) == 0 {
			return before, "", state.Errorf(state.Invalid, "edit affair", "nothing to change; see mneme affairs edit --help")
		}
		after, err := g.Memory().Affairs().Edit(ctx, g.scope, before.ID, c)
		return after, "", err
	})
}

type affairNew struct {
	affairFlags
	affairFields
	Title  string `arg:"" help:"Its title."`
	Resume bool   `help:"Make it the session's active one at once."`
}

// Run opens the affair and says so.
func (a *affairNew) Run(ctx context.Context, con *console) error {
	return oneAffair{affairFlags: a.affairFlags}.change(ctx, con, con.open, func(g *opened, _ state.Affair) (state.Affair, string, error) {
		c, err := a.wanted()
		if err != nil {
			return state.Affair{}, "", err
		}
		if a.Resume {
			if err := g.takeSession(ctx); err != nil {
				return state.Affair{}, "", err
			}
		}
		x, err := g.Memory().Affairs().Create(ctx, g.scope, a.Title, c)
		if err == nil && a.Resume {
			err = g.beginSession(ctx)
		}
		if err == nil && a.Resume {
			x, err = g.Memory().Affairs().Move(ctx, g.scope, x.ID, state.Active, "")
		}
		return x, fmt.Sprintf("“%s” is opened, and %s", x.Title, strings.ToLower(string(x.Status))), err
	})
}

// beginSession begins the session if it is not there, for what is new and leaves no other.
func (o *opened) beginSession(ctx context.Context) error {
	s, err := o.Memory().Sessions().Get(ctx, o.scope)
	if err == nil && s.ID == "" {
		_, err = o.Memory().Sessions().Edit(ctx, o.scope, sessions.Change{New: true})
	}
	return err
}

type affairMerge struct {
	oneAffair
	Into string `arg:"" help:"The affair that is kept, named in the same way."`
}

// Run merges the affairs and says so.
func (a *affairMerge) Run(ctx context.Context, con *console) error {
	return a.change(ctx, con, con.openThere, func(g *opened, before state.Affair) (state.Affair, string, error) {
		into, err := g.affairNamed(ctx, a.Into)
		if err != nil {
			return before, "", err
		}
		after, err := g.Memory().Affairs().Merge(ctx, g.scope, before.ID, into)
		return after, fmt.Sprintf("“%s” is merged into “%s”", before.Title, after.Title), err
	})
}
