package offline

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Who said a saying, where it is not a key fact, a record or a file.
const (
	byUser      = string(state.RoleUser)
	byAssistant = string(state.RoleAssistant)
)

// saying is a sentence that memory holds, and where it is from.
type saying struct {
	text  string
	by    string  // byUser, byAssistant, or "" = source tells it
	date  string  // 2006-01-02; "" = in this conversation, or not known
	title string  // of the affair whose key fact it is
	from  string  // the source as it was written
	place int     // the later said, the larger
	has   float64 // the share of the question's words
	score float64
}

// sayings returns the sentences that may answer, from what was recalled and from what the prompt shows.
func (t turn) sayings() (out []saying) {
	lines := slices.Clone(t.memory.evidence)
	for _, c := range t.calls {
		if c.name != memoryRecall {
			continue
		}
		for row := range strings.SplitSeq(c.result, "\n") {
			if entry, ok := strings.CutPrefix(strings.TrimSpace(row), "- "); ok {
				lines = append(lines, cited(strings.TrimPrefix(entry, `\`)))
			}
		}
	}
	for _, f := range t.memory.active.facts {
		lines = append(lines, line{f.Label + ": " + f.Value, `affair "` + t.memory.active.title + `", key fact`})
	}
	lines = append(lines, t.memory.notes...)

	add := func(s saying) {
		known := slices.ContainsFunc(out, func(x saying) bool { return x.by == s.by && same(x.text, s.text) })
		if !known && !(s.by == byAssistant && t.phrases.own(s.text)) {
			out = append(out, s)
		}
	}
	for _, l := range lines {
		for _, s := range l.sayings() {
			add(s)
		}
	}
	for i, said := range append(slices.Clone(t.memory.active.recent), t.said...) {
		for _, sentence := range stated(said) {
			add(saying{text: sentence, by: byUser, place: math.MaxInt32 + i})
		}
	}
	return out
}

// sayings takes a line apart: a key fact stays whole, anything else gives its sentences. What an affair waits for is no answer.
func (l line) sayings() (out []saying) {
	s := saying{from: l.source}
	title, part := l.origin()
	fields := strings.Split(l.source, ", ")
	switch {
	case title != "" && part != "key fact":
		return nil
	case title != "":
		s.text, s.title = l.text, title
		return []saying{s}
	case strings.HasPrefix(l.source, "message ") && len(fields) >= 3:
		s.date = fields[len(fields)-1]
		if s.by = byUser; fields[1] == byAssistant {
			s.by = byAssistant
		}
		s.place = number(fields[0]) + days(s.date)
	case strings.HasPrefix(l.source, "record ") && len(fields) >= 2:
		s.date = fields[1]
		s.place = days(s.date)
	}
	for _, sentence := range stated(l.text) {
		s.text = sentence
		out = append(out, s)
	}
	return out
}

// number returns the one in "message 12".
func number(field string) (n int) {
	for _, c := range field {
		if c >= '0' && c <= '9' {
			n = min(n*10+int(c-'0'), 1<<20)
		}
	}
	return n
}

// days orders dates before numbers of messages.
func days(date string) int {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0
	}
	return int(at.Unix()/86400) << 21
}

// stated returns the sentences of a text that ask nothing.
func stated(s string) (out []string) {
	for _, sentence := range facts.Sentences(s) {
		if !facts.IsQuestion(sentence) && strings.TrimSpace(sentence) != "" {
			out = append(out, squeeze(sentence))
		}
	}
	return out
}

// states reports whether a saying has a value of a kind.
func (s saying) states(kind facts.Kind) bool {
	return slices.ContainsFunc(facts.Extract(s.text, "en"), func(f facts.Fact) bool { return family(f.Kind) == family(kind) })
}

// quote returns a saying in a reply: the words as they were said, who said them, and on which day if that is not today.
func (t turn) quote(s saying) string {
	day := t.phrases.day(s.date, t.today)
	switch {
	case s.by == byUser && (s.date == "" || s.date == t.today):
		return t.phrases.say("you_said", "text", s.text)
	case s.by == byUser:
		return t.phrases.say("you_said_on", "text", s.text, "date", day)
	case s.by == byAssistant:
		return t.phrases.say("i_said_on", "text", s.text, "date", day)
	}
	return t.phrases.say("quoted", "text", s.text, "source", t.phrases.source(s.from, day))
}

// same compares two texts regardless of case, marks and space.
func same(a, b string) bool { return text.Fold(squeeze(a)) == text.Fold(squeeze(b)) }
