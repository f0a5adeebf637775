package affair

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Summarise continues a summary over messages: it chooses the most telling sentences of both, in the order they
// were said, one on a line, and never exceeds maxTokens as count counts them. It is "" when nothing tells anything.
// What tools returned is left out, and of the messages the last 32 KB are read.
func Summarise(prev string, messages []state.Message, maxTokens int, count func(string) int) string {
	lines := gather(prev, lately(messages))
	rate(lines)
	byScore := slices.Clone(lines)
	slices.SortStableFunc(byScore, func(a, b *line) int { return cmp.Compare(b.score, a.score) })
	used := 0
	var chosen []*line
	for _, l := range byScore {
		if l.score <= 0 || len(chosen) >= mostLines || repeats(l, chosen) {
			continue
		}
		cost := count(l.text) + 1
		if used+cost > maxTokens {
			continue
		}
		used += cost
		chosen = append(chosen, l)
	}
	for {
		out := inOrder(chosen)
		if len(chosen) == 0 || count(out) <= maxTokens {
			return out
		}
		chosen = chosen[:len(chosen)-1] // a tokenizer may count joined lines higher
	}
}

// Shorten returns a text of at most maxTokens as count counts them: its first whole sentences.
func Shorten(s string, maxTokens int, count func(string) int) string {
	if count(s) <= maxTokens {
		return s
	}
	end, rest := 0, s
	for _, sentence := range facts.Sentences(s) {
		at := strings.Index(rest, sentence)
		if at < 0 {
			break
		}
		next := len(s) - len(rest) + at + len(sentence)
		if count(s[:next]) > maxTokens {
			break
		}
		end, rest = next, s[next:]
	}
	return strings.TrimSpace(s[:end])
}

// lately returns the last messages that are not too long together; the first of them may be cut.
func lately(messages []state.Message) []state.Message {
	left, from := mostTexts, len(messages)
	for from > 0 && left > 0 {
		from--
		left -= min(len(messages[from].Text), mostText)
	}
	messages = slices.Clone(messages[from:])
	for i := range messages {
		messages[i].Text = text.Head(messages[i].Text, mostText)
	}
	return messages
}

// The bounds of a summary's parts.
const (
	mostLines = 60
	lineRunes = 400
)

// line is one sentence that may stand in a summary.
type line struct {
	at    int
	text  string
	terms []string
	facts []string // plain values
	role  state.Role
	score float64
}

// gather takes the earlier summary and the messages apart.
func gather(prev string, messages []state.Message) []*line {
	var out []*line
	seen := map[string]bool{} // a summary quotes, so its lines come again with the messages
	add := func(s string, role state.Role) {
		s = strings.Join(strings.Fields(s), " ")
		if utf8.RuneCountInString(s) > lineRunes {
			s = strings.ToValidUTF8(string([]rune(s)[:lineRunes-1])+"…", "")
		}
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, &line{at: len(out), text: s, role: role, terms: terms(s)})
		}
	}
	for l := range strings.Lines(prev) {
		add(l, "")
	}
	for _, m := range messages {
		if m.Role == state.RoleTool {
			continue
		}
		for _, s := range facts.Sentences(m.Text) {
			add(s, m.Role)
		}
	}
	return out
}

// rate gives every line its score: mean weight of its terms, more for facts, names, decisions, open actions and the user's own
// words, less for questions; nothing for lines without content.
func rate(lines []*line) {
	// How many lines have each term.
	df := map[string]int{}
	for _, l := range lines {
		for _, t := range l.terms {
			df[t]++
		}
	}

	// The weight of a line's terms: rare ones weigh more.
	for _, l := range lines {
		var weight float64
		for _, t := range l.terms {
			weight += math.Log(1 + float64(len(lines))/float64(df[t]))
		}

		// What it states; a line with neither words nor facts is worth nothing.
		reading := facts.Read(l.text, anyLanguage)
		found := reading.Facts()
		for _, f := range found {
			l.facts = append(l.facts, text.Packed(f.Value))
		}
		if len(l.terms) < 2 && len(found) == 0 {
			continue
		}

		// What such lines are worth besides, and what makes them worth less.
		l.score = weight / math.Sqrt(float64(len(l.terms)+1))
		l.score += 1.2*float64(min(len(found), 3)) + .6*float64(min(countNames(l.text), 2))
		if reading.Decides() {
			l.score += 1.6
		}
		if len(reading.Pending()) > 0 {
			l.score += 0.8
		}
		l.score *= roleWeight(l.role) * (1 + 0.2*float64(l.at)/float64(len(lines)))
		if reading.IsQuestion() {
			l.score *= 0.3
		}
	}
}

// countNames counts words of a line that begin with a capital letter for another reason than that they come first.
func countNames(s string) int {
	n := 0
	for i, w := range strings.Fields(s) {
		first, _ := utf8.DecodeRuneInString(w)
		if i > 0 && unicode.IsUpper(first) && utf8.RuneCountInString(w) > 2 {
			n++
		}
	}
	return n
}

// roleWeight prefers the user's words to the assistant's, and what was found worth keeping before to both.
func roleWeight(role state.Role) float64 {
	switch role {
	case state.RoleUser:
		return 1.15
	case "":
		return 1.2
	}
	return 1
}

// repeats reports whether the chosen lines say what l says: its facts are there, and most of its terms in one of them.
func repeats(l *line, chosen []*line) bool {
	for _, c := range chosen {
		if covers(c.terms, l.terms) < 0.8 && c.text != l.text {
			continue
		}
		if !slices.ContainsFunc(l.facts, func(f string) bool { return !slices.Contains(c.facts, f) }) {
			return true
		}
	}
	return false
}

// inOrder joins lines as they were said.
func inOrder(chosen []*line) string {
	sorted := slices.SortedFunc(slices.Values(chosen), func(a, b *line) int { return cmp.Compare(a.at, b.at) })
	texts := make([]string, len(sorted))
	for i, l := range sorted {
		texts[i] = l.text
	}
	return strings.Join(texts, "\n")
}
