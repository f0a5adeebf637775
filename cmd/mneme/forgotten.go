package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// This file says what forgetting would take, and what it took, in words that a user knows.

// mostNamed is how many things are listed by name.
const mostNamed = 20

// wouldGo says what would go; nothing is erased.
func (c *console) wouldGo(o state.Order, title string, asJSON bool) error {
	if !asJSON {
		c.showGoing(o, title+" would go:")
	}
	return c.end(o, asJSON)
}

// end prints an order where that is JSON. That something was spared is an error, which people have read by then.
func (c *console) end(o state.Order, asJSON bool) (err error) {
	if len(o.Held) > 0 {
		err = state.Errorf(state.Conflict, "forget", "what is held stays (%d) until it is released: mneme hold", len(o.Held))
	}
	if len(o.Spared) > 0 {
		err = state.Errorf(state.Conflict, "forget", "what is pinned stays (%d); unpin it, or give --pinned", len(o.Spared))
	}
	switch {
	case asJSON:
		return cmp.Or(encode(c.out, o), err)
	case err != nil:
		return printed{err}
	}
	return nil
}

// showGoing lists what goes and what is spared. Its numbers are those that --expect takes and that the receipt has.
func (c *console) showGoing(o state.Order, head string) {
	c.println(head)
	c.items(o.Would)
	that := "That is " + cmp.Or(strings.Join(named(o), ", "), "nothing that was said")
	if forget.Messages(o) > 0 {
		that += fmt.Sprintf(" (--expect %d)", forget.Messages(o))
	}
	c.println(that + ". With it go " + strings.Join(append(along(o, o, planned), "what was made of it"), ", ") + ".")
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
	}
	if n := len(o.Held); n > 0 {
		c.println(fmt.Sprintf("Held, so it stays until it is released: %d (mneme hold)", n))
	}
	c.items(o.Stays)
	if len(o.Copies) > 0 {
		c.println("Forked sessions keep copies of it: " + strings.Join(o.Copies, ", ") + " (mneme forget --all session --session NAME)")
	}
}

// erased prints a receipt of what was shown before, which is nothing where it was agreed to earlier.
func (c *console) erased(o, would state.Order, title string, asJSON bool) error {
	if asJSON {
		return c.end(o, true)
	}

	// What is left of it, and where that cannot be told.
	var left []string
	for _, l := range o.Layers {
		if l.Left > 0 {
			left = append(left, fmt.Sprintf("%d of %s", l.Left, l.Name))
		}
	}
	what, with := named(would), along(would, o, erasedOf)
	if len(what) == 0 {
		what, with = with, nil
	}
	line := title + " is erased: " + cmp.Or(strings.Join(what, ", "), "what was left of it")
	if len(with) > 0 {
		line += ", and with it " + strings.Join(with, ", ")
	}
	c.println(line)
	if c.println("A look afterwards found nothing of it."); len(left) > 0 {
		c.println("A look afterwards still found " + strings.Join(left, ", "))
	}
	if o.ID != "" {
		c.println("It can be proved later: mneme forget --prove " + o.ID)
	}
	for _, l := range o.Layers {
		if l.Note != "" {
			c.println(l.Name + ": " + l.Note)
		}
	}
	c.staying(o)
	return c.end(o, false)
}

// named counts what an order names one by one.
func named(would state.Order) (out []string) {
	if n, part := forget.Messages(would), forget.Items(would, "sentence"); n > 0 {
		text := counted(n, "message")
		switch {
		case part == 1 && n == 1:
			text += " (only a part of it)"
		case part > 0:
			text += fmt.Sprintf(" (of %d only a part)", part)
		}
		out = append(out, text)
	}
	for _, kind := range []string{"record", "affair", "suggestion"} {
		if n := forget.Items(would, kind); n > 0 {
			out = append(out, counted(n, kind))
		}
	}
	return out
}

// The numbers of a layer.
func planned(l state.OrderLayer) int  { return l.Plan }
func erasedOf(l state.OrderLayer) int { return l.Count }

// along counts what goes besides what is named one by one. Where nothing is named that is all.
func along(would, o state.Order, count func(state.OrderLayer) int) (out []string) {
	for _, l := range o.Layers {
		thing, known := map[string]string{
			"messages": "message", "records": "record", "affairs": "affair", "sessions": "session", "suggestions": "suggestion", "settings": "setting",
		}[l.Name]
		besides := forget.Items(would, thing)
		n := count(l) - besides
		if !known || n <= 0 {
			continue
		}
		switch text := counted(n, thing); {
		case thing == "message" && forget.Messages(would) > 0:
			out = append(out, counted(n, "more message")+" (answers, tool results, what was undone)")
		case thing == "record" && besides > 0:
			out = append(out, counted(n, "earlier record"))
		default:
			out = append(out, text)
		}
	}
	return out
}
