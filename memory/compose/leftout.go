package compose

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

const (
	nameRunes = 80 // of the name of an attachment, a kind, an address
	notShown  = ": content not shown"
	shortened = ": shown shortened"

	// cutMark ends an answer whose turn ended before it did.
	cutMark = "[... the turn was cut short here: the answer has no end ...]"
)

// LeftOut tells what of its messages the prompt shows shortened or not at all, in the order of the prompt.
func (c Context) LeftOut() []string {
	var out []string
	for _, m := range c.Prompt {
		out = append(out, m.LeftOut...)
	}
	for _, l := range c.Lines {
		if l.Section == Turn && l.Dropped {
			out = append(out, l.Text+" of this turn not shown: "+l.Reason)
		}
	}
	return out
}

// omit adds the placeholder of something that is not shown.
func (m *Message) omit(what string) { m.mark("["+what+notShown+"]", what+notShown) }

// mark adds a placeholder, and what the trace says of it. That holds for every prompt of a turn, whatever room each has.
func (m *Message) mark(placeholder, note string) {
	if m.Text != "" {
		m.Text += "\n"
	}
	m.Text += placeholder
	m.LeftOut = append(slices.Clip(m.LeftOut), note)
}

// omitParts puts placeholders in the place of the message's parts.
func (m *Message) omitParts() {
	for _, p := range m.Parts {
		m.omit(partOf(p))
	}
	m.Parts = nil
}

// shorten makes the message's text fit into limit; of says what is shortened.
func (d *draft) shorten(m *Message, limit size, of subject) {
	all := len(m.Text)
	text, mark := d.meter.shorten(m.Text, limit, of, func(s string) string { return s })
	if m.Text = text; mark != "" {
		m.mark(mark, of.text+", "+grouped(all)+" bytes"+shortened)
	}
}

// subject is what a text is, in words, and the name by which it can be read whole, if it has one.
type subject struct{ text, name string }

// leftOut returns the mark of a text that is shortened by so many bytes.
func leftOut(bytes, all int, of subject) string {
	if of.name != "" {
		of.name += ": "
	}
	return fmt.Sprintf("[... %s%s of %s bytes of %s left out ...]", of.name, grouped(bytes), grouped(all), of.text)
}

// subjectOf says what the text of a message is.
func subjectOf(m state.Message) subject {
	if m.Role == state.RoleTool {
		return subject{"the result of " + nameIn(m.ToolName), blockName(m.Seq)}
	}
	return subject{"the message", blockName(m.Seq)}
}

// omitFile adds the placeholder of an attachment: with its name and how it begins, where it can be read.
func (m *Message) omitFile(a state.Attachment, name string) {
	what := attachmentOf(a)
	if strings.TrimSpace(a.Text) == "" || name == "" {
		m.omit(what)
		return
	}
	m.mark("["+what+", "+name+": "+beginning(a.Text)+notShown+"]", what+notShown)
}

// attachmentOf returns an attachment by name, kind and size.
func attachmentOf(a state.Attachment) string {
	return "attachment " + sized(nameIn(a.Name), a.MIME, max(len(a.Data), len(a.Text)))
}

// partOf returns a part by type, kind and size, or by its address where it is elsewhere.
func partOf(p state.Part) string {
	meta, data, inline := strings.Cut(strings.TrimPrefix(p.URL, "data:"), ",")
	if !inline || !strings.HasPrefix(p.URL, "data:") {
		return nameIn(p.Type) + " " + nameIn(p.URL)
	}
	kind, encoding, _ := strings.Cut(meta, ";")
	size := len(data)
	if encoding == "base64" {
		size = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))
	}
	if p.MIME != "" {
		kind = p.MIME
	}
	return sized(nameIn(p.Type), kind, size)
}

// sized returns a name with its kind, if that is known, and its size.
func sized(name, kind string, bytes int) string {
	if kind != "" {
		name += ", " + nameIn(kind)
	}
	return name + ", " + grouped(bytes) + " bytes"
}

// nameIn returns a name as it stands in a placeholder: one line of bounded length that neither ends the placeholder nor looks
// like one, or like a heading.
func nameIn(s string) string {
	s = strings.NewReplacer("[", "(", "]", ")", "<", "(", ">", ")").Replace(quote.Line(firstRunes(s, 4*nameRunes)))
	if s = strings.TrimLeft(s, "# "); s == "" {
		return "without a name"
	}
	return firstRunes(s, nameRunes)
}

// grouped writes a number with a comma between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
