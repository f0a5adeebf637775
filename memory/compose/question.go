package compose

import (
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// asked is the question as a message, its attachments by name. Without parts, what is not text is only named.
func (d *draft) asked(parts bool) Message {
	text, others := media(d.in.Question)
	m := Message{Role: state.RoleUser, Text: text, Parts: others}
	if !parts {
		m.Text, m.Parts = named(text, others), nil
	}
	d.bodies = make([]string, min(len(d.in.Question.Attachments), listedAtMost))
	m.Text = d.attached(m.Text)
	return m
}

func (d *draft) askNothing() bool {
	return strings.TrimSpace(d.question.Text) == "" && len(d.question.Parts) == 0
}

// named adds a line for each part that is not text.
func named(text string, parts []state.Part) string {
	for _, p := range parts {
		text += "\n[" + fold(p.Type) + " left out]"
	}
	return strings.TrimPrefix(text, "\n")
}

// attached adds the question's attachments to its text: a line each, and below it as much of its text as is in.
func (d *draft) attached(text string) string {
	var b strings.Builder
	b.WriteString(text)
	for i, a := range d.in.Question.Attachments {
		if i == listedAtMost {
			fmt.Fprintf(&b, "\n[%d more attachments]", len(d.in.Question.Attachments)-i)
			break
		}
		b.WriteString("\n" + d.attachment(a))
		if d.bodies[i] != "" {
			b.WriteString("\n" + d.bodies[i])
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// attachment is the line that names an attachment.
func (d *draft) attachment(a state.Attachment) string {
	name := d.meter.cut(fold(a.Name), size{titleTokens, 4 * titleTokens})
	if name == "" {
		name = "without a name"
	}
	return fmt.Sprintf("[attachment %s, %d bytes]", name, max(len(a.Data), len(a.Text)))
}

// attachments adds the texts of the question's attachments, in equal parts of what they may take together.
func (d *draft) attachments() {
	rest := d.left.within(d.c.share(turnShare))
	base := d.question.Text
	if len(d.bodies) > 0 {
		base, _ = media(d.in.Question)
		if len(d.question.Parts) == 0 {
			_, parts := media(d.in.Question)
			base = named(base, parts)
		}
	}
	for i := range d.bodies {
		text := strings.TrimSpace(valid(d.in.Question.Attachments[i].Text))
		if text == "" {
			continue
		}
		before := d.meter.message(d.question)
		n := len(d.bodies) - i
		d.bodies[i] = d.meter.shorten(text, size{rest.tokens/n - 1, rest.chars/n - 1})
		longer := d.question
		longer.Text = d.attached(base)
		cost := d.meter.message(longer).minus(before)
		if d.bodies[i] == "" || !rest.holds(cost) {
			d.bodies[i] = ""
			d.drop(Line{Section: Question, Text: d.attachment(d.in.Question.Attachments[i]), Why: "text of an attachment"}, d.full(cost))
			continue
		}
		d.question = longer
		d.left, rest = d.left.minus(cost), rest.minus(cost)
		d.spent[Question] += cost.tokens
	}
}
