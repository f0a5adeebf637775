package offline

import (
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"
)

// The beginnings of the user messages that quote what memory knows, and files. Neither is the last user message.
const (
	contextHeading     = "# Context ("
	attachmentsHeading = "# Attachments ("
)

// prompt is what the model was asked, taken apart.
type prompt struct {
	lang     string   // that the system prompt asks to answer in, "" if it names none
	today    string   // as the system prompt says, "" if it does not
	memory   block    // the context block
	said     []string // the user's earlier messages, oldest first
	replies  []string // the model's earlier ones
	question string   // the message to answer
	rounds   int      // how often the model has answered in this turn
	calls    []call   // what it called in this turn
}

// call is a tool call of this turn; a call without a result was not answered yet.
type call struct {
	name   string
	args   string
	result string
}

// take takes a prompt apart. The question is the last user message, what stands after it belongs to this
// turn; the first is the context block if it has its heading, and what of it depends on the question stands right before that.
func take(in []*schema.Message) prompt {
	var p prompt
	var users []int
	for i, m := range in {
		switch {
		case m == nil:
		case m.Role == schema.User:
			users = append(users, i)
		case m.Role == schema.System && p.lang == "":
			p.lang, p.today = named(m.Content), between(m.Content, "Today is ", ",")
		case m.Role == schema.Assistant:
			p.replies = append(p.replies, m.Content)
		}
	}
	if len(users) == 0 {
		p.turn(in)
		return p
	}
	asked := users[len(users)-1]
	var blocks, files []string
	for _, i := range users[:len(users)-1] {
		said, before := textOf(in[i]), len(users)-2-slices.Index(users, i) // users' messages between it and the question
		switch {
		case strings.HasPrefix(said, contextHeading) && (i == users[0] || before < 2):
			blocks = append(blocks, said)
		case strings.HasPrefix(said, attachmentsHeading):
			files = append(files, said)
		default:
			p.said = append(p.said, said)
		}
	}
	p.memory = parse(strings.Join(blocks, "\n"))
	for _, file := range files {
		p.memory.notes = append(p.memory.notes, attached(file)...)
	}
	p.question = textOf(in[asked])
	p.turn(in[asked+1:])
	return p
}

// named finds the language that a system prompt names as the composer does: "... language of the question (cs)".
func named(system string) string {
	return between(system, "language of the question (", ")")
}

// between returns what stands between two texts.
func between(s, from, to string) string {
	_, rest, _ := strings.Cut(s, from)
	out, _, _ := strings.Cut(rest, to)
	return out
}

// turn reads the answers and tool results that follow the question.
func (p *prompt) turn(after []*schema.Message) {
	results := map[string]string{}
	for _, m := range after {
		if m != nil && m.Role == schema.Tool {
			results[m.ToolCallID] = textOf(m)
		}
	}
	for _, m := range after {
		if m == nil || m.Role != schema.Assistant {
			continue
		}
		p.rounds++
		for _, c := range m.ToolCalls {
			p.calls = append(p.calls, call{c.Function.Name, c.Function.Arguments, results[c.ID]})
		}
	}
}

// called returns the first call of a tool in this turn.
func (p *prompt) called(name string) (call, bool) {
	at := slices.IndexFunc(p.calls, func(c call) bool { return c.name == name })
	if at < 0 {
		return call{}, false
	}
	return p.calls[at], true
}

// textOf returns the text of a message, its text parts joined where it has several.
func textOf(m *schema.Message) string {
	if m.Content != "" {
		return m.Content
	}
	var parts []string
	for _, p := range m.UserInputMultiContent {
		if p.Type == schema.ChatMessagePartTypeText {
			parts = append(parts, p.Text)
		}
	}
	for _, p := range m.MultiContent {
		if p.Type == schema.ChatMessagePartTypeText {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}
