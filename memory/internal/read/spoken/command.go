package spoken

import (
	"strings"

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

// Command is what a message asks of the memory.
type Command struct {
	Action Action
	Object string // what is to be remembered, the topic, the corrected statement; "" = the last thing said
	Lang   string // of the pattern that found it
}

// mostRead bounds how much of a message is read.
const mostRead = 4 << 10

// Find returns the first command of a message; its action is None when there is none. Safe for concurrent use.
func Find(message string) Command {
	k := loaded()
	message = text.Head(message, mostRead)
	words := split(message)
	if c := k.find(message, words); c.Action != None {
		return c
	}
	if !k.mend(words) {
		return Command{Action: None}
	}
	return k.find(message, words)
}

// find looks for a pattern at each place where a clause begins, and behind the leads there.
func (k *knowledge) find(message string, words []word) Command {
	plain := make([]text.Word, len(words))
	for i, w := range words {
		plain[i] = w.Word
	}
	reach := make([]int, len(words)+1) // where the clause of a position begins; -1 = no pattern may begin here
	for i := range reach {
		reach[i] = -1
	}
	for i := range words {
		if words[i].clause {
			reach[i] = i
		}
		from := reach[i]
		if from < 0 || words[i].quoted {
			continue
		}
		if c, ok := k.at(message, words, plain, from, i); ok {
			return c
		}
		for p := range k.leads.At(plain[i]) {
			if n := p.Match(plain[i:], false, nil); n > 0 && reach[i+n] < 0 {
				reach[i+n] = from
			}
		}
	}
	return Command{Action: None}
}

// at is the command of the longest pattern that fits at word i of a clause.
func (k *knowledge) at(message string, words []word, plain []text.Word, clause, i int) (Command, bool) {
	var best meaning
	length, end, first := 0, 0, len(words)
	for p := range k.patterns.At(plain[i]) {
		n := p.Match(plain[i:], false, nil)
		if n == 0 || p.Begins && !words[clause].Starts || p.Is.action == Remember && !p.Is.asks && clause == i && asks(words, i) {
			continue
		}
		last := k.skipTails(words, plain, i+n)
		closed := last == len(words) || words[last-1].ends
		if p.Is.rest == closedOnly && !closed || p.Is.rest == needed && last == len(words) {
			continue
		}
		if p.Is.action != None && p.Is.rest != closedOnly {
			first = min(first, i+n)
		}
		if n > length || n == length && p.Is.action == None {
			best, length, end = p.Is, n, i+n
		}
	}
	if statement(best.action) {
		end = min(end, first) // a longer pattern took words of the statement
	}
	if length == 0 || best.action == None {
		return Command{}, false
	}
	return Command{best.action, k.object(message, words, plain, best, clause, end), best.lang}, true
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

// skipTails returns the word behind the tails that stand from word i on, which is i when none ends its clause.
func (k *knowledge) skipTails(words []word, plain []text.Word, i int) int {
	for j := i; j < len(words); {
		n := 0
		for p := range k.tails.At(plain[j]) {
			n = max(n, p.Match(plain[j:], true, nil))
		}
		if n == 0 {
			break
		}
		if j += n; words[j-1].ends {
			return j
		}
	}
	return i
}

// statement reports whether an action is about a statement, which may go on over several sentences, and not about a topic.
func statement(a Action) bool {
	return a == Remember || a == Correct || a == Pin || a == DoNotRemember
}

// object is what follows the pattern, else what stands before its clause.
func (k *knowledge) object(message string, words []word, plain []text.Word, is meaning, clause, end int) string {
	whole := statement(is.action)
	if is.rest != closedOnly || whole && strings.Contains(words[end-1].after, ":") {
		end = k.skipTails(words, plain, end)
		for whole && end < len(words) && k.glue[words[end].Fold] {
			end++
		}
		to := end
		for to < len(words) && (whole || to == end || !words[to].Starts) {
			to++
		}
		to = k.dropTails(plain, end, to)
		if object := cut(message, words, end, to); object != "" {
			return object
		}
	}
	const fewest = 2 // words that make a statement
	if whole && clause >= fewest {
		return cut(message, words, 0, clause)
	}
	return ""
}

// dropTails returns the end of words[from:to] without the tails there.
func (k *knowledge) dropTails(plain []text.Word, from, to int) int {
	for j := from + 1; j < to; j++ {
		n := j
		for n < to {
			m := 0
			for p := range k.tails.At(plain[n]) {
				m = max(m, p.Match(plain[n:to], true, nil))
			}
			if m == 0 {
				break
			}
			n += m
		}
		if n == to {
			return j
		}
	}
	return to
}

// cut is a piece of a message as it was written.
func cut(message string, words []word, from, to int) string {
	if from >= to {
		return ""
	}
	return message[words[from].start:words[to-1].end]
}
