package spoken

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/linear"
)

// How much surer words are taken to be than the model says, by the logarithm of the odds.
const (
	doubt     = 1.5 // when there is an object at all: a word too many does less harm than one too few
	doubtful  = 3.  // of the same clause as a statement
	unrelated = 2.  // of the same clause as a topic
	despair   = 2.5 // when an order must be about something
)

// add raises how likely each word is.
func add(likely []float64, much float64) []float64 {
	out := slices.Clone(likely)
	for i := range out {
		out[i] += much
	}
	return out
}

// object returns what an order is about: the run of words that are most likely its own; "" when it only points back. A topic is looked for with doubt at once.
func object(likely []float64, message string, words []word, action Action) string {
	if from, to := best(likely); from == to && !topical(action) {
		return ""
	}
	likely = add(likely, doubt)
	from, to := best(likely)
	if from == to {
		return ""
	}

	// The rest of the clause, and no signs at the ends, and no "that" before it.
	low := -doubtful
	if topical(action) {
		low = -unrelated
	}
	for from > 0 && (words[from-1].letters && likely[from-1] > low || words[from-1].inside) {
		from--
	}
	for to < len(words) && (words[to].letters && likely[to] > low || words[to].inside) {
		to++
	}
	for from < to && (!words[from].letters || words[from].does("that")) {
		from++
	}
	for from < to && !words[to-1].letters {
		to--
	}
	if topical(action) {
		from, to = withoutNote(words, from, to)
		from, to = withoutKnowing(words, from, to)
		if from > 0 && from < to && words[from-1].letters && !words[from-1].does("that") && facts.IsIndirect(words[from-1].fold) { // "what the insurance pays" is no topic
			from--
		}
	}
	if from == to {
		return ""
	}
	return message[words[from].from:endClosed(message, words[from].from, words[to-1].to)]
}

// withoutNote returns what a note is about: "gluten" of "the note about gluten" and of "the gluten thing".
func withoutNote(words []word, from, to int) (int, int) {
	for i := from; i+2 < to && i <= from+2; i++ {
		if words[i].does("note") && words[i+1].does("about") {
			return i + 2, to
		}
	}
	if to-from > 1 && words[to-1].does("thing") {
		to--
	}
	return from, to
}

// withoutKnowing returns what somebody knows of, without the German verb that stands behind it: "meine Wohnung" of "was du über meine Wohnung weißt".
func withoutKnowing(words []word, from, to int) (int, int) {
	if to-from < 2 || !words[to-1].does("knows de") {
		return from, to
	}
	for to--; from+1 < to && words[from].does("of de"); {
		from++
	}
	return from, to
}

// topical reports whether the object of an action is a topic, and not a statement.
func topical(a Action) bool { return a == ClearTopic || a == AboutTopic }

// best is the run with the highest sum; empty when no word adds to it.
func best(likely []float64) (from, to int) {
	most, sum, start := 0., 0., 0
	for i, x := range likely {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += x; sum > most {
			most, from, to = sum, start, i+1
		}
	}
	return from, to
}

// likelyWords says of each word how likely the order is about it: the logarithm of the odds.
func likelyWords(orders, objects *linear.Model, message string, words []word, action Action) []float64 {
	out := make([]float64, len(words))
	ordering := orderingSentence(orders, words)
	for i := range words {
		out[i] = objects.Score(signsOfWord(message, words, i, action, ordering))
	}
	return out
}

// orderingSentence returns the number of the sentence that orders most likely.
func orderingSentence(m *linear.Model, words []word) (sentence int) {
	most := -1.
	for from := 0; from < len(words); {
		to := from
		for to < len(words) && words[to].sentence == words[from].sentence {
			to++
		}
		if _, likely := likeliest(m, words[from:to]); likely > most {
			sentence, most = words[from].sentence, likely
		}
		from = to
	}
	return sentence
}

// place is where a word stands: words before and behind it in its sentence, and the nearest signs there.
type place struct {
	from, to      int
	before, after string
}

func placeOf(words []word, i int) place {
	p := place{before: "^", after: "$"}
	j := i - 1
	for ; j >= 0 && words[j].sentence == words[i].sentence; j-- {
		if p.before == "^" && !words[j].letters {
			p.before = words[j].fold
		}
	}
	p.from = i - j - 1
	for j = i + 1; j < len(words) && words[j].sentence == words[i].sentence; j++ {
		if p.after == "$" && !words[j].letters {
			p.after = words[j].fold
		}
	}
	p.to = j - i - 1
	return p
}

// signsOfWord returns what is seen of a word in an order: its neighbours, its place in the sentence, and the sentence that orders.
func signsOfWord(message string, words []word, i int, action Action, ordering int) (s linear.Signs) {
	const near, far = 6, 9
	group := "S"
	if topical(action) {
		group = "T"
	}
	before2, before, w, next, next2 := at(words, i-2), at(words, i-1), at(words, i), at(words, i+1), at(words, i+2)
	p := placeOf(words, i)
	side := number(min(2, max(-2, words[i].sentence-ordering)) + 3)
	s.Add('0', w, group)
	s.Add('1', next, group)
	s.Add('2', next2, group)
	s.Add('3', before, group)
	s.Add('4', before2, group)
	s.Add('5', head(w), group)
	s.Add('6', head(next), group)
	s.Add('7', head(before), group)
	s.Add('8', tail(w), group)
	s.Add('a', before, w, group)
	s.Add('b', w, next, group)
	s.Add('c', before2, before, group)
	s.Add('d', next, next2, group)
	s.Add('e', head(before), head(w), head(next), group)
	s.Add('f', head(before2), head(before), head(w), group)
	s.Add('g', w, string(action))
	s.Add('h', before, string(action))
	s.Add('i', p.before, group)
	s.Add('j', p.after, group)
	s.Add('k', number(min(p.from, far)), group)
	s.Add('l', number(min(p.to, far)), group)
	s.Add('m', number(min(p.from, near)), number(min(p.to, near)), group)
	s.Add('n', side, group)
	s.Add('o', side, number(min(p.from, near)), group)
	s.Add('p', side, p.before, group)
	s.Add('q', side, string(action))
	first, _ := utf8.DecodeRuneInString(message[words[i].from:])
	if unicode.IsDigit(first) {
		s.Add('r', group)
	}
	if unicode.IsUpper(first) {
		s.Add('s', number(min(p.from, 1)), group)
	}
	return s
}

// tail returns the end of a word, where inflection shows.
func tail(w string) string {
	const bytes = 3
	return w[max(0, len(w)-bytes):]
}

// endClosed returns where a part of a message ends with the signs that close what is opened in it: the bracket of a placeholder, a quotation mark.
func endClosed(message string, from, to int) int {
	for {
		r, size := utf8.DecodeRuneInString(message[to:])
		open, ok := map[rune][]rune{']': {'['}, ')': {'('}, '}': {'{'}, '»': {'«'}, '”': {'“', '„'}, '“': {'„'}, '"': {'"'}}[r]
		opened, closed := 0, 0
		for _, in := range message[from:to] {
			switch {
			case in == r && r != '"':
				closed++
			case slices.Contains(open, in):
				opened++
			}
		}
		if !ok || r == '"' && opened%2 == 0 || r != '"' && opened <= closed {
			return to
		}
		to += size
	}
}
