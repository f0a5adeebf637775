package background

import (
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// grounds are what the user said of his own accord, a message each: what an extracted fact must rest on. The assistant
// repeats what it recalled, and a model that reads it takes it for news; without this check every session would confirm
// what the last one said.
type grounds []ground

// ground is one message of the user.
type ground struct {
	told  stems // its own words
	asked stems // of the question it answers
}

// stems are words for comparison: by their first letters, since endings are what stemming misses.
type stems map[string][]string

// groundsOf reads the messages, oldest first.
func groundsOf(messages []state.Message) grounds {
	var out grounds
	question := ""
	for _, m := range messages {
		if m.Role == state.RoleAssistant {
			question = questions(m.Text)
			continue
		}
		if told := stemsOf(text.Terms(own(m.Text))); len(told) > 0 {
			out = append(out, ground{told: told, asked: stemsOf(text.Terms(question))})
		}
		question = ""
	}
	return out
}

// hold reports whether the user told the fact. To forget something it is enough that he spoke of it.
func (g grounds) hold(f ExtractedFact) bool {
	telling := telling(f.Text)
	if f.Label == Delete {
		telling = append(telling, text.Terms(f.Old)...)
	}
	value := f.value()
	for _, said := range g {
		switch {
		case f.Label == Delete && said.told.count(telling) > 0,
			len(value) > 0 && said.told.count(value) == len(value),
			said.tells(telling):
			return true
		}
	}
	return false
}

// tells reports whether most of the words are the user's. Those of the question he answers count when at least one
// more is his: what was asked is no fact by itself.
func (g ground) tells(words []string) bool {
	mine, both := 0, 0
	for _, w := range words {
		told, asked := g.told.has(w), g.asked.has(w)
		if told && !asked {
			mine++
		}
		if told || asked {
			both++
		}
	}
	return len(words) > 0 && (2*g.told.count(words) > len(words) || mine > 0 && 2*both > len(words))
}

// value returns the words that make the fact: behind a label ("dog: Rex"), and of an update what the old line does not say.
func (f ExtractedFact) value() []string {
	if _, value, ok := strings.Cut(f.Text, ": "); ok {
		return telling(value)
	}
	if f.Label != Update || f.Old == "" {
		return nil
	}
	old := stemsOf(text.Terms(f.Old))
	var out []string
	for _, w := range telling(f.Text) {
		if !old.has(w) {
			out = append(out, w)
		}
	}
	return out
}

// telling returns the words of a fact without those for the user.
func telling(s string) []string {
	var out []string
	for _, t := range text.Cut(s) {
		if !t.Stop && spellings()[t.Folded] != wordSelf {
			out = append(out, t.FindStem())
		}
	}
	return out
}

// stemsOf files words by their beginnings.
func stemsOf(words []string) stems {
	out := make(stems)
	for _, w := range words {
		if key := beginning(w); !out.has(w) {
			out[key] = append(out[key], w)
		}
	}
	return out
}

// has reports whether a word is there in some form.
func (s stems) has(word string) bool {
	const most, looked = 3, 32
	for i, w := range s[beginning(word)] {
		if i < looked && text.Akin(w, word, most) {
			return true
		}
	}
	return false
}

// count counts the words that are there.
func (s stems) count(words []string) (n int) {
	for _, w := range words {
		if s.has(w) {
			n++
		}
	}
	return n
}

// beginning returns as much of a word as akin words share.
func beginning(word string) string {
	n := 0
	for i := range word {
		if n == 5 {
			return word[:i]
		}
		n++
	}
	return word
}

// own returns what a message says in the user's words: without lines quoted with >, code, and longer passages in quotes.
func own(s string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, ">") {
			b.WriteString(line + "\n")
		}
	}
	return unquote(b.String())
}

// unquote leaves out what stands in quotes and has more than four words; shorter ones are names and terms.
func unquote(s string) string {
	const name = 4
	var b strings.Builder
	from := 0 // of the piece that is read
	inside := false
	for i, r := range s {
		opens, closes := strings.ContainsRune("\"“„«", r), strings.ContainsRune("\"”“»", r)
		if (inside || !opens) && (!inside || !closes) && r != '\n' {
			continue
		}
		piece := s[from:i]
		if !inside || r == '\n' || len(strings.FieldsFunc(piece, unicode.IsSpace)) <= name {
			b.WriteString(piece + " ")
		}
		from, inside = i, r != '\n' && !inside
	}
	return b.String() + s[from:]
}

// questions returns the sentences of a message that ask.
func questions(s string) string {
	var b strings.Builder
	for _, sentence := range text.Sentences(s) {
		if strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			b.WriteString(sentence + "\n")
		}
	}
	return b.String()
}

// brain are the lines of the brain in forms for comparison.
type brain struct {
	lines []string
	words [][]string
	stems []stems
}

func readBrain(lines []string) brain {
	out := brain{lines: lines}
	for _, line := range lines {
		words := telling(line)
		out.words, out.stems = append(out.words, words), append(out.stems, stemsOf(words))
	}
	return out
}

// line returns the line that an update or a deletion means, as it stands in the brain: the one it copies, else the one that
// shares most words with it, more than half of the shorter and more than any other does. "" = none, or more than one.
func (b brain) line(f ExtractedFact) string {
	wanted := f.Old
	if wanted == "" {
		wanted = f.Text
	}
	best, most, second := "", 0, 0
	words := telling(wanted)
	said := stemsOf(words)
	for i, line := range b.lines {
		if text.Fold(strings.TrimSpace(line)) == text.Fold(strings.TrimSpace(wanted)) {
			return line
		}
		n := min(b.stems[i].count(words), said.count(b.words[i]))
		switch {
		case 2*n <= min(len(words), len(b.words[i])):
		case n > most:
			best, most, second = line, n, most
		case n > second:
			second = n
		}
	}
	if most == 0 || most == second {
		return ""
	}
	return best
}
