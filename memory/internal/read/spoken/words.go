package spoken

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// word is a word of a message, with what stands around it.
type word struct {
	text.Word // Starts: a sentence begins with it

	start, end int    // bytes of the message
	after      string // up to the next word
	clause     bool   // a clause begins with it
	ends       bool   // a clause ends behind it
	stops      bool   // a sentence ends behind it
	quoted     bool
}

// split takes a message apart.
func split(message string) []word {
	tokens := text.Cut(message)
	out := make([]word, 0, len(tokens))
	before, starts, clause := 0, true, true
	quotes := 0
	for i, t := range tokens {
		next := len(message)
		if i+1 < len(tokens) {
			next = tokens[i+1].Start
		}
		for _, r := range message[before:t.Start] {
			quotes += strings.Count("\"“”„«»", string(r))
		}
		before = t.End
		w := word{Word: text.Word{Raw: t.Surface, Fold: t.Folded, Number: t.Number, Odd: t.Number, Starts: starts},
			start: t.Start, end: t.End, after: message[t.End:next], clause: clause, quoted: quotes%2 == 1}
		w.stops = next == len(message) || strings.ContainsAny(w.after, ".!?…\n")
		w.ends = w.stops || strings.ContainsAny(w.after, ",;:()–—") || strings.Contains(w.after, " -")
		starts, clause = w.stops, w.stops || strings.ContainsAny(w.after, ",;()–—") || strings.Contains(w.after, " -")
		out = append(out, w)
	}
	return out
}
