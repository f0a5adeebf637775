package background

import (
	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/state"
)

// What goes into a prompt, in runes unless said otherwise. All of it together stays below 30,000 runes.
const (
	maxMessage      = 4000 // of the message asked about
	maxRecent       = 6    // messages before it
	maxAsides       = 4    // of them that may be asides, the last ones
	maxRecentRunes  = 400  // each
	maxFiled        = 30   // messages of an affair or of what is summed up
	maxFiledRunes   = 600  // each
	maxAffairs      = 15   // affairs besides the current one
	maxCurrentRunes = 800  // summary of the affair in question
	maxOtherRunes   = 200  // an answer in a part of a session
	maxFacts        = 30   // key facts of the affair in question; also of an answer
	maxWords        = 20   // names and things of an affair
	maxPending      = 12   // pending actions; also of an answer
	maxRecordRunes  = 2000 // content of a record
	maxPhrase       = 120  // a title, a key fact, a pending action, a line of the brain
	maxBrain        = 40   // lines of the brain
	maxPart         = 400  // messages of a part of a session
	maxPartRunes    = 18_000
	maxDigested     = 12   // summaries made into one
	maxDigestRunes  = 1600 // each
)

// What is taken from an answer, in runes.
const (
	maxSummary   = 4000
	maxValue     = 400 // a label or value of a key fact, a pending action
	maxReasoning = 500
	maxTitle     = 80
	maxExtracted = 8   // facts of a part of a session
	maxReadFacts = 100 // of them that are looked at
	maxLessons   = 3
	maxDigest    = 300 // tokens of a summary of summaries
)

// show returns what a prompt shows of an affair.
func show(a state.Affair, summary, facts int) prompts.Affair {
	out := prompts.Affair{ID: a.ID, Title: cut(a.Title, maxPhrase), Status: string(a.Status), Summary: cut(a.Summary, summary)}
	for _, f := range a.KeyFacts[:min(len(a.KeyFacts), facts)] {
		out.Facts = append(out.Facts, cut(f.Label+": "+f.Value, maxPhrase))
	}
	for _, p := range a.PendingActions[:min(len(a.PendingActions), maxPending)] {
		out.Pending = append(out.Pending, cut(p, maxPhrase))
	}
	return out
}

// lines returns the last of what people and the assistant said, oldest first; results of tools are not shown.
func lines(messages []state.Message, most, runes int) []prompts.Line {
	var out []prompts.Line
	for _, m := range last(messages, most) {
		out = append(out, prompts.Line{Role: string(m.Role), Text: cut(m.Text, runes)})
	}
	return out
}

// cut shortens s to at most n runes, leaving out the middle: two thirds of what stays are the beginning.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	const gap = " ... "
	keep := n - len(gap)
	if keep < len(gap) {
		return string(r[:n])
	}
	return string(r[:keep*2/3]) + gap + string(r[len(r)-(keep-keep*2/3):])
}
