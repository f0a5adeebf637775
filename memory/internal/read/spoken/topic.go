package spoken

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// ofTopic returns a command with the topic of what somebody has said as its object: "Frau Huber" of "was ich über Frau Huber gesagt habe", where the object has
// the verb in it or the preposition. Then an order to forget what was said is not about the last message.
func (c Command) ofTopic(message string, words []word) Command {
	if c.Action != ForgetLast && !topical(c.Action) {
		return c
	}
	object := split(c.Object)
	begins := len(object) > 1 && (object[0].does("topic of") || object[0].does("topic of de"))
	if c.Action != ForgetLast && !begins && !anyDoes("said", object) && !anyDoes("said de", object) {
		return c
	}
	from, to := saidTopic(words)
	if !slices.ContainsFunc(words[from:to], func(w word) bool { return len(text.Terms(w.fold)) > 0 }) {
		return c
	}
	if c.Action == ForgetLast {
		c.Action = ClearTopic
	}
	c.Object = message[words[from].from:endClosed(message, words[from].from, words[to-1].to)]
	return c
}

// saidTopic returns the words between "about" and the end of its clause, or the German verb, where a message speaks of what somebody has said; none if it does not.
func saidTopic(words []word) (from, to int) {
	const between = 2 // words: "co jsem řekl vám všem o ..."
	for at, w := range words {
		switch {
		case !anyDoes("what", words[:at]):
		case w.does("said"):
			for from = at + 1; from < len(words) && from <= at+1+between && words[from].letters; from++ {
				if !words[from].does("topic of") {
					continue
				}
				for to = from + 1; to < len(words) && (words[to].letters || words[to].inside); {
					to++
				}
				return from + 1, to
			}
		case w.does("said de"):
			for from = at - 1; from > 0 && words[from].letters; from-- {
				if words[from].does("topic of de") {
					return from + 1, at
				}
			}
		}
	}
	return 0, 0
}
