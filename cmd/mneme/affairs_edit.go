package main

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/memory"
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

// change is what the flags ask for.
func (f affairFields) change() (memory.AffairChange, error) {
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

// Run renames the affair and prints it.
func (a *affairName) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened, id string) (state.Affair, error) {
		if strings.TrimSpace(a.Title) == "" {
			return state.Affair{}, state.Errorf(state.Invalid, "rename affair", "the title is empty; give it a few words")
		}
		return g.Memory().EditAffair(ctx, g.scope, id, memory.AffairChange{Title: a.Title})
	})
}

type affairEdit struct {
	oneAffair
	affairFields
	Title    string   `help:"Another title."`
	DropFact []string `sep:"none" placeholder:"LABEL" help:"Take a key fact away; may be given several times."`
}

// Run edits the affair and prints it.
func (a *affairEdit) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened, id string) (state.Affair, error) {
		c, err := a.change()
		if err != nil {
			return state.Affair{}, err
		}
		c.Title, c.DropFacts = a.Title, a.DropFact
		if c.Title == "" && c.Summary == nil && c.Pending == nil && len(c.Facts)+len(c.DropFacts)+len(c.Topics) == 0 {
			return state.Affair{}, state.Errorf(state.Invalid, "edit affair", "nothing to change; see mneme affairs edit --help")
		}
		return g.Memory().EditAffair(ctx, g.scope, id, c)
	})
}

type affairNew struct {
	affairFlags
	affairFields
	Title  string `arg:"" help:"Its title."`
	Resume bool   `help:"Make it the session's active one at once."`
}

// Run opens the affair and prints it.
func (a *affairNew) Run(ctx context.Context, con *console) error {
	a.makes = true
	return oneAffair{affairFlags: a.affairFlags}.print(ctx, con, func(g *opened, _ string) (state.Affair, error) {
		c, err := a.change()
		if err != nil {
			return state.Affair{}, err
		}
		if a.Resume {
			if err := g.takeSession(ctx); err != nil {
				return state.Affair{}, err
			}
		}
		x, err := g.Memory().CreateAffair(ctx, g.scope, a.Title, c)
		if err == nil && a.Resume {
			err = g.beginSession(ctx)
		}
		if err == nil && a.Resume {
			x, err = g.Memory().MoveAffair(ctx, g.scope, x.ID, state.Active, "")
		}
		return x, err
	})
}

// beginSession begins the session if it is not there, for what is new and leaves no other.
func (o *opened) beginSession(ctx context.Context) error {
	s, err := o.Memory().Session(ctx, o.scope)
	if err == nil && s.ID == "" {
		_, err = o.Memory().EditSession(ctx, o.scope, memory.SessionChange{New: true})
	}
	return err
}

type affairMerge struct {
	oneAffair
	Into string `arg:"" help:"The affair that is kept, named in the same way."`
}

// Run merges the affairs and prints the one that is kept.
func (a *affairMerge) Run(ctx context.Context, con *console) error {
	return a.print(ctx, con, func(g *opened, id string) (state.Affair, error) {
		into, err := g.affairNamed(ctx, a.Into)
		if err != nil {
			return state.Affair{}, err
		}
		return g.Memory().MergeAffairs(ctx, g.scope, id, into)
	})
}
