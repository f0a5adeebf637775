package spoken

import (
	"slices"
	"strings"
)

// A message with more orders, or a longer one, is one order as it stands: who tells so much tells no list of orders, and each comma of it would be tried.
const (
	mostOrders  = 4
	mostSeveral = 600 // bytes
)

// Several returns the parts of a message of which each orders something by itself, in their order: "Forget where Ana lives and remember that I drink tea" has
// two. A message with one order or none is its own single part, but that something to be kept may stand beside what is none of it. What may be a question
// about a topic is a part if an order stands beside it. Safe for concurrent use.
func Several(message string) []string {
	if len(message) > mostSeveral {
		return []string{message}
	}
	var parts []part
	words := split(message)
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && words[to].sentence == words[from].sentence {
			to++
		}
		for _, p := range ordering(message, words[from:to]) {
			if before := len(parts) - 1; p.orders() && (before < 0 || p.besides(parts[before])) || before >= 0 && p.asks() && p.besides(parts[before]) {
				parts = append(parts, p)
			}
		}
		from = to
	}
	if len(parts) < 2 && !hidden(message, parts) || len(parts) > mostOrders {
		return []string{message}
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.said
	}
	return out
}

// Plain reports whether a message is one clause, or two of which one is short: "Remember, please: she is my sister, Ana". A single word is none.
func Plain(message string) bool {
	const most, short = 2, 3 // clauses; words of a short one
	clauses, long, n := 0, 0, 0
	for _, w := range append(split(message), word{}) {
		switch {
		case w.letters:
			n++
			continue
		case n > short:
			long++
		}
		if n > 1 {
			clauses++
		}
		n = 0
	}
	return clauses <= most && long <= 1
}

// hidden reports whether the one order of a message, to keep something, is not seen in the whole of it, or takes in a question beside it.
func hidden(message string, parts []part) bool {
	if len(parts) != 1 || parts[0].Action != Remember || parts[0].said == message {
		return false
	}
	whole := Find(message)
	return whole.Action == None || strings.Contains(whole.Object, "?") && !strings.Contains(parts[0].Object, "?")
}

// part is what may be one order of several.
type part struct {
	words []word
	said  string
	Command
}

func partOf(message string, words []word) part {
	from := words[0].from
	said := message[from:endClosed(message, from, words[len(words)-1].to)]
	return part{words, said, Find(said)}
}

// orders reports whether a part is an order that is carried out whatever the memory knows, and says what it is about.
func (p part) orders() bool {
	return p.Action != None && p.Action != Unclear && !p.IfKnown && (p.Object != "" || p.Action == ShowAll)
}

// asks reports whether a part may be a question to the memory.
func (p part) asks() bool {
	return (p.Action == AboutTopic && p.Object != "" || p.Action == ShowAll) && strings.HasSuffix(p.said, "?")
}

// besides reports whether a part orders something else than the one before: to keep one thing and forget another, to do something and answer a question, or
// the same in the same word. All else is one order, told in two sentences: "you have my address wrong, write it down properly", "whatever else you forget,
// keep this".
func (p part) besides(before part) bool {
	again := slices.ContainsFunc(before.words, func(w word) bool { return head(w.fold) == head(p.words[0].fold) })
	pair := func(a, b Action) bool {
		return before.Action == a && p.Action == b || before.Action == b && p.Action == a
	}
	shows := func(a Action) bool { return a == ShowAll || a == AboutTopic }
	return before.asks() && !shows(p.Action) || p.asks() && !shows(before.Action) ||
		pair(Remember, ClearTopic) || again && (pair(Remember, Remember) || pair(ClearTopic, ClearTopic))
}

// open reports whether a part may go on with a verb: "remember that I have to call Ana and forget the rest".
func (p part) open() bool {
	return p.Action != ClearTopic && anyDoes("open", p.words)
}

// ordering cuts a sentence where a second order is joined to the first.
func ordering(message string, sentence []word) []part {
	for i := 1; i < len(sentence); i++ {
		comma, next := !sentence[i-1].letters, i
		for next < len(sentence) && sentence[next].does("joins") {
			next++
		}
		if !comma && next == i || next == len(sentence) || !sentence[next].letters || sentence[next].does("that") || !mayOrder(sentence[:i]) || !mayOrder(sentence[next:]) {
			continue
		}
		first, second := partOf(message, sentence[:i]), partOf(message, sentence[next:])
		if first.orders() && second.orders() && second.besides(first) && (comma || !first.open()) {
			return append([]part{first}, ordering(message, sentence[next:])...)
		}
	}
	return []part{partOf(message, sentence)}
}

// mayOrder reports whether words surely order something; it is quick, and does not say what.
func mayOrder(words []word) bool {
	_, likely := likeliest(orders(), words)
	return likely >= sure
}
