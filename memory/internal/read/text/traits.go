package text

import "strings"

// Traits is what ranking wants to know about a message; computed once, when the message is written.
type Traits struct {
	Sentences   int
	Questions   int  // sentences that end in a question mark
	Timed       bool // has a time expression: yesterday, last week, on Monday, in May, two days ago
	Instruction bool // a standing instruction to the assistant: always, from now on, when I ask
	Preference  bool // states a preference of the writer: I prefer, my favourite, I cannot stand
}

// Meanings of phrases in the lists traits_LANG.txt.
const (
	timed       = "timed"
	instruction = "instruction"
	preference  = "preference"
	when        = "when"
	measured    = "number"
)

// TraitsOf reads a message in any of the languages, all lists at once. It takes any input and time linear in
// its length; the zero value means an empty message. Safe for concurrent use.
func TraitsOf(s string) Traits {
	var out Traits
	for _, sentence := range Sentences(s) {
		out.Sentences++
		if question(sentence) {
			out.Questions++
		}
	}
	d := loaded().phrases()
	all := d.pieces(s)
	d.find(all, func(meaning string) {
		out.Timed = out.Timed || meaning == timed
		out.Instruction = out.Instruction || meaning == instruction
		out.Preference = out.Preference || meaning == preference
	})
	out.Timed = out.Timed || !d.date(all).empty()
	return out
}

// question tells whether a sentence ends in a question mark, whatever closes behind it.
func question(sentence string) bool {
	return strings.HasSuffix(strings.TrimRight(sentence, "!.…)]}\"'”“’«»*_ "), "?")
}

// phrases are those of all languages, and the words of dates.
type phrases struct {
	Patterns[string]
	calendar
}

// find calls found with the meaning of every phrase; none reaches from one sentence into the next.
func (p *phrases) find(words []Word, found func(meaning string)) {
	for i, w := range words {
		for x := range p.At(w) {
			if (w.Starts || !x.Begins) && x.Match(words[i:], false, nil) > 0 {
				found(x.Is)
			}
		}
	}
}

// pieces cuts a text like Tokens, for phrases and dates.
func (c *calendar) pieces(s string) []Word {
	out := make([]Word, 0, len(s)/6+1)
	start := true
	for i := 0; i < len(s); {
		end, kind := scan(s, i)
		switch {
		case kind != gap:
			fold := strings.ReplaceAll(foldToken(s[i:end]), "'", "")
			counts := kind == number && onlyDigits(fold) || c.numbers[fold]
			out = append(out, Word{Fold: fold, Number: counts, Starts: start, digits: kind == number, dot: end < len(s) && s[end] == '.'})
			start = false
		case Ends(s, i):
			start = true
		}
		i = end
	}
	return out
}

// loadPhrases reads traits_LANG.txt, lines of "meaning: phrase | phrase", and the calendar.
func (t *tables) loadPhrases() *phrases {
	p := &phrases{calendar: t.loadCalendar()}
	_ = ReadLists(t.from, "data/traits_*.txt", func(_ string, line Line) error { // a test reads them too
		for written := range strings.SplitSeq(line.Value, " | ") {
			p.Add(strings.TrimSpace(written), line.Key)
		}
		return nil
	})
	return p
}
