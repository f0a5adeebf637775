package spoken

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Action is what is to be done with the memory.
type Action string

// What a user may ask of the memory.
const (
	None          Action = "none"
	Remember      Action = "remember"
	ForgetLast    Action = "forget_last"
	DoNotRemember Action = "do_not_remember"
	ShowAll       Action = "show_all"
	AboutTopic    Action = "about_topic"
	ClearTopic    Action = "clear_topic"
	Correct       Action = "correct"
	Pin           Action = "pin"
)

// Actions are all actions, None first.
func Actions() []Action {
	return []Action{None, Remember, ForgetLast, DoNotRemember, ShowAll, AboutTopic, ClearTopic, Correct, Pin}
}

// Command is what a message asks of the memory.
type Command struct {
	Action Action
	Object string // what is to be remembered, the topic, the corrected statement; "" = the last thing said
}

// mostRead bounds how much of a message is read.
const mostRead = 4 << 10

// Find returns the first command of a message; its action is None when there is none. Safe for concurrent use.
func Find(message string) Command {
	g := loaded()
	message = text.Head(message, mostRead)
	words := split(message)
	if c := g.find(message, words); c.Action != None || !g.spelling.mend(words) {
		return c
	}
	return g.find(message, words)
}

// find reads the words in each language and takes the command that stands first, of two at one place the longer one.
func (g *grammar) find(message string, words []word) Command {
	var best match
	for _, v := range g.vocabularies {
		if m := g.read(v, words).first(); m.better(best) {
			best = m
		}
	}
	if best.frame == nil || best.frame.action == None {
		return Command{Action: None}
	}
	from, to := best.object()
	switch {
	case from >= to:
		return Command{Action: best.frame.action}
	case best.frame.action == AboutTopic && best.reader.longest(from, best.reader.g.this) == to-from: // "read all of it"
		return Command{Action: None}
	}
	return Command{best.frame.action, message[words[from].start:words[to-1].end]}
}

// object are the words that follow the command, or stand within it, else those before its clause.
func (m match) object() (from, to int) {
	r := m.reader
	from, to = m.from, m.to
	if from < 0 {
		from, to = m.end, m.end
	}
	if m.frame.rest != closed {
		for to = m.end; to < len(r.words) && (m.statement() || to == from || !r.words[to].Starts); {
			to++
		}
		to = r.dropTails(from, to)
	}
	const fewest = 2 // words that make a statement
	if from >= to && m.statement() && m.clause >= fewest {
		from, to = 0, m.clause
	}
	return from, to
}

// statement reports whether the action is about a statement, which may go on over several sentences, and not about a topic.
func (m match) statement() bool {
	a := m.frame.action
	return a == Remember || a == Correct || a == Pin || a == DoNotRemember
}

// private reports whether a topic is somebody's own: it holds "my", or is one name. What is known of Charles Dickens or of physics is not
// asked of the memory.
func (r *reader) private(from int) bool {
	const most = 6
	for i := from; i < len(r.words) && i < from+most && (i == from || !r.words[i].Starts); i++ {
		if r.is(i, r.g.my) {
			return true
		}
	}
	first, _ := utf8.DecodeRuneInString(r.words[from].Raw)
	return unicode.IsUpper(first) && r.words[r.skipTails(from+1)-1].ends
}

// asks reports whether the sentence of a word ends as a question.
func asks(words []word, i int) bool {
	for ; i < len(words); i++ {
		if words[i].stops {
			return strings.ContainsRune(words[i].after, '?')
		}
	}
	return false
}
