package compose

import (
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// round is one step of the turn: the model's message and the results of its tool calls.
type round []*piece

// piece is a message of the turn: as it was, and as it is in for now.
type piece struct {
	full, now Message
	of        subject // what its text is
}

func (p *piece) short() bool {
	return p.now.Text != p.full.Text || p.now.Reasoning != p.full.Reasoning || p.now.Sealed != p.full.Sealed || len(p.now.Parts) != len(p.full.Parts) ||
		!slices.Equal(p.now.ToolCalls, p.full.ToolCalls)
}

// keepTurn places the rounds of the turn in their shortest form, newest first. The oldest are dropped if not even that
// fits.
func (d *draft) keepTurn() {
	groups := d.pair(Turn, d.in.Turn)
	for i, group := range slices.Backward(groups) {
		var r round
		var cost size
		for _, m := range group {
			p := d.piece(m)
			if p.full.Text == "" && len(p.full.ToolCalls) == 0 && len(p.full.Parts) == 0 && p.full.Role != state.RoleTool {
				continue
			}
			r = append(r, p)
			cost = cost.plus(d.meter.message(p.now))
		}

		if !d.left.holds(cost) {
			d.drop(Line{Section: Turn, Text: fmt.Sprintf("%d first steps", i+1), Count: i + 1, Why: "this turn so far"}, d.full(cost))
			break
		}

		d.left = d.left.minus(cost)
		d.spent[Turn] += cost.tokens
		d.rounds = append(d.rounds, r)
	}
	slices.Reverse(d.rounds)
}

// piece returns a message with its shortest form.
func (d *draft) piece(m state.Message) *piece {
	text, parts := d.media(m)
	full := Message{
		Role: m.Role, Text: text, Parts: parts, Reasoning: valid(m.Reasoning), Sealed: m.Sealed,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, ToolName: m.ToolName,
		Of: d.originOf(m),
	}
	if len(full.ToolCalls) == 0 {
		full.Reasoning, full.Sealed = "", ""
	}

	p := &piece{full: full, of: subjectOf(m)}
	limit := smallText
	if m.Role == state.RoleTool {
		limit = messageTokens // less than the mark takes: the mark alone, or a text as short
	}

	mark := d.meter.text(leftOut(len(text), len(text), p.of))
	p.now = d.form(p, size{max(limit, mark.tokens), max(limit*charsPerToken, mark.chars)})
	return p
}

// form returns a message of the turn without its reasoning, its parts by name, long arguments left out and its text shortened to
// limit.
func (d *draft) form(p *piece, limit size) Message {
	m := p.full
	m.Reasoning, m.Sealed, m.ToolCalls = "", "", d.calls(m.ToolCalls)
	d.shorten(&m, limit, p.of)
	m.omitParts()
	return m
}

// growTurn gives the rounds back what was taken, newest first, as long as the turn stays within limit tokens.
func (d *draft) growTurn(limit int) {
	for _, r := range slices.Backward(d.rounds) {
		for _, p := range slices.Backward(r) {
			if p.short() {
				d.grow(p, limit)
			}
		}
	}
}

func (d *draft) grow(p *piece, limit int) {
	was := d.meter.message(p.now)
	room := d.left.within(max(0, limit-d.spent[Turn])).plus(was)
	for _, form := range d.forms(p, room) {
		if !d.meter.fits(form.Text, room) {
			continue
		}
		if cost := d.meter.message(form); room.holds(cost) {
			d.left = d.left.plus(was).minus(cost)
			d.spent[Turn] += cost.tokens - was.tokens
			p.now = form
			return
		}
	}
}

// forms returns the ways to show a message of the turn, the fullest first.
func (d *draft) forms(p *piece, room size) []Message {
	plain := p.full
	plain.Reasoning, plain.Sealed = "", ""
	plain.omitParts()
	bare := piece{full: p.full}
	bare.full.Text = ""
	short := d.form(p, room.minus(d.meter.message(d.form(&bare, room))))
	out := []Message{p.full, plain}
	if len(short.Text) > len(p.now.Text) {
		out = append(out, short)
	}
	return out
}
