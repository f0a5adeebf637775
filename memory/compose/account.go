package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
)

// giveUp notes what was not even tried because the active affair did not fit.
func (d *draft) giveUp() {
	const reason = "a line of the active affair found no room, so nothing less needed is in"
	wanted := map[string]int{
		ActiveContext:  len(quote.Items(d.in.ActiveContext)),
		SessionSummary: len(quote.Items(d.in.Summary)), ParkedAffairs: len(d.in.Parked),
		ProjectContext: len(d.in.Project), EvidenceLines: len(d.in.Evidence), Associations: len(d.in.Associations),
		History: len(d.window),
	}

	for _, e := range d.in.Evidence {
		if e.Must {
			wanted[EvidenceLines]--
		}
	}

	for _, name := range append(blockSections(), History) {
		if n := wanted[name]; n > 0 {
			d.drop(Line{Section: name, Text: fmt.Sprintf("all %d", n), Count: n, Why: "everything of this section"}, reason)
		}
	}
}

func blockSections() []string {
	return []string{Brain, Preferences, ActiveContext, SessionSummary, ActiveAffair, ParkedAffairs, ProjectContext, UserContext, EvidenceLines, Associations, ExtraContext}
}

// context returns the finished prompt and its account.
func (d *draft) context() Context {
	// What does not change comes first, so that a provider can keep it: system prompt, memory, history.
	block, late := d.message(false), d.message(true)
	most := 5 // those that are none of a list
	for _, u := range d.history {
		most += len(u.messages)
	}
	for _, r := range d.rounds {
		most += len(r)
	}
	prompt := make([]Message, 0, most)
	d.lines = slices.Grow(d.lines, most)
	for _, m := range []*Message{d.system, block} {
		if m != nil {
			prompt = append(prompt, *m)
		}
	}
	for i := len(d.history) - 1; i >= 0; i-- {
		for _, m := range d.history[i].messages {
			prompt = append(prompt, m)
			d.lines = append(d.lines, d.spoken(History, m, "last messages"))
		}
	}

	// What belongs to this question alone comes behind the history, then the question itself.
	if late != nil {
		prompt = append(prompt, *late)
	}
	if d.files != nil {
		prompt = append(prompt, *d.files)
		d.lines = append(d.lines, d.spoken(Attachments, *d.files, "attachments of the question"))
	}
	prompt = append(prompt, d.question)
	d.lines = append(d.lines, d.spoken(Question, d.question, "the question"))

	// The turn so far.
	for _, r := range d.rounds {
		for _, p := range r {
			prompt = append(prompt, p.now)
			d.lines = append(d.lines, d.spoken(Turn, p.now, "this turn so far"))
		}
	}
	total := d.limit - d.left.tokens
	return Context{Prompt: prompt, Sections: d.account(total), Lines: d.lines, Tokens: total, Limit: d.limit, ToolTokens: d.in.ToolTokens}
}

// spoken returns the line of a message.
func (d *draft) spoken(section string, m Message, why string) Line {
	text := string(m.Role) + ": " + m.Text
	for _, call := range m.ToolCalls {
		text += " " + call.Name + "(" + call.Arguments + ")"
	}
	return Line{Section: section, Text: text, Tokens: d.c.Tokens(m), Why: why, Reason: strings.Join(m.LeftOut, "; "), Of: m.Of}
}

// account sums the lines up by section. What no section was charged with is the frame's.
func (d *draft) account(total int) []Section {
	out := []Section{{Name: System, Tokens: d.spent[System]}, {Name: Frame}}
	for _, s := range d.layout() {
		if s == &d.recalled {
			out = append(out, Section{Name: History, Tokens: d.spent[History]})
		}
		x := Section{Name: s.name, Tokens: s.used, Budget: s.budget}
		if s == &d.recalled || s == &d.extra {
			x.Budget = 0 // it is what is left
		}
		out = append(out, x)
	}
	for _, name := range []string{Attachments, Question, Turn} {
		out = append(out, Section{Name: name, Tokens: d.spent[name]})
	}
	at := map[string]int{}
	out[1].Tokens = total
	for i := range out {
		at[out[i].Name] = i
		if i != 1 {
			out[1].Tokens -= out[i].Tokens
		}
	}
	for _, l := range d.lines {
		s := &out[at[l.Section]]
		if l.Dropped {
			s.Dropped++
		} else {
			s.Lines++
		}
	}
	used := out[:0]
	for _, s := range out {
		if s.Lines+s.Dropped+s.Tokens > 0 {
			used = append(used, s)
		}
	}
	return used
}
