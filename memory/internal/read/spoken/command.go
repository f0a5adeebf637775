package spoken

import (
	"slices"
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
	Unclear       Action = "unclear" // an order to forget that no frame understands
)

// Actions are all actions that a frame may have, None first.
func Actions() []Action {
	return []Action{None, Remember, ForgetLast, DoNotRemember, ShowAll, AboutTopic, ClearTopic, Correct, Pin}
}

// Command is what a message asks of the memory.
type Command struct {
	Action Action
	Object string // what is to be remembered, the topic, the corrected statement; "" = the last thing said

	// IfKnown is that of a question about a name which may be the user's dog or all the world's, and of a correction that may be of anything:
	// it is a command only if the memory knows the name, or what is corrected.
	IfKnown bool

	// Order is that of a correction that is asked for: "correct that: I live in Brno", and not only said: "no, I live in Brno".
	Order bool
}

// mostRead bounds how much of a message is read.
const mostRead = 4 << 10

// Find returns the first command of a message; its action is None when there is none. Safe for concurrent use.
func Find(message string) Command {
	g := loaded()
	message = text.Head(message, mostRead)
	words := split(message)
	c := g.find(message, words)
	if c.Action != None && c.Action != Unclear || !g.spelling.mend(words) {
		return c
	}
	if mended := g.find(message, words); mended.Action != None {
		return mended
	}
	return c
}

// Corrected is what holds by a statement that sets it against what does not: "in York" of "not in Leeds, but in York"; else all of it.
func Corrected(statement string) string {
	words := split(text.Head(statement, mostRead))
	for _, v := range loaded().vocabularies {
		for i := 1; i+1 < len(words); i++ {
			if words[i].clause && slices.Contains(v.instead[words[0].Fold], words[i].Fold) {
				return statement[words[i+1].start:]
			}
		}
	}
	return statement
}

// find reads the words in each language and takes the command that stands first, of two at one place the longer one.
func (g *grammar) find(message string, words []word) Command {
	var best match
	var readers []*reader
	for _, v := range g.vocabularies {
		r := g.read(v, words)
		if m := r.first(); m.better(best) {
			best = m
		}
		readers = append(readers, r)
	}
	if best.frame == nil || best.frame.action == None {
		return unclear(message, readers)
	}
	from, to := best.object()
	switch {
	case from >= to:
		return Command{Action: best.frame.action, Order: best.frame.orders(g)}
	case best.frame.action == AboutTopic && best.reader.longest(from, g.this, g.self, g.thou) == to-from: // "read all of it", "tell me of yourself"
		return Command{Action: None}
	}
	return Command{best.frame.action, message[words[from].start:endClosed(message, words[from].start, words[to-1].end)], best.unsure, best.frame.orders(g)}
}

// endClosed is where a part of a message ends with the signs that close what is opened in it: the bracket of a placeholder, a quotation mark.
func endClosed(message string, from, to int) int {
	for {
		r, size := utf8.DecodeRuneInString(message[to:])
		open, ok := map[rune]string{']': "[", ')': "(", '}': "{", '»': "«", '”': "“„", '“': "„", '"': "\""}[r]
		part := message[from:to]
		if n := strings.Count(part, string(r)); !ok || r == '"' && n%2 == 0 || r != '"' && countAny(part, open) <= n {
			return to
		}
		to += size
	}
}

// countAny counts the signs of a set in a text.
func countAny(s, signs string) (n int) {
	for _, r := range s {
		if strings.ContainsRune(signs, r) {
			n++
		}
	}
	return n
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

// private reports whether a topic is somebody's own: it holds "my", or is somebody of the family or one first name. It is unsure of other
// names of one word, Rex or Einstein. What is known of physics is not asked of the memory.
func (r *reader) private(from int) (own, unsure bool) {
	const most = 6
	for i := from; i < len(r.words) && i < from+most && (i == from || !r.words[i].Starts); i++ {
		if r.is(i, r.g.my) {
			return true, false
		}
	}
	alone, named := r.words[r.skipTails(from+1)-1].ends, r.is(from, r.g.name)
	first, _ := utf8.DecodeRuneInString(r.words[from].Raw)
	return alone && named, alone && !named && unicode.IsUpper(first)
}

// personal reports whether a statement is of the user's own: I, my, a dog, an appointment, somebody he knows. Two and two are nobody's.
func (r *reader) personal(from int) bool {
	const most = 8
	for i := from; i < len(r.words) && i < from+most; i++ {
		if r.is(i, r.g.my, r.g.i, r.g.mine, r.g.own, r.g.name) {
			return true
		}
	}
	return false
}

// bare reports whether the clause that follows is a few words that name a thing: the milk, the formula for a circle. A number or a name says more.
func (r *reader) bare(from int) bool {
	const most = 6
	for i := from; i < len(r.words); i++ {
		first, _ := utf8.DecodeRuneInString(r.words[i].Raw)
		digits := strings.ContainsAny(r.words[i].Raw, "0123456789")
		if i-from >= most || digits || unicode.IsUpper(first) || r.is(i, r.g.my, r.g.i, r.g.mine, r.g.own, r.g.name, r.g.this, r.g.not, r.g.that) {
			return false
		}
		if r.words[i].ends {
			break
		}
	}
	return true
}

// holds reports whether an expression is of a group.
func holds(tags []tag, of groups) bool {
	return slices.ContainsFunc(tags, func(t tag) bool { return t.groups.meet(of) })
}

// asks reports whether the sentence of a word ends as a question. "All right?" behind an order makes none of it.
func (r *reader) asks(i int) bool {
	last := i // the word with which the last clause begins
	for j := i; j < len(r.words); j++ {
		if r.words[j].clause {
			last = j
		}
		if r.words[j].stops {
			tag := last > i && r.dropTails(last, j+1) == last
			return strings.ContainsRune(r.words[j].after, '?') && !tag
		}
	}
	return false
}

// sayings are the clauses of a sentence that say whose words it is, or to whom: "the recipe says", "kids".
type sayings struct {
	from, to int // words of the sentence
	first    int // where the first of them begins, -1 for none
	last     int // where the last one begins of those that end the sentence or are but a few words, else -1
}

// reported reports whether another clause of the sentence of word i says whose words it is, or to whom: one before, or one behind.
func (r *reader) reported(i int) bool {
	if r.says.to <= i {
		r.says = r.sayingsAt(i)
	}
	return r.says.first >= 0 && r.says.first < i || r.says.last > i
}

// sayingsAt looks through the sentence of word i.
func (r *reader) sayingsAt(i int) sayings {
	const few = 3 // words of "he said"
	s := sayings{i, i + 1, -1, -1}
	for s.from > 0 && !r.words[s.from].Starts {
		s.from--
	}
	for s.to < len(r.words) && !r.words[s.to].Starts {
		s.to++
	}
	for begin := s.from; begin < s.to; {
		end := begin + 1
		for end < s.to && !r.words[end].clause {
			end++
		}
		if r.saysWhose(begin, end) {
			if s.first < 0 {
				s.first = begin
			}
			if end == s.to || end-begin <= few {
				s.last = begin
			}
		}
		begin = end
	}
	return s
}

// saysWhose reports whether a clause says whose words others are: "said my brother", "I told him", and not "as I said" or "what he told". So does
// one that calls somebody, "kids", and one that only imagines them: "if I told you".
func (r *reader) saysWhose(begin, end int) bool {
	const near, most = 3, 6 // words of a clause that may hold the verb, and of one that only says so
	says, mine, others, called := false, false, false, true
	for j := begin; j < end; j++ {
		others = others || r.is(j, r.g.people, r.g.name)
		called = called && r.is(j, r.g.people, r.g.my, r.g.polite, r.g.small)
		mine = mine || r.is(j, r.g.i)
		says = says || j-begin < near && r.is(j, r.g.says)
	}
	switch {
	case called && others:
		return true
	case r.is(begin, r.g.suppose):
		return true
	case r.is(begin, r.g.conditional):
		return says || slices.ContainsFunc(r.found[begin:end], func(tags []tag) bool { return holds(tags, r.g.say) })
	case r.is(begin, r.g.what, r.g.that) || !says || end-begin > most:
		return false
	}
	return !mine || others
}
