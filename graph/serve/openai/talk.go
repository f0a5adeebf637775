package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/state"
)

// talk is what a client sends: its history, of which the last exchange is the one to be answered, and how it wants to be answered.
type talk struct {
	system    string
	exchanges []exchange
	tools     []tool.InvokableTool
	options   []model.Option
	one       bool // call of a tool at a time

	model, user, session string
	after                string // the turn that it follows, of the session; "" = it brings its history, or none
	key                  string // by which the client tells one delivery from another, "" = none
	retried              bool   // the client says that it sends it again
	unstored             bool
	streams              bool // the answer is to be a stream
}

// exchange is what the user says, and what came of it.
type exchange struct {
	said    string
	parts   []state.Part
	calls   []string // names of tools that the answer called
	results []result
	answer  string
	over    bool         // it has an answer
	choice  state.Choice // by which the user has answered what the turn asked him
	asked   string       // and in which words it was asked, where the client has them
}

// bare reports whether the user says nothing in it.
func (e *exchange) bare() bool { return e.said == "" && len(e.parts) == 0 }

// result is what a tool came to, that the client has run.
type result struct{ call, text string }

// last is the exchange that is to be answered.
func (t *talk) last() *exchange { return &t.exchanges[len(t.exchanges)-1] }

// addUser takes a message of the user in. Several in a row are one, and one that decides what the turn before it asked belongs to that turn.
func (t *talk) addUser(text string, parts []state.Part) {
	if len(t.exchanges) > 0 {
		e := t.last()
		choice, decides := choiceOf(text)
		switch {
		case e.over && decides && asksApproval(e.answer):
			e.over, e.answer, e.choice, e.asked = false, "", choice, e.answer
			return
		case !e.over && len(e.calls)+len(e.results) == 0 && e.choice == "":
			e.said, e.parts = joined(e.said, text), append(e.parts, parts...)
			return
		}
	}
	t.exchanges = append(t.exchanges, exchange{said: text, parts: parts})
}

// addAssistant takes an answer in. What was said before the user's first message is nobody's answer.
func (t *talk) addAssistant(text string, calls []string) {
	if len(t.exchanges) == 0 {
		return
	}
	e := t.last()
	if len(calls) > 0 {
		e.calls, e.over = append(e.calls, calls...), false
		return
	}
	e.answer, e.over = joined(e.answer, text), true
}

// addResult takes the result of a call in.
func (t *talk) addResult(call, text string) {
	if len(t.exchanges) == 0 { // the message that was answered by the call is the session's last
		t.exchanges = append(t.exchanges, exchange{})
	}
	e := t.last()
	e.results, e.over = append(e.results, result{call, text}), false
}

// check refuses a talk in which there is nothing to be answered.
func (t *talk) check(field string) error {
	switch {
	case len(t.exchanges) == 0:
		return refuse(field, "has no message of role user; the last one is what is answered")
	case t.last().over:
		return refuse(field, "ends with an answer; end it with a message of role user, or with results of tools")
	case bare(t.last().said) == "" && len(t.last().parts)+len(t.last().results) == 0:
		return refuse(field, "ends with a message that says nothing")
	}
	return nil
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// bare is a text without its white space: clients trim and wrap.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// sum is a hash of texts, in short.
func sum(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = h.Write([]byte(text)) // never fails
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// ids are the names of the turns of a history, each a hash of what came before it and of its message.
func ids(from string, exchanges []exchange) []string {
	out, before := make([]string, 0, len(exchanges)), from
	for _, e := range exchanges {
		id := sum(append([]string{before, bare(e.said)}, urls(e.parts)...)...)
		out = append(out, "oa-"+id)
		before = sum(id, e.bareAnswer())
	}
	return out
}

// bareAnswer is the answer as it is compared. One that asks for an approval is worded by this package.
func (e exchange) bareAnswer() string {
	if asksApproval(e.answer) {
		return ""
	}
	return bare(e.answer)
}

func urls(parts []state.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.URL)
	}
	return out
}

// kept is an exchange as a session has it.
type kept struct {
	turn    string
	said    string
	parts   []state.Part
	msg     state.Message // the user's
	answers []string      // of the assistant; the last one is the answer
	over    bool
	cut     bool
}

// keptOf are the exchanges of a session's messages. What was taken back is left out, and so is an attempt that failed before another one.
func keptOf(messages []state.Message) (out []kept) {
	for _, m := range messages {
		switch {
		case m.Undone:
		case m.Role == state.RoleUser:
			if n := len(out) - 1; n >= 0 && !out[n].over && m.Turn != "" && out[n].is(base(m.Turn)) {
				out = out[:n]
			}
			out = append(out, kept{turn: m.Turn, said: m.Text, parts: m.Parts, msg: m})
		case len(out) == 0 || m.Turn != out[len(out)-1].turn || m.Role != state.RoleAssistant:
		default:
			k := &out[len(out)-1]
			k.answers, k.cut = append(k.answers, m.Text), m.Cut
			k.over = k.over || len(m.ToolCalls) == 0
		}
	}
	return out
}

// is reports whether a turn is the one of an id, at whichever attempt.
func (k kept) is(id string) bool {
	return id != "" && base(k.turn) == id
}

// base is the name of a turn without the number of its attempt.
func base(turn string) string {
	name, _, _ := strings.Cut(turn, ".")
	return name
}

// says reports whether the user's words of a client's exchange are these. Their id says so by what came before; else their text does, which is kept
// without secrets.
func (k kept) says(e exchange, id string, mask func(string) string) bool {
	return k.is(id) || same(e.said, k.said, mask) && slices.Equal(urls(e.parts), urls(k.parts))
}

// matches reports whether a client's exchange is this one. What the client saw no answer to, or what asked for an approval, may have come to anything.
func (k kept) matches(e exchange, id string, mask func(string) string) bool {
	if !k.says(e, id, mask) {
		return false
	}
	return !e.over || asksApproval(e.answer) || k.over && k.answered(e, mask)
}

// answered reports whether an exchange has this one's answer. A client that stopped reading has the beginning of it.
func (k kept) answered(e exchange, mask func(string) string) bool {
	if k.cut {
		return true
	}
	whole, last, got := bare(strings.Join(k.answers, "")), bare(k.answers[len(k.answers)-1]), bare(mask(e.answer))
	return got != "" && (strings.HasPrefix(last, got) || strings.HasPrefix(whole, got)) || got == last || same(e.answer, k.answers[len(k.answers)-1], mask)
}

func same(sent, stored string, mask func(string) string) bool {
	return bare(sent) == bare(stored) || bare(mask(sent)) == bare(stored)
}
