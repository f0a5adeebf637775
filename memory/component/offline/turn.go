package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// The tools this model knows how to use, as they are offered.
const (
	memoryRecall = "memory_recall"
	memoryUpdate = "memory_update"
	listAffairs  = "list_affairs"
	recallAffair = "recall_affair"
)

// mostNext is how many words a message has at most that asks what is next: in a longer one such words are about something else.
const mostNext = 14

// maxRounds is how often the model answers in one turn before it stops calling tools.
const maxRounds = 8

// turn is one prompt on its way to an answer.
type turn struct {
	prompt
	words   []string // of the question, folded
	offered []string // tools
	lang    string
	phrases phrases
}

func newTurn(l library, p prompt, offered []string) turn {
	t := turn{prompt: p, words: text.Words(p.question), offered: offered}
	t.phrases, t.lang = l.of(l.greeted(t.words, language(p)))
	return t
}

// language returns that of the question; where it shows none, that of what was said before or is known, else the one
// the system prompt names. Words as short as "OK" belong to all languages.
func language(p prompt) string {
	lang := cmp.Or(p.lang, "en")
	for _, said := range append([]string{p.memory.active.title}, append(p.said, p.question)...) {
		if utf8.RuneCountInString(strings.Trim(said, " .,!?")) > 2 {
			lang = text.Language(said, lang)
		}
	}
	return lang
}

// greeted returns the language whose greeting or thanks a short message is: few words mislead a guess.
func (l library) greeted(words []string, guess string) string {
	for _, lang := range append([]string{guess}, l.languages()...) {
		p, name := l.of(lang)
		if slices.ContainsFunc([][]cue{p.Cues.Greeting, p.Cues.Thanks, p.Cues.Bye, p.Cues.Help}, func(c []cue) bool { return begins(words, c) }) {
			return name
		}
	}
	return guess
}

// respond answers in words or with calls of tools, never with both. A secret in the message was masked, and the answer says that it is not kept.
func (t turn) respond() (string, []state.ToolCall) {
	reply, calls := t.reply()
	if len(calls) > 0 {
		return "", calls
	}
	if strings.Contains(t.question, state.MaskOpening) {
		reply += " " + t.phrases.say("masked")
	}
	return reply, nil
}

// reply says what a command to the memory came to, answers what is asked, or acknowledges what is told.
func (t turn) reply() (string, []state.ToolCall) {
	if done := t.obeyed(); done != "" {
		left := t.unanswered()
		if left == "" {
			return done, nil
		}
		t.question = left
		answer, calls := t.answer()
		return done + "\n" + answer, calls
	}

	asks := facts.IsQuestion(t.question)
	if reply := t.phrases.social(t.words); reply == "help" || reply != "" && !(asks && len(t.words) > 2) { // "Hey, when does it arrive?"
		return t.phrases.say(reply), nil
	}
	c := t.phrases.Cues
	switch {
	case t.shutsNone():
		reply, calls := t.open()
		return strings.TrimSpace(t.phrases.say("none_such") + " " + reply), calls
	case has(t.words, c.Where):
		return t.where()
	case has(t.words, c.Open):
		return t.open()
	case len(t.words) <= mostNext && has(t.words, c.Next):
		return t.next()
	case has(t.words, c.Howdy):
		return t.phrases.say("howdy"), nil
	case asks:
		return t.answer()
	}
	return t.acknowledge(), nil
}

// obeyed says what the commands to the memory came to, in their order; "" when there were none, or they have nothing to say.
func (t turn) obeyed() string {
	var out []string
	for _, c := range t.calls {
		if c.name != memoryUpdate {
			continue
		}
		if reply := t.updated(c); reply != "" {
			out = append(out, reply)
		}
	}
	return strings.Join(out, "\n")
}

// unanswered returns the questions of a message that stand beside its commands to the memory.
func (t turn) unanswered() string {
	var out []string
	for _, sentence := range facts.Sentences(t.question) {
		order := spoken.Find(sentence)
		if facts.IsQuestion(sentence) && (order.Action == spoken.None || order.IfKnown && !t.shown()) {
			out = append(out, squeeze(sentence))
		}
	}
	return strings.Join(out, " ")
}

// shown reports whether a command has shown what is remembered.
func (t turn) shown() bool {
	return slices.ContainsFunc(t.calls, func(c call) bool { return c.name == memoryUpdate && strings.Contains(c.args, `"action":"show"`) })
}

// acknowledge answers a message that asks nothing. It names the affair where that is another one than the last reply named.
func (t turn) acknowledge() string {
	title := t.memory.active.title
	if title == "" || t.lastNamed() == title {
		return t.phrases.say("ack")
	}
	return t.phrases.say("ack_affair", "title", title)
}

// lastNamed returns the title that the last reply with one names.
func (t turn) lastNamed() string {
	titles := append([]string{t.memory.active.title}, t.memory.parked...)
	for _, reply := range slices.Backward(t.replies) {
		for _, title := range titles {
			if title != "" && strings.Contains(reply, title) {
				return title
			}
		}
	}
	return ""
}

// mayCall reports whether a tool is offered and a round is left for it.
func (t turn) mayCall(tool string) bool {
	return slices.Contains(t.offered, tool) && t.rounds < maxRounds
}

// callsOf returns how often a tool was called in this turn.
func (t turn) callsOf(tool string) (n int) {
	for _, c := range t.calls {
		if c.name == tool {
			n++
		}
	}
	return n
}

// calling returns a call of a tool.
func calling(tool string, args map[string]string) []state.ToolCall {
	data, err := json.Marshal(args)
	if err != nil {
		data = []byte("{}") // strings always are JSON
	}
	return []state.ToolCall{{Name: tool, Arguments: string(data)}}
}

// wanted returns the message without the sentences that state something; all of it when none asks.
func (t turn) wanted() string {
	var asking []string
	for _, sentence := range facts.Sentences(t.question) {
		if facts.IsQuestion(sentence) {
			asking = append(asking, squeeze(sentence))
		}
	}
	if len(asking) == 0 {
		return squeeze(t.question)
	}
	return strings.Join(asking, " ")
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
