package spoken

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// toForget returns what a message of one sentence orders to forget, as it says it itself: "please forget that I live in York"; "" where it orders nothing so
// plainly.
func toForget(message string, words []word) string {
	if severalSentences(words) {
		return ""
	}
	for _, lang := range []string{"en", "cs", "pl", "ru", "de"} {
		if what := withoutSigns(message, words, behindOrder(words, " "+lang)); what != "" {
			return what
		}
	}
	return ""
}

// toKeep returns what a German order to think of something says; "" where there is none. The orders were learnt from no German, and "denk dran" has no word
// of theirs.
func toKeep(message string, words []word) string {
	from := behindOrder(words, " think")
	if severalSentences(words) || !anyDoes("of it", words[:from]) {
		return ""
	}
	return withoutSigns(message, words, from)
}

func severalSentences(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.letters && w.sentence > 0 })
}

// withoutSigns returns what a message says from a word on, without signs at its end; "" where it is a single word, or there is no word before it.
func withoutSigns(message string, words []word, from int) string {
	to := len(words)
	for to > from && !words[to-1].letters {
		to--
	}
	if from == 0 || to-from <= 1 {
		return ""
	}
	return message[words[from].from:words[to-1].to]
}

// behindOrder returns where the statement begins behind an order of a language to forget it, 0 if there is none.
func behindOrder(words []word, lang string) int {
	wished := false
	for at, w := range words {
		switch {
		case w.does("orders"+lang) && (wished || at == 0 || !words[at-1].does("who")), wished && w.does("wished"+lang):
			return statement(words, at+1, lang)
		case w.does("wishes" + lang):
			wished = true
		case w.letters && !w.does("before"+lang):
			return 0
		}
	}
	return 0
}

// statement returns where what is to be forgotten begins: behind "that" or a colon, or with the user himself or an indirect question.
func statement(words []word, at int, lang string) int {
	for ; at < len(words); at++ {
		switch w := words[at]; {
		case w.does("that") || w.fold == ":":
			return at + 1
		case asksAt(words, at), w.does("self"), germanThing(words, at):
			return at
		case w.letters && !w.does("behind"+lang):
			return 0
		}
	}
	return 0
}

// asksAt reports whether the rest of the words is one clause that asks: what it tells is the value that is to be forgotten, and not said.
func asksAt(words []word, at int) bool {
	parted := slices.ContainsFunc(words[at:len(words)-1], func(w word) bool { return !w.letters && !w.inside })
	return words[at].letters && !parted && at+1 < len(words) && facts.IsIndirect(words[at].fold+" "+words[at+1].fold)
}

// germanThing reports whether a German order has a thing behind it that an article begins, and is not turned round by a "nicht": "vergiss den Termin".
func germanThing(words []word, at int) bool {
	order := at - 1
	for order > 0 && words[order].fold == "bitte" {
		order--
	}
	return order >= 0 && words[order].does("order de") && words[at].does("thing de") && !anyDoes("not de", words[at:])
}

// opening returns how many words of a message only open it: whom it is said to, up to a sign, and words that say nothing of what is asked. 0 if it is nothing else.
func opening(words []word) int {
	const most = 2 // words of an address
	from := 0
	for from < len(words) && words[from].letters && words[from].does("opens") {
		from++
	}
	sign := slices.IndexFunc(words[from:min(len(words), from+most+1)], func(w word) bool { return !w.letters })
	if sign > 0 {
		from += sign + 1
	}
	for from < len(words) && (!words[from].letters || words[from].does("opens")) {
		from++
	}
	if from == len(words) {
		return 0
	}
	return from
}

// notToForget reports whether a message says that something is not to be forgotten: it orders to forget nothing then, however much it sounds like it.
func notToForget(words []word) bool {
	if anyDoes("keeps de", words) && !anyDoes("unless de", words) || anyDoes("keeps", words) {
		return true
	}
	for i, w := range words {
		if i > 0 && w.does("forgets") && words[i-1].does("not") || w.does("forgets de") && anyDoes("not de", words[i+1:min(i+2, len(words))]) {
			return true
		}
	}
	return false
}

// keepsThat reports whether a message begins with an order not to forget that something is so, and states a number or a date: it is an order then, however much
// it goes on to say. Without one it may be what somebody else said: "don't forget that the oven is on, she shouted".
func keepsThat(words []word) bool {
	said := make([]string, 0, mostKeeps)
	for _, w := range words[:min(len(words), mostKeeps)] {
		if w.letters {
			said = append(said, w.fold)
		}
	}
	for n := 1; n < len(said); n++ {
		if listed().Has("keeps that", strings.Join(said[:n], "_")) {
			return listed().Has("that", said[n]) && slices.ContainsFunc(words, func(w word) bool { return text.Digits(w.fold) > 0 })
		}
	}
	return false
}

// mostKeeps is how many words and signs an order not to forget has at most, with the "that" behind it.
const mostKeeps = 5

// tellsForgetting reports whether a message says or asks that somebody forgets, and orders nothing: "you forget everything", "did you forget it?", "I forget".
// "Could you forget" is a wish, and "how could you forget" is none.
func tellsForgetting(words []word) bool {
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w.fold, "forget") && words[i-1].does("who") && (!anyDoes("wish", words[:i-1]) || anyDoes("asks", words[:i-1])) {
			return true
		}
	}
	return false
}
