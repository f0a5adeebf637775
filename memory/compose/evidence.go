package compose

import (
	"fmt"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// evidenceLine returns the piece as it stands in the prompt, "" when it does not fit into limit. Its source is kept whole:
// what is shortened is the text.
func (d *draft) evidenceLine(text, source string, limit size) (line string, short bool) {
	if source = d.meter.cut(quote.Line(source), size{sourceTokens, math.MaxInt / 2}); source != "" {
		source = " (" + source + ")"
	}

	if line := "- " + text + source; limit.holds(d.meter.line(line)) {
		return line, false
	}
	if d.meter.line(text).tokens <= pendingLine {
		return "", false // as with facts: whole or not
	}

	for spare := limit.minus(d.meter.line("-" + source)); spare.tokens > 1; spare.tokens-- {
		short := d.meter.cut(text, spare)
		if short == "" {
			break
		}
		if line := "- " + short + source; limit.holds(d.meter.line(line)) {
			return line, true
		}
	}
	return "", false
}

// mustNeeds returns what evidence that must be in would take.
func (d *draft) mustNeeds() int {
	sum := 0
	for _, e := range d.in.Evidence {
		if e.Must {
			sum += min(evidenceLine, d.meter.text(e.Text).tokens+d.meter.text(e.Source).tokens+messageTokens)
		}
	}
	return sum
}

// must places the evidence that must be in; it is shortened rather than dropped. What is not to be shown goes into the account.
func (d *draft) must() {
	for i, e := range d.in.Evidence {
		text := quote.Item(e.Text)
		switch {
		case e.Out != "":
			d.drop(Line{Section: EvidenceLines, Text: "- " + text, Why: e.because(), Of: e.Of}, e.Out)
		case e.Must && d.fresh(e, text):
			d.putEvidence(i, text, d.roomIn(&d.recalled, i).within(evidenceLine))
		}
		d.placed[i] = e.Must || e.Out != ""
	}
}

// sureEvidence places what the session (context_budget_search) and all else (context_budget_longterm) are sure of, best first, so that
// neither pushes the other out.
func (d *draft) sureEvidence() {
	if d.left.tokens <= d.c.settings.EvidenceFrom {
		return
	}

	s := d.c.settings
	sure := map[bool]int{true: d.budget(s.BudgetSearch), false: d.budget(s.BudgetLongterm)}
	for i, e := range d.in.Evidence {
		text, rest := quote.Item(e.Text), sure[e.Here]
		if d.placed[i] || rest <= 0 {
			continue
		}

		line, _ := d.evidenceLine(text, e.Source, size{evidenceLine, d.left.chars})
		cost := d.price(&d.recalled, i, d.meter.line(line)).own
		if line == "" || cost > rest {
			sure[e.Here] = 0
			continue
		}
		if d.placed[i] = true; d.fresh(e, text) && d.putEvidence(i, text, size{evidenceLine, d.left.chars}) == kept {
			sure[e.Here] -= cost
		}
	}
}

// evidence places the rest, best first, as long as more than context_evidence_from tokens are left when it begins. When one piece finds
// no room no weaker one is tried.
func (d *draft) evidence() {
	from, dropped, stop := d.c.settings.EvidenceFrom, 0, ""
	if d.left.tokens <= from {
		stop = fmt.Sprintf("%d tokens left, evidence needs more than %d", d.left.tokens, from)
	}

	// The best comes first; the first piece without room ends it, so that no worse one gets in.
	for i, e := range d.in.Evidence {
		if d.placed[i] {
			continue
		}
		switch text := quote.Item(e.Text); {
		case !d.fresh(e, text):
		case stop == "":
			if d.putEvidence(i, text, size{evidenceLine, d.left.chars}) != kept {
				stop = "a better piece found no room"
			}
		case dropped < listedAtMost:
			dropped++
			d.drop(Line{Section: EvidenceLines, Text: "- " + text, Why: e.because(), Of: e.Of}, stop)
		default:
			dropped++
		}
	}

	if more := dropped - listedAtMost; more > 0 {
		d.drop(Line{Section: EvidenceLines, Text: fmt.Sprintf("%d more", more), Count: more, Why: "recalled"}, stop)
	}
}

// associations places what only resembles what is spoken of, best first, as much as their budget holds.
func (d *draft) associations() {
	for _, e := range d.in.Associations {
		piece := quote.Item(e.Text)
		if !d.fresh(e, piece) {
			continue
		}
		if d.put(&d.associated, 0, Line{Text: "- " + piece, Why: e.because(), Of: e.Of}) == kept {
			d.seen[piece] = true
		}
	}
}

// putEvidence places the piece number i, which stands at its rank whenever it is placed.
func (d *draft) putEvidence(i int, text string, limit size) verdict {
	e := d.in.Evidence[i]
	line, short := d.evidenceLine(text, e.Source, limit)
	l := Line{Section: EvidenceLines, Text: line, Why: e.because(), Of: e.Of}
	if line == "" {
		l.Text = "- " + text
		d.drop(l, d.full(size{tokens: math.MaxInt}))
		return overCap
	}
	if short {
		l.Reason = fmt.Sprintf("shortened from %d tokens", d.meter.line("- "+text).tokens)
	}
	v := d.put(&d.recalled, i, l)
	d.seen[text] = d.seen[text] || v == kept
	return v
}

// fresh reports whether a piece says something, and not word for word what is in already; it notes one that does that.
func (d *draft) fresh(e Evidence, piece string) bool {
	if d.seen[piece] || !e.Must && d.saysNoMore(piece) {
		d.drop(Line{Section: EvidenceLines, Text: "- " + piece, Why: e.because(), Of: e.Of}, "said elsewhere in the prompt")
		return false
	}
	return piece != ""
}

// saysNoMore reports whether nearly all of what a piece says stands in the prompt as the user's: the message that a preference
// was told in says it again.
func (d *draft) saysNoMore(piece string) bool {
	const most, of = 4, 5
	terms := text.Terms(piece)
	return len(terms) > 0 && slices.ContainsFunc(d.said, func(said []string) bool {
		again := 0
		for _, t := range terms {
			if slices.Contains(said, t) {
				again++
			}
		}
		return of*again >= most*len(terms)
	})
}

// because returns why a piece was wanted.
func (e Evidence) because() string {
	why := e.Why
	if why == "" {
		why = "recalled"
	}
	if e.Score != 0 {
		why += fmt.Sprintf(": score %.3g", e.Score)
	}
	return why
}
