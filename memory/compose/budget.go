package compose

import (
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// What one thing may take: per cent of max_tokens, or tokens. What sections may take is among the settings.
const (
	budgetShare   = 25 // a budget in tokens, but not more than this
	memoryShare   = 25 // what is memory's, whatever else the prompt needs
	messageShare  = 25 // one message of the history
	resultShare   = 5  // one tool result of the history
	questionShare = 50 // of the window, a question that does not fit whole

	userPart = 3 // what is the user's takes at most one of so many parts of the room, and the brain too

	evidenceLine  = 400
	sourceTokens  = 60
	factLine      = 200
	pendingLine   = 60
	titleTokens   = 40
	tokenBytes    = 128 // the longest token there is
	recentLine    = 120 // a message quoted under its affair
	smallText     = 100 // what is left of a text or of arguments when a step of the turn is shortened
	listedAtMost  = 20  // attachments of a message; dropped lines named one by one
	messageTokens = 4   // what a message costs beside its text, and a tool call beside name and arguments
	mediaTokens   = 765
	charsPerToken = 4 // of a text that was shortened to so many tokens, where characters are limited too
)

// size is what text costs, or what is left: tokens and characters.
type size struct{ tokens, chars int }

func (s size) plus(t size) size  { return size{s.tokens + t.tokens, s.chars + t.chars} }
func (s size) minus(t size) size { return size{s.tokens - t.tokens, s.chars - t.chars} }

// holds reports whether t fits into s.
func (s size) holds(t size) bool { return t.tokens <= s.tokens && t.chars <= s.chars }

// within is the smaller of s and limit tokens.
func (s size) within(limit int) size { return size{min(s.tokens, limit), s.chars} }

// meter measures and shortens.
type meter struct{ tokens *token.Counter }

func (m meter) text(s string) size { return size{m.tokens.Count(s), utf8.RuneCountInString(s)} }

// line returns the size of s as a line of the context block. The sizes of such lines add up, since none is empty, nor
// begins with white space or a slash: the vocabulary's pieces end behind the line end then.
func (m meter) line(s string) size { return m.text(s + "\n") }

func (m meter) message(msg Message) size {
	sum := size{tokens: messageTokens}.plus(m.text(msg.Text)).plus(m.text(msg.Reasoning))
	for _, call := range msg.ToolCalls {
		sum = sum.plus(m.text(call.Name)).plus(m.text(call.Arguments)).plus(size{tokens: messageTokens})
	}
	sum.tokens += mediaTokens * len(msg.Parts)
	return sum
}

// cut returns the beginning of s that as a line fits into limit, marked with "…"; "" if not even a word does.
func (m meter) cut(s string, limit size) string {
	if limit.holds(m.line(s)) {
		return s
	}
	s = firstRunes(s, limit.chars-1)
	for n := limit.tokens - 1; n > 1; n-- {
		if out := m.tokens.Cut(s, n); limit.holds(m.line(out)) {
			if strings.Trim(out, "…-\\ ") == "" || strings.HasSuffix(out, ":…") {
				return "" // nothing of it, or nothing behind a label
			}
			return out
		}
	}
	return ""
}

// fits reports whether s fits into limit. It stops counting once it knows.
func (m meter) fits(s string, limit size) bool {
	return (len(s) <= limit.chars || utf8.RuneCountInString(s) <= limit.chars) && m.tokens.Fits(s, limit.tokens)
}

// shorten returns s as show writes it, or as much of its beginning as fits into limit together with the mark that says how
// many bytes of it were left out. Nothing but the mark is left where not even a word fits.
func (m meter) shorten(s string, limit size, of subject, show func(string) string) (text, mark string) {
	if len(s) <= limit.tokens*tokenBytes {
		if whole := show(s); m.fits(whole, limit) {
			return whole, ""
		}
	}

	mark = leftOut(len(s), len(s), of)
	head := firstRunes(s, limit.chars-utf8.RuneCountInString(mark)-1)

	for n := limit.tokens - m.tokens.Count(mark) - 1; n > 0; n -= 1 + n/32 {
		kept := strings.TrimSuffix(m.tokens.Cut(head, n), "…")
		if kept == "" {
			break
		}
		short, less := show(kept), leftOut(len(s)-len(kept), len(s), of)
		if m.fits(short+"\n"+less, limit) {
			return short, less
		}
	}
	return "", mark
}

// media tells the parts of a message that are not text, and the text of those that are. That of a tool marks no role, and that of a host's tool is
// quoted.
func (d *draft) media(msg state.Message) (text string, parts []state.Part) {
	for _, p := range msg.Parts {
		if p.Type != state.TextPart {
			parts = append(parts, p)
		}
	}
	text = valid(msg.Said())
	if a := msg.Answered; a != nil && a.Ran != "" {
		text = "A person changed the arguments to " + valid(a.Ran) + "\n" + text
	}
	switch {
	case msg.Role != state.RoleTool:
	case d.in.Foreign != nil && d.in.Foreign(msg.ToolName):
		text = quote.Result(text)
	default:
		text = quote.Marks(text)
	}
	return text, parts
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
