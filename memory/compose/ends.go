package compose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// fitQuestion makes the question fit beside the system prompt: whole, else shortened. Most of a long one is not even counted.
func (d *draft) fitQuestion() (system *Message, cost size, ok bool) {
	if d.meter.fits(d.question.Text, d.left) {
		if system, cost = d.fit(); d.left.holds(cost) {
			return system, cost, true
		}
	}
	if !d.shortenQuestion() {
		return nil, cost, false
	}
	system, cost = d.fit()
	return system, cost, d.left.holds(cost)
}

// shortenQuestion shows of the question's text the head, the tail and how much is left out between them, in half of
// the window at most and in what system prompt, attachments and pictures leave of it. It reports whether there was room.
func (d *draft) shortenQuestion() bool {
	text, _ := d.media(d.in.Question)
	rest, shown := d.question, Message{Text: text}
	rest.Text = strings.Replace(rest.Text, text, "", 1)
	room := d.left.minus(d.meter.message(rest)).minus(d.meter.message(d.briefest()))
	if d.files != nil {
		room = room.minus(d.meter.message(*d.files))
	}
	of := subject{"the message", blockName(d.in.Question.Seq)}
	if !shown.showEnds(d.meter, room.within(d.room*questionShare/100), of) {
		return false
	}
	d.question.Text = strings.Replace(d.question.Text, text, shown.Text, 1)
	d.question.LeftOut = append(slices.Clip(d.question.LeftOut), shown.LeftOut...)
	return true
}

// showEnds leaves of a text that does not fit into limit its head and its tail. It reports whether there was room for them,
// and changes nothing if not; of says what is shortened.
func (m *Message) showEnds(meter meter, limit size, of subject) bool {
	if len(m.Text) <= limit.tokens*tokenBytes && meter.fits(m.Text, limit) {
		return true
	}
	short := meter.ends(m.Text, limit, of)
	if short == "" {
		return false
	}
	m.LeftOut = append(slices.Clip(m.LeftOut), of.text+", "+grouped(len(m.Text))+" bytes"+shortened)
	m.Text = short
	return true
}

// briefest returns the host's system prompt, or our own in its shortest form.
func (d *draft) briefest() Message {
	if d.in.System != "" {
		return Message{Role: RoleSystem, Text: valid(d.in.System)}
	}
	return Message{Role: RoleSystem, Text: briefIdentity()}
}

// ends returns the head and the tail of s, two parts to one, with the mark of what is left out between them on a line of its
// own, so that all of it fits into limit; "" if there is no room for a word of each.
func (m meter) ends(s string, limit size, of subject) string {
	mark := func(kept int) string { return "\n" + leftOut(len(s)-kept, len(s), of) + "\n" }
	room := limit.minus(m.text(mark(0))).minus(size{tokens: 2}) // a seam may cost a token more than its sides
	head := strings.TrimSuffix(m.tokens.Cut(firstRunes(s, room.chars*2/3), room.tokens*2/3), "…")
	tail := m.tail(s[min(len(head), len(s)):], room.minus(m.text(head)))
	short := head + mark(len(head)+len(tail)) + tail
	if strings.TrimSpace(head) == "" || tail == "" || !m.fits(short, limit) {
		return ""
	}
	return short
}

// tail returns the end of s as far as it fits into limit, from the beginning of a word where one is near; "" if none fits.
func (m meter) tail(s string, limit size) string {
	const nearBytes = 64
	for n := min(len(s), limit.tokens*charsPerToken, limit.chars); n > 0; n -= 1 + n/8 {
		from := len(s) - n
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
		out := s[from:]
		if i := strings.IndexFunc(out, unicode.IsSpace); from > 0 && i >= 0 && i < min(nearBytes, len(out)/2) {
			out = out[i:]
		}
		if out = strings.TrimSpace(out); m.fits(out, limit) {
			return out
		}
	}
	return ""
}

// tooLarge says that even the shortened question finds no room beside the system prompt.
func (d *draft) tooLarge(all size) error {
	s, question := d.c.settings, d.asking()
	if all.tokens <= d.room {
		return state.Errorf(state.Invalid, "compose context",
			"the question has %d characters, with the system prompt %d, and max_context_chars is %d; shorten it or the system prompt, or raise max_context_chars",
			question.chars, all.chars, s.MaxContextChars)
	}
	return state.Errorf(state.Invalid, "compose context",
		"the question has %d tokens, with the system prompt %d, and context_window leaves %d beside %d of tools; shorten it or the system prompt, or raise context_window",
		question.tokens, all.tokens, d.room, d.in.ToolTokens)
}
