package compose

import (
	"fmt"
	"math"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// contextHeading is the first line of the context block.
const contextHeading = "# Context " + quote.FromMemory

// section is one part of the context block while it is filled. Its slots print in their order, whatever order they
// were filled in; a slot's lead is a line that comes before its first line.
type section struct {
	name    string
	heading string
	late    bool // it stands behind the history
	budget  int  // tokens
	used    int
	lines   int
	slots   []slot
}

type slot struct {
	lead  string
	lines []string
}

// verdict says what became of a line.
type verdict int

const (
	kept    verdict = iota
	overCap         // no room in the prompt
	overOwn         // no room in the section's share
)

// put adds a line to a slot of the section when it fits into the section's budget and into the prompt. It notes the
// line either way.
func (d *draft) put(s *section, slot int, l Line) verdict {
	return d.putSized(s, slot, l, d.meter.line(l.Text))
}

func (d *draft) putSized(s *section, slot int, l Line, cost size) verdict {
	p := d.price(s, slot, cost)
	l.Section, l.Tokens = s.name, cost.tokens
	switch {
	case s.used+p.own > s.budget:
		d.drop(l, fmt.Sprintf("over the %s's share of %d tokens", strings.ToLower(s.name[:1])+s.name[1:], s.budget))
		return overOwn
	case !d.left.holds(p.all):
		d.drop(l, d.full(p.all))
		return overCap
	}

	d.left = d.left.minus(p.all)
	d.framed[s.late] = true
	s.used += p.own
	s.lines++
	s.slots[slot].lines = append(s.slots[slot].lines, l.Text)
	d.lines = append(d.lines, l)
	return kept
}

// drop notes a line that is left out.
func (d *draft) drop(l Line, reason string) {
	l.Dropped, l.Reason = true, reason
	if l.Tokens == 0 {
		l.Tokens = d.meter.line(l.Text).tokens
	}
	d.lines = append(d.lines, l)
}

// full returns the reason why something of this size does not fit into the prompt.
func (d *draft) full(cost size) string {
	if cost.tokens <= d.left.tokens {
		return fmt.Sprintf("%d characters left of max_context_chars (%d)", d.left.chars, d.c.settings.MaxContextChars)
	}
	if d.limit == 0 {
		return fmt.Sprintf("%d tokens left of context_window (%d)", d.left.tokens, d.c.settings.ContextWindow)
	}
	return fmt.Sprintf("%d tokens left of max_tokens (%d)", d.left.tokens, d.c.settings.MaxTokens)
}

// price is what a line of this size costs where it would stand: with the headings that come with it, and with the frame of the
// block if it is the first line of all.
type price struct {
	all size
	own int // tokens charged to the section
}

func (d *draft) price(s *section, slot int, cost size) price {
	if len(s.slots[slot].lines) == 0 && s.slots[slot].lead != "" {
		cost = cost.plus(d.meter.line(s.slots[slot].lead))
	}
	if s.lines == 0 {
		cost = cost.plus(d.meter.line(s.heading))
	}
	if d.framed[s.late] {
		return price{cost, cost.tokens}
	}
	return price{cost.plus(d.meter.line(contextHeading)).plus(size{tokens: messageTokens}), cost.tokens}
}

// roomIn returns the most that a line put into the slot now may cost, without what comes with it.
func (d *draft) roomIn(s *section, slot int) size {
	none := d.meter.line("")
	p := d.price(s, slot, none)
	room := d.left.minus(p.all).plus(none)
	return room.within(s.budget - s.used - p.own + none.tokens)
}

// putCut is put for a line that is shortened if it has more than limit tokens. A shorter one is in whole or not: half a
// number is worse than none.
func (d *draft) putCut(s *section, slot int, l Line, limit int) verdict {
	return d.putShort(s, slot, l, size{limit, math.MaxInt / 2})
}

// putFit is put for running text: it is shortened to limit tokens and to the room there is.
func (d *draft) putFit(s *section, slot int, l Line, limit int) verdict {
	return d.putShort(s, slot, l, d.roomIn(s, slot).within(limit))
}

func (d *draft) putShort(s *section, slot int, l Line, limit size) verdict {
	cost := d.meter.line(l.Text)
	if limit.holds(cost) {
		return d.putSized(s, slot, l, cost)
	}
	if short := d.meter.cut(l.Text, limit); short != "" {
		l.Text, l.Reason = short, fmt.Sprintf("shortened from %d tokens", cost.tokens)
	}
	return d.put(s, slot, l)
}

// used is about how many bytes the block has.
func (d *draft) used() int {
	sum := len(contextHeading)
	for _, s := range d.layout() {
		for _, slot := range s.slots {
			for _, line := range slot.lines {
				sum += len(line) + 1
			}
		}
		sum += len(s.heading) + 64
	}
	return sum
}

// message returns the context block in the order of its layout, or what of it stands behind the history; nil when nothing is in it.
func (d *draft) message(late bool) *Message {
	if !d.framed[late] {
		return nil
	}
	var b strings.Builder
	b.Grow(d.used())
	b.WriteString(contextHeading)
	last := ""
	for _, s := range d.layout() {
		if s.lines == 0 || s.late != late {
			continue
		}
		b.WriteString("\n" + s.heading)
		for _, slot := range s.slots {
			if len(slot.lines) > 0 && slot.lead != "" {
				b.WriteString("\n" + slot.lead)
			}
			for _, last = range slot.lines {
				b.WriteString("\n" + last)
			}
		}
	}
	spare := d.meter.line(last).minus(d.meter.text(last)) // every line was charged with its line end
	if spare.tokens < 0 {
		b.WriteByte('\n')
		spare = size{}
	}
	d.left = d.left.plus(spare)
	return &Message{Role: state.RoleUser, Text: b.String()}
}
