package compose

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// The slots of the active affair, in the order they print.
const (
	slotStatus = iota
	slotSummary
	slotFacts
	slotPending
	slotMessages
)

// activeLeads returns the lines that begin the slots.
func activeLeads() []string {
	return []string{"", "", "Key facts:", "Waiting for:", "Recent messages:"}
}

// affair places title, status, summary, key facts and pending actions of the active affair, within its share and with a
// third of the prompt's room kept for evidence that must be in. It reports false when a line found no room in the prompt.
func (d *draft) affair() (complete bool) {
	a := d.in.Active
	if a == nil {
		return true
	}

	s := &d.active
	s.heading = "## " + ActiveAffair
	if title := d.meter.cut(quote.Line(a.Title), size{titleTokens, d.left.chars}); title != "" {
		s.heading += ": " + title
	}

	// The share is made smaller while evidence that must be in needs the room.
	share := s.budget
	s.budget = max(0, min(share, d.left.tokens-min(d.mustNeeds(), d.left.tokens/3)))
	short := s.budget < share
	defer func() { s.budget = share }()
	complete = true

	// A line that finds no room in the prompt is reported, one that only its share leaves out is not.
	put := func(slot int, text, part, why string, limit int) verdict {
		l := Line{Text: text, Why: why, Of: Origin{Kind: OfAffair, ID: a.ID, Part: part}.String()}
		v := d.putCut(s, slot, l, limit)
		if v == overCap || v == overOwn && (short || s.lines == 0) {
			complete = false
		}
		return v
	}

	// The lines in the order of what matters most.
	status := "Status: " + statusOf(a, state.Active)
	if d.in.Assumed != "" {
		status += "; " + quote.Line(d.in.Assumed)
	}
	put(slotStatus, status, "status", "status of the active affair", factLine)
	if summary := quote.Line(a.Summary); summary != "" {
		put(slotSummary, "Summary: "+summary, "summary", "summary of the active affair", max(smallText, s.budget/4))
	}
	for _, f := range a.KeyFacts {
		text := quote.Item(f.Label) + ": " + quote.Line(f.Value)
		if put(slotFacts, "- "+text, "facts:"+f.Label, "key fact of the active affair", factLine) == kept {
			d.seen[text] = true
		}
	}
	for _, p := range a.PendingActions {
		if p = quote.Item(p); p != "" {
			put(slotPending, "- "+p, "pending", "pending action of the active affair", pendingLine)
		}
	}
	return complete
}

func statusOf(a *state.Affair, otherwise state.Status) string {
	if a.Status == "" {
		return string(otherwise)
	}
	return quote.Line(string(a.Status))
}

// affairMessages fills the rest of the active affair's share with its last messages that are not in the history, the
// newest first.
func (d *draft) affairMessages() {
	if d.in.Active == nil {
		return
	}

	// What the prompt shows anyhow is not repeated.
	shown := map[string]bool{}
	for _, list := range [][]state.Message{d.lastMessages(), {d.in.Question}, d.in.Turn} {
		for _, m := range list {
			shown[identityOf(m)] = true
		}
	}

	slot := &d.active.slots[slotMessages]
	for _, m := range slices.Backward(d.in.ActiveMessages) {
		text := quote.Line(placeholders(m.Text, m.Seq))
		if shown[identityOf(m)] || text == "" || m.Role != state.RoleUser && m.Role != state.RoleAssistant {
			continue
		}
		if m.Cut {
			text += " " + cutMark
		}
		l := Line{Text: "- " + string(m.Role) + ": " + text, Why: "recent message of the active affair", Of: d.originOf(m)}
		if d.putCut(&d.active, slotMessages, l, recentLine) != kept {
			break
		}
	}

	// The newest come first while there is room; they are read from the oldest on.
	slices.Reverse(slot.lines)
}

// originOf returns where a message of the session is kept.
func (d *draft) originOf(m state.Message) string {
	return Origin{Kind: OfMessage, ID: d.in.Session, Seq: m.Seq}.String()
}

// identityOf tells messages apart: by id, else by what they say.
func identityOf(m state.Message) string {
	if m.ID != "" {
		return m.ID
	}
	return string(m.Role) + " " + m.Text
}

// parked places the headers of the parked affairs. Their facts stay out: they would mix into the active affair.
func (d *draft) parked() {
	listed := 0
	for i, a := range d.in.Parked {
		if d.in.Active != nil && a.ID != "" && a.ID == d.in.Active.ID {
			continue
		}
		if listed == d.c.settings.ParkedMax {
			d.drop(Line{Section: ParkedAffairs, Text: fmt.Sprintf("%d more", len(d.in.Parked)-i), Count: len(d.in.Parked) - i, Why: "headers of parked affairs"},
				fmt.Sprintf("at most %d are listed", d.c.settings.ParkedMax))
			return
		}
		listed++

		// The header: title, status, and the first pending action unless it gives facts away.
		title := d.meter.cut(quote.Item(a.Title), size{titleTokens, d.left.chars})
		if title == "" {
			title = "untitled"
		}

		text := "- " + title + " (" + statusOf(a, state.Parked) + ")"
		if n := len(a.PendingActions); n > 0 {
			text += fmt.Sprintf(" — %d pending", n)
			if action := quote.Line(a.PendingActions[0]); !reveals(action, a.KeyFacts) && d.meter.line(action).tokens <= pendingLine {
				text += ": " + action
			}
		}
		d.put(&d.parkedOnes, 0, Line{Text: text, Why: "header of a parked affair", Of: Origin{Kind: OfAffair, ID: a.ID}.String()})
	}
}

// stemRunes is how much of a word tells it apart from others: endings differ with the case.
const stemRunes = 4

// reveals reports whether an action says something that belongs to its affair alone: a number, an address, a link, or
// a word of a key fact's value in any of its forms.
func reveals(action string, facts state.Facts) bool {
	if action == "" || strings.ContainsAny(action, "@/\\") || strings.Contains(strings.ToLower(action), "www.") ||
		strings.ContainsFunc(action, unicode.IsNumber) {
		return true
	}

	said := map[string]bool{}
	for _, w := range wordsOf(action) {
		said[stem(w)] = true
	}
	for _, f := range facts {
		for _, w := range wordsOf(f.Value) {
			if said[stem(w)] {
				return true
			}
		}
	}
	return false
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

func stem(word string) string {
	if r := []rune(word); len(r) > stemRunes {
		return string(r[:stemRunes])
	}
	return word
}
