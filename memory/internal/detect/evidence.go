package detect

import (
	"cmp"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Evidence is what of a message speaks for the decision, as the user wrote it, for a sentence that people read.
type Evidence struct {
	Cue   string   // the phrase that says what the message does ("by the way"); "" = none did
	Words []string // words that only the decision's affair knows, the rarest first, at most three
	Reply bool     // it stays because it answers what the assistant has just asked
}

// mostWords bounds the words of an Evidence.
const mostWords = 3

// evidence finds what speaks for the decision.
func (h *History) evidence(j *judged, d state.Decision) Evidence {
	e := Evidence{Reply: d.Kind == state.Continue && h.asked && !j.q.asks()}
	for _, c := range speaksFor(d.Kind) {
		if e.Cue == "" {
			e.Cue = j.q.cues.said[c]
		}
	}
	if at, ok := h.byID[d.AffairID]; ok {
		e.Words = h.owned(j.q, at)
	}
	return e
}

// speaksFor lists the cues of a kind, the plainest first.
func speaksFor(k state.Kind) []cue {
	switch k {
	case state.Switch:
		return []cue{cueBack, cueTopic}
	case state.NewAffair:
		return []cue{cueNew, cueMore}
	case state.AdHoc:
		return []cue{cueAside, cueTopic}
	}
	return nil
}

// owned returns the words of the message that one affair knows and no other does.
func (h *History) owned(q *query, at int32) []string {
	words := slices.Clone(q.views[stems])
	slices.SortStableFunc(words, func(a, b weighted) int { return cmp.Compare(b.idf, a.idf) })
	var out []string
	for _, w := range words {
		if len(out) < mostWords && !text.General(w.word) && h.ownedBy(w.common, at) {
			out = append(out, q.surface(w.word))
		}
	}
	return out
}

// ownedBy tells whether the affair holds the stem, and no other in sight does.
func (h *History) ownedBy(stem, at int32) bool {
	if !h.has(stems, stem, at) {
		return false
	}
	for _, u := range h.spaces[stems].terms[stem].uses {
		if u.affair != at && !h.affairs[u.affair].gone && u.said+u.described > 0 {
			return false
		}
	}
	return true
}

// surface returns the first word of the message with that stem, as written.
func (q *query) surface(stem string) string {
	for _, t := range q.tokens {
		if t.Stem == stem && !t.Stop {
			return t.Surface
		}
	}
	return stem
}
