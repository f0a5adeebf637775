package compose

import (
	"cmp"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// ofUser places what the user prefers and what else is known of him, within one budget, and within a third of the room
// that there is: it holds whatever the affair is, so it stays before the affair's last lines do. The brain does likewise.
func (d *draft) ofUser() {
	d.preferences.budget = min(d.preferences.budget, d.left.tokens/userPart)
	both := d.preferences.budget
	for _, k := range d.in.Preferences {
		d.own(&d.preferences, 0, k, "what the user prefers")
	}

	d.userContext.budget = both - d.preferences.used
	for _, k := range d.in.User {
		d.own(&d.userContext, 0, k, "context of the user")
	}

	d.brain.budget = min(d.brain.budget, d.left.tokens/userPart)
	for slot, part := range d.in.Brain.parts() {
		for _, k := range part {
			d.own(&d.brain, slot, k, "known for long")
		}
	}
}

// own places a line of what is the user's. As evidence it would stand there twice.
func (d *draft) own(s *section, slot int, k Known, why string) {
	said := k.line()
	if d.putKnown(s, slot, k, why) {
		d.said = append(d.said, text.Terms(said))
	}
}

// putKnown places a thing that is known, unless it stands there, and reports whether it stands there in full.
func (d *draft) putKnown(s *section, slot int, k Known, why string) bool {
	said := k.line()
	if said == "" || d.seen[said] {
		return false
	}
	whole := d.meter.line("- "+said).tokens <= factLine
	if d.putCut(s, slot, Line{Text: "- " + said, Why: why, Of: k.Of}, factLine) != kept || !whole {
		return false
	}
	d.seen[said] = true
	return true
}

// line returns the thing as it stands in the prompt.
func (k Known) line() string {
	if label := quote.Item(k.Label); label != "" {
		return label + ": " + quote.Line(k.Text)
	}
	return quote.Item(k.Text)
}

// requested places what the request itself brings.
func (d *draft) requested() {
	for i, k := range d.in.Extra {
		if said := k.line(); said != "" {
			d.putFit(&d.extra, i, Line{Text: "- " + said, Why: "what the request brings", Of: k.Of}, d.left.tokens)
		}
	}
}

// stable places what changes little: active context, the summary of the session, what the project knows.
func (d *draft) stable() {
	d.text(&d.activeContext, d.in.ActiveContext, "what was going on last")
	d.text(&d.summary, d.in.Summary, "what was said before the last messages")
	for _, k := range d.in.Project {
		d.putKnown(&d.project, 0, k, "what the project knows")
	}
}

// text places a text of several lines, as many as its section's budget holds.
func (d *draft) text(s *section, text, why string) {
	for _, line := range quote.Items(text) {
		l := Line{Text: line, Why: why, Of: d.in.ActiveOf}
		if s == &d.summary {
			l.Of = cmp.Or(d.in.SummaryOf, Origin{Kind: OfSession, ID: d.in.Session, Part: "summary"}.String())
		}
		if d.putFit(s, 0, l, s.budget) != kept {
			return
		}
	}
}
