package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// The tools this model knows how to use, as they are offered.
const (
	memoryStore  = "memory_store"
	memoryRecall = "memory_recall"
	listAffairs  = "list_affairs"
	memoryUpdate = "memory_update"
)

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

// language is that of the question; where it shows none, that of what was said before or is known, else the one
// the system prompt names. Words as short as "OK" belong to all languages.
func language(p prompt) string {
	lang := cmp.Or(p.lang, "en")
	for _, said := range append([]string{p.memory.active.title, p.memory.active.summary}, append(p.said, p.question)...) {
		if utf8.RuneCountInString(strings.Trim(said, " .,!?")) > 2 {
			lang = text.Language(said, lang)
		}
	}
	return lang
}

// greeted is the language whose greeting or thanks a short message is: few words mislead a guess.
func (l library) greeted(words []string, guess string) string {
	for _, lang := range append([]string{guess}, l.languages()...) {
		if p, name := l.of(lang); begins(words, p.Cues.Greeting) || begins(words, p.Cues.Thanks) {
			return name
		}
	}
	return guess
}

// respond answers in words or with calls of tools, never with both. A secret in the message was masked, and the answer says that it is not kept.
// What a command to the memory came to is said, else first what was
// told is stored, then what was asked is answered.
func (t turn) respond() (string, []state.ToolCall) {
	reply, calls := t.reply()
	if len(calls) == 0 && strings.Contains(t.question, state.MaskOpening) {
		reply += " " + t.phrases.say("masked")
	}
	return reply, calls
}

// reply is the answer but for what it says of secrets.
func (t turn) reply() (string, []state.ToolCall) {
	if c, called := t.called(memoryUpdate); called {
		if reply := t.updated(c); reply != "" {
			return reply, nil
		}
		return t.answer(statement{})
	}
	told := t.told()
	if t.mayCall(memoryStore) && told.any() {
		return "", []state.ToolCall{{Name: memoryStore, Arguments: told.arguments(t.lang)}}
	}
	reply := t.confirm(told)
	if t.asks() {
		answer, calls := t.answer(told)
		if len(calls) > 0 {
			return "", calls
		}
		return strings.TrimSpace(reply + " " + answer), nil
	}
	if reply == "" {
		reply = t.acknowledge()
	}
	return reply, nil
}

// mayCall reports whether a tool is offered, was not called in this turn and a round is left for it.
func (t turn) mayCall(tool string) bool {
	_, called := t.called(tool)
	return slices.Contains(t.offered, tool) && !called && t.rounds < maxRounds
}

// asks reports whether the message wants an answer.
func (t turn) asks() bool {
	c := t.phrases.Cues
	return facts.IsQuestion(t.question) || has(t.words, c.Overview) || len(t.words) <= 8 && has(t.words, c.Next)
}

// acknowledge answers a message that states nothing to keep and asks nothing.
func (t turn) acknowledge() string {
	c := t.phrases.Cues
	switch {
	case begins(t.words, c.Thanks):
		return t.phrases.say("thanks")
	case begins(t.words, c.Greeting):
		return t.phrases.say("greeting")
	case t.memory.active.title != "":
		return t.phrases.say("ack_affair", "title", t.memory.active.title)
	}
	return t.phrases.say("ack")
}

// statement is what a message states that is worth keeping: facts, or a clause it asks to remember.
type statement struct {
	clause string
	facts  []facts.Fact
}

func (s statement) any() bool { return s.clause != "" }

// told reads the sentences of the message that are no questions.
func (t turn) told() statement {
	var s statement
	var clauses []string
	for _, sentence := range facts.Sentences(t.question) {
		if facts.IsQuestion(sentence) {
			continue
		}
		found := worthy(facts.Extract(sentence, t.lang))
		rest, keep := after(sentence, t.phrases.Cues.Keep, t.phrases.Cues.That)
		if len(found) > 0 || keep {
			s.facts, clauses = append(s.facts, found...), append(clauses, rest)
		}
	}
	s.clause = squeeze(strings.Join(clauses, " "))
	return s
}

// worthy leaves out facts that say nothing by themselves: a time of day or a measure that no word names.
func worthy(found []facts.Fact) []facts.Fact {
	return slices.DeleteFunc(found, func(f facts.Fact) bool {
		return !f.Named && (f.Kind == facts.Time || f.Kind == facts.Measure)
	})
}

// Bounds in runes: the message's own words that go along with the facts, and a subject made of them.
const (
	maxClause  = 300
	maxSubject = 60
)

// arguments are those of memory_store: all facts in one note, with the words they were said in.
func (s statement) arguments(lang string) string {
	content := cut(s.clause, maxClause)
	if len(s.facts) > 0 {
		content = s.list(func(f facts.Fact) string { return f.Label + ": " + f.Value }, "; ") + " (" + content + ")"
	}
	data, err := json.Marshal(struct {
		Subject  string           `json:"subject"`
		Content  string           `json:"content"`
		Category state.RecordKind `json:"category"`
	}{s.subject(), content, facts.Category(s.facts, s.clause, lang)})
	if err != nil {
		return "{}" // strings always are JSON
	}
	return string(data)
}

// subject is the label of the first fact that words of the message name, else the first words of the clause.
func (s statement) subject() string {
	for _, f := range s.facts {
		if f.Named {
			return f.Label
		}
	}
	const most = 6
	words := strings.Fields(s.clause)
	for i, w := range words {
		if i == most || strings.Contains(w, "://") {
			words = words[:i]
			break
		}
	}
	subject := strings.Trim(strings.Join(words, " "), " .,;:!-–—")
	switch {
	case subject != "":
		return subject
	case len(s.facts) > 0:
		return s.facts[0].Label
	}
	return cut(s.clause, maxSubject)
}

// list writes the facts one after the other, each by show.
func (s statement) list(show func(facts.Fact) string, between string) string {
	var parts []string
	for _, f := range s.facts {
		if part := show(f); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

// suggested begins the result of a call that changes nothing before the user has approved of it.
const suggested = "suggested"

// confirm says what became of what was told; nothing if nothing was.
func (t turn) confirm(s statement) string {
	if !s.any() {
		return ""
	}
	what := s.list(func(f facts.Fact) string {
		return shown(item{label: f.Label, value: f.Value, kinds: []facts.Kind{f.Kind}})
	}, ", ")
	if what == "" {
		what = strings.TrimRight(s.clause, ".!")
	}
	c, called := t.called(memoryStore)
	switch reason, failed := strings.CutPrefix(c.result, "error: "); {
	case called && failed:
		return t.phrases.say("not_stored", "reason", strings.TrimRight(reason, "."))
	case called && strings.HasPrefix(c.result, suggested):
		return t.phrases.say("approval", "facts", what)
	case called:
		return t.phrases.say("stored", "facts", what)
	}
	return t.phrases.say("noted", "facts", what)
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to at most n runes.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}
