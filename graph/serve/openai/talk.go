package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/state"
)

// talk is what a client sends: its history, of which the last exchange is the one to be answered, and how it wants to be answered.
type talk struct {
	systems   []string // of which system is made
	system    string
	exchanges []exchange
	tools     []tool.InvokableTool
	options   []model.Option
	one       bool // call of a tool at a time

	model, user, session string
	after                string // the turn that it follows, of the session; "" = it brings its history, or none
	refers               string // the response that the client says so by, with the id of an item alone
	key                  string // by which the client tells one delivery from another, "" = none
	retried              bool   // the client says that it sends it again
	unstored             bool
	notes                []string        // of what it is about and no part of
	streams              bool            // the answer is to be a stream
	format               json.RawMessage // that the answer is to have, as chat completions say it; nil = text
	formatField          string          // by which the client said so
}

// exchange is what the user says, and what came of it.
type exchange struct {
	saids   []string // the messages of which said is made
	answers []string // and answer
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

// asksApproval reports whether the answer may be one that waits for an approval. Only the store knows whether it is: a model can write the same.
func (e *exchange) asksApproval() bool { return strings.Contains(e.answer, needApproval) }

// join makes texts of the messages.
func (e *exchange) join() { e.said, e.answer = joined(e.saids...), joined(e.answers...) }

// result is what a tool came to, that the client has run.
type result struct{ call, text string }

// last is the exchange that is to be answered.
func (t *talk) last() *exchange { return &t.exchanges[len(t.exchanges)-1] }

// brings reports whether the client sends more than what is new.
func (t *talk) brings() bool {
	return len(t.exchanges) > 1 || len(t.last().results) > 0 && t.last().said != ""
}

// addUser takes a message of the user in. Several in a row are one, but for one that may decide what the turn before it asked.
func (t *talk) addUser(text string, parts []state.Part) {
	if n := len(t.exchanges); n > 0 {
		e := t.last()
		decides := n > 1 && t.exchanges[n-2].asksApproval() && len(e.saids) == 1
		if decides {
			_, decides = choiceOf(e.saids[0])
		}
		if !e.over && len(e.calls)+len(e.results) == 0 && !decides {
			e.saids, e.parts = append(e.saids, text), append(e.parts, parts...)
			return
		}
	}
	t.open(exchange{saids: []string{text}, parts: parts})
}

// open begins an exchange; the one before it is whole.
func (t *talk) open(e exchange) {
	if len(t.exchanges) > 0 {
		t.last().join()
	}
	t.exchanges = append(t.exchanges, e)
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
	e.answers, e.over = append(e.answers, text), true
}

// addResult takes the result of a call in.
func (t *talk) addResult(call, text string) {
	if len(t.exchanges) == 0 { // the message that was answered by the call is the session's last
		t.open(exchange{})
	}
	e := t.last()
	e.results, e.over = append(e.results, result{call, text}), false
}

// mostExchanges bounds what is compared with what sessions have.
const mostExchanges = 10_000

// check makes a talk whole, and refuses one in which there is nothing to be answered.
func (t *talk) check(field string) error {
	t.system = joined(t.systems...)
	if len(t.exchanges) > 0 {
		t.last().join()
	}
	switch n := len(t.exchanges); {
	case n == 0:
		return refuse(field, "has no message of role user; the last one is what is answered")
	case n > mostExchanges:
		return refuse(field, "has %d messages of the user's that were answered, at most %d are taken; name the session and send what is new", n, mostExchanges)
	case t.last().over:
		return refuse(field, "ends with an answer; end it with a message of role user, or with results of tools")
	case bare(t.last().said) == "" && len(t.last().parts)+len(t.last().results) == 0:
		return refuse(field, "ends with a message that says nothing")
	}
	return nil
}

// joined is texts as one, without those that are empty.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }), "\n\n")
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

// sum is a hash of what came before an exchange and of the user's message.
func (e *exchange) sum(before string) string {
	return sum(append([]string{before, bare(e.said)}, urls(e.parts)...)...)
}

// ids are the names of the turns of a history, each a hash of what came before it and of its message.
func ids(from string, exchanges []exchange) []string {
	out, before := make([]string, 0, len(exchanges)), from
	for _, e := range exchanges {
		id := e.sum(before)
		out = append(out, "oa-"+id)
		before = sum(id, bare(e.answer))
	}
	return out
}

func urls(parts []state.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.URL)
	}
	return out
}
