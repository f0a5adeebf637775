package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// This file tells of what was ordered to be erased.

// prove prints an order with what a probe finds now. That something is left, or waited for, is status 1.
func (f *forgetCommand) prove(ctx context.Context, con *console, g *opened) error {
	p, err := g.Memory().Forget().Prove(ctx, g.scope, f.Prove, true)
	if err != nil {
		return err
	}
	if f.JSON {
		err = encode(con.out, p)
	} else {
		con.proof(p)
	}
	if err == nil && !p.Proves() {
		err = errUnmet // what is left is listed
	}
	return err
}

// proof prints a proof to be read.
func (c *console) proof(p forget.Proof) {
	c.field("order", p.ID)
	c.field("erased", strings.TrimSpace(p.What+" "+p.Name))
	c.field("asked", c.at(p.At)+" by "+whoAsked(p.By))
	switch {
	case !p.DoneAt.IsZero():
		c.field("done", c.at(p.DoneAt))
	case len(p.Held) > 0:
		c.field("waits", "for what is held: "+strings.Join(p.Held, ", ")+" (mneme hold)")
	default:
		c.field("not done", "it was cut short in "+p.Stage+"; mneme forget goes on with it")
	}
	if !p.AgainAt.IsZero() {
		c.field("again", c.at(p.AgainAt)+", in this store, which was from before it")
	}
	if len(p.Spared) > 0 {
		c.field("stays", "pinned: "+strings.Join(p.Spared, ", "))
	}
	rows := [][]string{{"LAYER", "ERASED", "FOUND NOW", "NOTE"}}
	for _, l := range p.Layers {
		rows = append(rows, []string{l.Name, fmt.Sprint(l.Count), fmt.Sprint(l.Left), cmp.Or(l.Note, "-")})
	}
	table(c.out, rows)
	for _, l := range p.Outside {
		text := fmt.Sprintf("line %d of the ledger, %s: %s", l.Seq, c.at(l.At), l.Said)
		for _, h := range l.Held {
			text += ", record " + h.Record + " is held by " + cmp.Or(h.By.User, "somebody")
		}
		c.println(text)
	}
	switch {
	case p.Left > 0:
		c.println(fmt.Sprintf("%d of it are there", p.Left))
	case p.Proves():
		c.println("nothing of it is there")
	}
}

// whoAsked names who had something erased.
func whoAsked(by state.By) string {
	return strings.TrimSpace(string(by.Who)+" "+by.User) + ", by way of " + cmp.Or(by.Path, "an api")
}

// orders lists what was ordered to be erased of the user.
func (f *forgetCommand) orders(ctx context.Context, con *console, g *opened) error {
	all, err := g.Memory().Forget().Orders(ctx, g.scope)
	if err != nil {
		return err
	}
	if f.JSON {
		return encodeEach(con.out, all)
	}
	rows := [][]string{{"ORDER", "ASKED", "BY", "WHAT", "DONE"}}
	for _, o := range all {
		done := "not yet"
		switch {
		case !o.DoneAt.IsZero():
			done = con.column(o.DoneAt)
		case len(o.Held) > 0:
			done = "waits for what is held"
		}
		rows = append(rows, []string{o.ID, con.column(o.At), string(o.By.Who), strings.TrimSpace(o.What + " " + o.Name), done})
	}
	con.rows(fmt.Sprintf("nothing of user %s was erased", g.scope.User), rows)
	return nil
}
