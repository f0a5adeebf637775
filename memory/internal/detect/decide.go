package detect

import (
	"math"

	"github.com/mneme-graph/mneme/state"
)

// best names the most probable kind and its affair.
func (d *Detector) best(h *History, j *judged, p map[state.Kind]float64) state.Decision {
	kind := state.Continue
	for _, k := range []state.Kind{state.Switch, state.AdHoc, state.NewAffair} {
		if p[k] > p[kind] {
			kind = k
		}
	}
	return state.Decision{Kind: kind, AffairID: h.named(j, kind), Confidence: p[kind], By: "rules"}
}

// named is the affair that a decision of this kind names.
func (h *History) named(j *judged, kind state.Kind) string {
	switch {
	case kind == state.Continue && h.current >= 0:
		return h.affairs[h.current].id
	case kind == state.Switch, kind == state.AdHoc && j.old*j.pAside >= j.new*j.pPass:
		if j.target.at >= 0 {
			return h.affairs[j.target.at].id
		}
	}
	return ""
}

// asideThreshold is lower than that of a change: a question aside that is answered as one although it
// belonged here costs little, one that is missed loses the facts of the affair it asks about.
const asideThreshold = 0.62

// leaves is how unlikely going on must be, in a history larger than the weights are fitted on, for the likeliest of the rest to
// hold although it misses its own threshold: of a thousand affairs some have the words of any new one.
const leaves = 0.03

// decide applies the threshold. What does not reach it stays where it is, if it is anywhere, unless that is as good as out of
// the question in a large history. A message that begins a session owes nothing to what was active, and one with a phrase that says so
// ("something else", "back to") leaves it: there the likelier of staying and leaving holds.
func (d *Detector) decide(h *History, j *judged, p map[state.Kind]float64) state.Decision {
	threshold := math.Pow(d.threshold, j.ease)
	if c := j.q.cues.found; h.begins() || c[cueNew] || c[cueBack] {
		threshold = min(threshold, evenly)
	}
	kind := j.choose(p, threshold)
	if h.current < 0 || kind == state.Continue && h.beyondFit() && p[state.Continue] < min(leaves, 1-d.threshold) {
		return d.best(h, j, p)
	}
	return state.Decision{Kind: kind, AffairID: h.named(j, kind), Confidence: p[kind], By: "rules"}
}

// evenly is the threshold at which leaving needs to be only as likely as staying.
const evenly = 0.5

// choose decides in two steps: does the message leave, and where to. A question aside needs less, and where a phrase ("by the way") says that it is one,
// it needs only to be the likeliest.
func (j *judged) choose(p map[state.Kind]float64, threshold float64) state.Kind {
	change := state.Switch
	if p[state.NewAffair] > p[state.Switch] {
		change = state.NewAffair
	}
	leaves := 1-p[state.Continue] >= threshold
	switch {
	case leaves && p[change] >= p[state.AdHoc]:
		return change
	case p[state.AdHoc] >= asideThreshold, j.q.cues.found[cueAside] && p[state.AdHoc] > max(p[change], p[state.Continue]):
		return state.AdHoc
	}
	return state.Continue
}

// sureFrom is the confidence from which a decision needs no model: of the everyday dialogues that the fit did not see, 98 of 100 such decisions were right.
// A message that begins a session needs more where there are affairs that it may be about.
const (
	sureFrom   = 0.9
	sureBegins = 0.9
)

// unsure marks what a model should look at.
func (h *History) unsure(d state.Decision, others bool) bool {
	if h.begins() && others {
		return d.Confidence < sureBegins
	}
	return d.Confidence < sureFrom
}

// closing tells whether the message settles its affair: the phrase, no question mark, and nothing that says it is not so yet.
func (j *judged) closing() bool {
	return j.q.cues.found[cueClosed] && !j.q.cues.found[cueYet] && !j.q.mark()
}
