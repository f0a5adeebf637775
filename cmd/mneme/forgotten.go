package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// This file says what forgetting would take, and what it took, in words that a user knows.

// mostNamed is how many things are listed by name.
const mostNamed = 20

// wouldGo says what would go; nothing is erased.
func (c *console) wouldGo(o state.Order, title string, asJSON bool) error {
	if asJSON {
		if err := encode(c.out, o); err != nil {
			return err
		}
		return spared(o)
	}
	c.showGoing(o, title+" would go:")
	return told(spared(o))
}

// showGoing lists what goes and what is spared.
func (c *console) showGoing(o state.Order, head string) {
	c.println(head)
	c.items(o.Would)
	c.println("With it go the answers to it, and what was made of it.")
	c.staying(o)
}

// items lists things, each with its day and its first words.
func (c *console) items(list []state.OrderItem) {
	const letters = 70
	for _, item := range list[:min(len(list), mostNamed)] {
		from := ""
		if item.Session != "" {
			from = ", session " + item.Session
		}
		c.println(fmt.Sprintf("  %-10s %s%s: %s", item.Kind, c.column(item.At), from, clip(item.Text, letters)))
	}
	if more := len(list) - mostNamed; more > 0 {
		c.println(fmt.Sprintf("  and %d more", more))
	}
}

// staying lists what stays although it is meant.
func (c *console) staying(o state.Order) {
	if n := len(o.Spared); n > 0 {
		c.println(fmt.Sprintf("Pinned, so it stays: %d (with --pinned it goes too)", n))
		c.items(o.Stays)
	}
	if len(o.Copies) > 0 {
		c.println("Forked sessions keep copies of it: " + strings.Join(o.Copies, ", ") + " (mneme forget --all session --session NAME)")
	}
}

// erased prints a receipt.
func (c *console) erased(o state.Order, title string, asJSON bool) error {
	if asJSON {
		if err := encode(c.out, o); err != nil {
			return err
		}
		return spared(o)
	}

	// What is left of it, and where that cannot be told.
	var left []string
	for _, l := range o.Layers {
		if l.Left > 0 {
			left = append(left, fmt.Sprintf("%d of %s", l.Left, l.Name))
		}
	}
	c.println(title + " is erased: " + strings.Join(went(o), ", "))
	if c.println("A look afterwards found nothing of it."); len(left) > 0 {
		c.println("A look afterwards still found " + strings.Join(left, ", "))
	}
	for _, l := range o.Layers {
		if l.Note != "" {
			c.println(l.Name + ": " + l.Note)
		}
	}
	c.staying(o)
	return told(spared(o))
}

// went says in words what an order has erased.
func went(o state.Order) (out []string) {
	for _, l := range o.Layers {
		name, known := map[string]string{
			"messages": "message", "cut": "message without a sentence", "records": "record", "affairs": "affair", "sessions": "session", "suggestions": "suggestion",
			"overrides": "setting",
		}[l.Name]
		if known && l.Count > 0 {
			out = append(out, inWords(l.Count, name))
		}
	}
	return out
}

// spared is the error of an order that spares what is pinned.
func spared(o state.Order) error {
	if len(o.Spared) == 0 {
		return nil
	}
	return state.Errorf(state.Conflict, "forget", "what is pinned stays (%d); unpin it, or give --pinned", len(o.Spared))
}

// told is an error that the user has read already.
func told(err error) error {
	if err == nil {
		return nil
	}
	return printed{err}
}

func countItems(o state.Order, kinds ...string) (n int) {
	for _, item := range o.Would {
		if slices.Contains(kinds, item.Kind) {
			n++
		}
	}
	return n
}

// inWords is a number of things.
func inWords(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if first, rest, ok := strings.Cut(thing, " without"); ok {
		return fmt.Sprintf("%d %ss without%s", n, first, rest)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
