package detect

import (
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
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

// named returns the affair that a decision of this kind names.
func (h *History) named(j *judged, kind state.Kind) string {
	switch {
	case kind == state.Continue && h.current >= 0:
		return h.affairs[h.current].id
	case kind == state.Switch, kind == state.AdHoc && 2*j.p[asks] >= j.p[remarks]: // what has something in common with an affair is rather about that
		if j.target.at >= 0 {
			return h.affairs[j.target.at].id
		}
	}
	return ""
}

// asideThreshold is lower than that of a change: a question aside that is answered as one although it
// belonged here costs little, one that is missed loses the facts of the affair it asks about. It needs to be likelier than not.
const asideThreshold = 0.5

// decide applies the threshold. What does not reach it stays where it is, if it is anywhere. In a history larger than the fit has seen every share of words is
// smaller: there the likelier of staying and leaving holds, and less where another affair has something in common with the message and the active one nothing. A message that begins a session owes nothing to what was active, and one with a phrase that says so
// ("something else", "back to") leaves it: there the likelier of staying and leaving holds.
func (d *Detector) decide(h *History, j *judged, p map[state.Kind]float64) state.Decision {
	threshold := math.Pow(d.threshold, j.ease)
	switch c := j.q.cues.found; {
	case h.beyondFit() && j.target.touches() && !h.currentMatch(j).touches():
		threshold = min(threshold, strange)
	case c[cueNew] || c[cueBack] || h.names(j.q, h.currentMatch(j)) || h.beyondFit():
		threshold = min(threshold, evenly)
	case h.begins():
		threshold = min(threshold, beginsFrom)
	}
	if h.current < 0 {
		return d.best(h, j, p)
	}
	kind := j.choose(p, threshold)
	return state.Decision{Kind: kind, AffairID: h.named(j, kind), Confidence: p[kind], By: "rules"}
}

// evenly is the threshold at which leaving needs to be only as likely as staying, beginsFrom that of a message that begins a session,
// strange that of one in a large history that has nothing in common with the active affair, and something with another.
const (
	evenly     = 0.5
	beginsFrom = 0.6
	strange    = 0.25
)

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
	case leaves, p[state.AdHoc] >= asideThreshold, j.q.cues.found[cueAside] && p[state.AdHoc] > max(p[change], p[state.Continue]):
		return state.AdHoc
	}
	return state.Continue
}

// sureFrom is the confidence from which a decision needs no model: of the everyday dialogues that the fit did not see, 98 of 100 such decisions were right.
// A message that begins a session needs more where there are affairs that it may be about.
const (
	sureFrom   = 0.93
	sureBegins = 0.97
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

// elsewhere tells whether the message speaks of nothing that this affair has heard of, besides the words that settle something: of what another has, or with
// telling words at all.
func (h *History) elsewhere(q *query, id string) (others, strange bool) {
	at, known := h.byID[id]
	settles := text.Terms(q.cues.said[cueClosed])
	for i, term := range q.terms {
		if text.General(term) || slices.Contains(settles, term) {
			continue
		}
		root, heard := h.spaces[roots].ids[rootsOf(q.terms[i : i+1])[0]]
		strange = strange || text.Digits(term) == 0
		if !heard {
			continue
		}
		if known && h.has(roots, root, at) {
			return false, false
		}
		others = others || slices.ContainsFunc(h.spaces[roots].terms[root].uses, func(u use) bool { return !h.affairs[u.affair].gone && u.said+u.described > 0 })
	}
	return others, strange
}

// titled reports whether the message says a telling word of another affair's title that the active one has never heard of. Of such messages every second one belongs to
// the other affair all the same: a model is asked, and without one nothing changes.
func (h *History) titled(q *query) bool {
	for i, term := range q.terms {
		if h.current < 0 || text.General(term) || text.Digits(term) > 0 {
			continue
		}
		root := rootsOf(q.terms[i : i+1])[0]
		n, heard := h.spaces[roots].ids[root]
		if !heard || h.has(roots, n, h.current) {
			continue
		}
		if slices.ContainsFunc(h.affairs, func(a *affair) bool { return !a.gone && slices.Contains(a.title, root) }) {
			return true
		}
	}
	return false
}
