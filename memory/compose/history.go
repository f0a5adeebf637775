package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// unit is what must stay together: a message, or a message with tool calls and their results.
type unit struct {
	messages []Message
	size     size
}

// lastMessages returns the newest of the history that session_history_limit lets in: so many that user and assistant say, with the calls and results
// between them.
func (d *draft) lastMessages() []state.Message {
	said, from := 0, len(d.in.History)
	for ; from > 0; from-- {
		spoke := d.in.History[from-1].Spoken()
		if limit := max(0, d.c.settings.HistoryLimit); said == limit && (limit == 0 || spoke) {
			break
		}
		if spoke {
			said++
		}
	}
	return d.in.History[from:]
}

// lastUnits prepares the history: what is too old or stands alone is noted, the rest shortened and grouped.
func (d *draft) lastUnits() []unit {
	// The last messages; how many are left out is noted.
	last := d.lastMessages()
	if n := len(d.in.History) - len(last); n > 0 {
		d.drop(Line{Section: History, Text: fmt.Sprintf("%d older messages", n), Count: n, Why: "last messages"},
			fmt.Sprintf("session_history_limit is %d", d.c.settings.HistoryLimit))
	}

	// Calls and their results stay together. The question itself, and what has nothing to show, are left out.
	var out []unit
	picture := newestPicture(last)
	for _, group := range d.pair(History, last) {
		var u unit
		for _, m := range group {
			if m.ID != "" && m.ID == d.in.Question.ID {
				continue
			}
			short := d.remembered(m, m.ID == picture)
			if short.Text == "" && len(short.Parts)+len(short.ToolCalls) == 0 && short.Role != state.RoleTool {
				continue
			}
			u.messages = append(u.messages, short)
			u.size = u.size.plus(d.meter.message(short))
		}
		if len(u.messages) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// newestPicture returns the id of the last message that brought a picture or another file: the question may be about it.
func newestPicture(messages []state.Message) string {
	for _, m := range slices.Backward(messages) {
		if slices.ContainsFunc(m.Parts, func(p state.Part) bool { return p.Type != state.TextPart }) {
			return m.ID
		}
	}
	return ""
}

// remembered returns a message of the history as it is shown: without its reasoning, long code as a placeholder, the rest
// up to its share, of a result the beginning and of what was said both ends; attachments, and pictures but the newest one, by name.
func (d *draft) remembered(m state.Message, picture bool) Message {
	// How long it may be, by its role.
	limit := d.share(messageShare)
	if m.Role == state.RoleTool {
		limit = max(smallText, d.share(resultShare))
	}
	if m.Role == state.RoleTool && m.Turn != d.lastTurn() {
		m.Text = withoutMemory(m.Text)
	}
	text, parts := d.media(m)
	out := Message{
		Role: m.Role, Text: placeholders(text, m.Seq), Parts: parts,
		ToolCalls: d.calls(m.ToolCalls), ToolCallID: m.ToolCallID, ToolName: m.ToolName,
		Of: d.originOf(m),
	}

	// A result keeps its beginning, what was said keeps both ends while there is room for two.
	room := size{limit, d.left.chars}
	if m.Role == state.RoleTool || room.tokens < 2*smallText || !out.showEnds(d.meter, room, subjectOf(m)) {
		d.shorten(&out, room, subjectOf(m))
	}

	// What is named only: pictures, files, and that it was cut.
	if !picture {
		out.omitParts()
	}
	for i, a := range m.Attachments {
		if i == listedAtMost {
			out.omit(fmt.Sprintf("%d more attachments", len(m.Attachments)-i))
			break
		}
		out.omitFile(a, fileName(m.Seq, i))
	}
	if m.Cut {
		out.Text = strings.TrimPrefix(out.Text+"\n"+cutMark, "\n")
	}
	return out
}

// lastTurn returns the turn before this one.
func (d *draft) lastTurn() string {
	if len(d.in.History) == 0 {
		return ""
	}
	return d.in.History[len(d.in.History)-1].Turn
}

// withoutMemory returns a result without what it quotes of memory: that may have changed since.
func withoutMemory(result string) string {
	said, quoted, found := strings.Cut(result, "# Memory "+quote.FromMemory)
	if !found {
		return result
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n[%d lines of memory as it was then]", strings.TrimSpace(said), strings.Count(strings.TrimSpace(quoted), "\n")+1))
}

// calls are tool calls with long arguments left out.
func (d *draft) calls(calls []state.ToolCall) []state.ToolCall {
	var out []state.ToolCall
	for _, c := range calls {
		if !d.meter.tokens.Fits(c.Arguments, smallText) {
			c.Arguments = fmt.Sprintf(`{"left_out":"%s bytes"}`, grouped(len(c.Arguments)))
		}
		out = append(out, c)
	}
	return out
}

// recent takes units from the window, newest first, while they stay within limit tokens; the newest is taken in any
// case. What does not fit into the prompt ends the history.
func (d *draft) recent(limit int) {
	for len(d.window) > 0 {
		u := d.window[len(d.window)-1]
		if len(d.history) > 0 && d.spent[History]+u.size.tokens > limit {
			return
		}

		if !d.left.holds(u.size) {
			u = d.withoutParts(u)
		}
		if !d.left.holds(u.size) {
			d.forget(u.size)
			return
		}

		d.window = d.window[:len(d.window)-1]
		d.history = append(d.history, u)
		d.left = d.left.minus(u.size)
		d.spent[History] += u.size.tokens
		for _, m := range u.messages {
			d.seen[quote.Item(m.Text)] = true
		}
	}
}

func (d *draft) withoutParts(u unit) unit {
	var out unit
	for _, m := range u.messages {
		m.omitParts()
		out.messages = append(out.messages, m)
		out.size = out.size.plus(d.meter.message(m))
	}
	return out
}

// forget drops the rest of the window, because its newest unit of this size does not fit.
func (d *draft) forget(cost size) {
	reason := d.full(cost)
	for _, u := range slices.Backward(d.window) {
		for _, m := range slices.Backward(u.messages) {
			d.drop(d.spoken(History, m, "last messages"), reason)
		}
	}
	d.window = nil
}

// pair groups messages so that every tool call has its result and every result its call. What stands alone is noted:
// a result without its call is dropped, a call without a result is taken out of its message. Roles other than user,
// assistant and tool are dropped, so nothing stored can speak as the system.
func (d *draft) pair(section string, messages []state.Message) [][]state.Message {
	var out [][]state.Message
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		switch {
		case m.Role == state.RoleAssistant && len(m.ToolCalls) > 0:
			group := answered(m, messages[i+1:])
			i += len(group) - 1
			if n := len(m.ToolCalls) - len(group[0].ToolCalls); n > 0 {
				d.drop(Line{Section: section, Text: fmt.Sprintf("%d tool calls", n), Count: n, Why: "last messages"}, "a call without its result")
			}
			out = append(out, group)
		case m.Role == state.RoleTool:
			d.drop(Line{Section: section, Text: "tool: " + m.Text, Why: "last messages", Of: d.originOf(m)}, "its tool call is not among the messages")
		case m.Role == state.RoleUser || m.Role == state.RoleAssistant:
			out = append(out, []state.Message{m})
		default:
			d.drop(Line{Section: section, Text: m.Text, Why: "last messages", Of: d.originOf(m)}, fmt.Sprintf("role %.20q is none of a session's", string(m.Role)))
		}
	}
	return out
}

// answered is m with those of its calls that the tool messages right behind it answer, and these messages.
func answered(m state.Message, behind []state.Message) []state.Message {
	open := slices.Clone(m.ToolCalls)
	var results []state.Message
	for _, r := range behind {
		at := slices.IndexFunc(open, func(c state.ToolCall) bool { return c.ID == r.ToolCallID })
		if r.Role != state.RoleTool || at < 0 {
			break
		}
		open = slices.Delete(open, at, at+1)
		results = append(results, r)
	}
	m.ToolCalls = slices.DeleteFunc(slices.Clone(m.ToolCalls), func(c state.ToolCall) bool {
		return slices.ContainsFunc(open, func(o state.ToolCall) bool { return o == c })
	})
	return append([]state.Message{m}, results...)
}
