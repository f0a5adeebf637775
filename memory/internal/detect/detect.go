package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// Config of a Detector; the zero value is the product's default.
type Config struct {
	Threshold float64 // confidence below which a change is a CONTINUE; 0 = state.DefaultSettings().SwitchThreshold
}

// Detector judges messages by words. It holds only what it was made with: safe for concurrent use.
type Detector struct {
	threshold float64
	weights   weights
	forest    *forest
}

// New reads the embedded weights and cue phrases.
func New(c Config) *Detector {
	if c.Threshold == 0 {
		c.Threshold = state.DefaultSettings().SwitchThreshold
	}
	return &Detector{threshold: c.Threshold, weights: loadWeights(), forest: theForest()}
}

// At returns the Detector with another threshold.
func (d *Detector) At(threshold float64) *Detector {
	return &Detector{threshold: threshold, weights: d.weights, forest: d.forest}
}

// Result is a judgement with its reasons.
type Result struct {
	Decision      state.Decision         // at the threshold: what the product does; Title is unset
	Best          state.Decision         // the most probable, whatever its probability
	Probabilities map[state.Kind]float64 // they add up to 1
	Unsure        bool                   // a small model, when there is one, should judge
	Closing       bool                   // the message settles an affair: that which it names, else the decision's
	Elsewhere     bool                   // it speaks of what another affair has heard of, and of nothing that the decision's has
	Greets        bool                   // the message is a greeting and nothing else
	Evidence      Evidence               // what of the message speaks for the decision, in the user's words
	Shares        []Share                // of the most probable decision, strongest first
	Cues          []string               // phrases found that say what the message does
	Targets       []string               // other affairs that have something in common with the message, the likeliest first; a few
}

// mostTargets is how many affairs a Result names.
const mostTargets = 8

// judged is everything between features and result; training reads it too.
type judged struct {
	q       *query
	style   string
	much    float64 // how far the style goes, in [0,1]
	ease    float64 // power of the threshold that a change needs
	matches []match
	others  []*match
	target  *match // best other; an empty match without one
	inputs  features
	x       []float64         // the same, as the forest takes them
	sure    cueWeight         // what is not fitted
	out     [outcomes]bool    // what is out of question
	scores  [outcomes]float64 // of the forest
	p       [outcomes]float64 // probabilities, as fitted
	honest  [outcomes]float64 // as often as they come true
}

// Classify judges the user's next message. It only reads h.
func (d *Detector) Classify(h *History, text string) Result {
	j := d.judge(h, text)
	p, honest := kinds(j.p), kinds(j.honest)
	r := Result{Probabilities: p, Cues: j.q.cues.phrases, Closing: j.closing()}
	r.Greets = j.q.chatter() && j.q.cues.found[cueGreet] && !j.q.cues.found[cueThanks]
	r.Best = d.best(h, j, p)
	r.Decision = d.decide(h, j, p)
	r.Best.Confidence, r.Decision.Confidence = honest[r.Best.Kind], honest[r.Decision.Kind]
	r.Evidence = h.evidence(j, r.Decision)
	r.Shares = d.reasons(j, r.Best)
	r.Decision.Reasoning = reasoning(r.Shares, r.Cues)
	r.Best.Reasoning = r.Decision.Reasoning
	r.Unsure = h.unsure(r.Decision, len(j.others) > 0) || h.names(j.q, h.currentMatch(j))
	r.Unsure = r.Unsure || r.Decision.Kind == state.Continue && h.titled(j.q) // which of the two is it about?
	elsewhere, strange := h.elsewhere(j.q, r.Decision.AffairID)
	r.Elsewhere, r.Unsure = elsewhere, r.Unsure || r.Closing && strange // what is it that is settled?
	r.Targets = h.likeliest(j)
	return r
}

// kinds shares the outcomes out to the four kinds.
func kinds(p [outcomes]float64) map[state.Kind]float64 {
	return map[state.Kind]float64{
		state.Continue: p[goesOn], state.Switch: p[turns], state.AdHoc: p[asks] + p[remarks], state.NewAffair: p[opens],
	}
}

// likeliest names the others that share a word, a root or a domain with the message, the best targets first.
func (h *History) likeliest(j *judged) []string {
	var near []*match
	for _, m := range j.others {
		if m.touches() {
			near = append(near, m)
		}
	}
	slices.SortFunc(near, func(a, b *match) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) })
	var ids []string
	for _, m := range near[:min(len(near), mostTargets)] {
		ids = append(ids, h.affairs[m.at].id)
	}
	return ids
}

// judge computes the probabilities of what the message does, and the best other affair. Of a message with something pasted what is typed around that
// decides, if it says anything of an affair or of what it does.
func (d *Detector) judge(h *History, text string) *judged {
	if len(text) >= leastPaste {
		if own, brought := whose.Split(text); brought != "" {
			if j := d.judgeAll(h, own); len(j.q.cues.phrases) > 0 || j.target.touches() || h.currentMatch(j).touches() {
				return j
			}
		}
	}
	return d.judgeAll(h, text)
}

// leastPaste is how many bytes a message has at least that has something pasted.
const leastPaste = 120

func (d *Detector) judgeAll(h *History, text string) *judged {
	j := d.describe(h, text)
	j.x = d.forest.input(j.inputs)
	j.scores = d.forest.scores(j.x)
	for k, x := range j.sure.inTalk().scores() {
		j.scores[k] += x
	}
	j.p = softmax(j.scores, j.out)
	cur := h.currentMatch(j)
	if j.style == talking {
		j.leaving(sigmoid(score(d.weights.Talk, h.talk(j.q, cur, j.target)) + j.q.said().new_))
	}
	if h.current < 0 {
		j.withoutCurrent()
	}
	c := d.weights.calibration(j.style, j.much)
	j.ease, j.honest = c.Ease, c.apply(j)
	if h.current < 0 {
		j.honest[goesOn] = j.p[goesOn] // the calibration was fitted on messages that had something to go on with
		j.honest = normal(j.honest)
	}
	if (j.style != talking || h.users == 0) && j.q.opensNone() { // the first message is nobody's talk yet
		j.stay(cur, h.current >= 0)
	}
	return j
}

// describe returns what is known of a message before it is judged.
func (d *Detector) describe(h *History, text string) *judged {
	q := h.query(text)
	j := &judged{q: q, matches: h.matches(q), target: &match{at: -1}}
	j.others = h.others(j.matches)
	margin := d.pick(h, j)
	j.style, j.much = h.style(q)
	cur := h.currentMatch(j)
	j.inputs = h.compute(q, cur, j.target, margin)
	j.sure = h.sure(q, cur, j.target)
	j.inputs = append(j.inputs, j.sure.features()...)
	j.inputs.flag("inflected", j.style == inflected)
	j.inputs.flag("none is active", h.current < 0)
	if j.style == telling {
		j.inputs.add("telling", j.much)
	}
	none := !j.hasTarget()
	j.out[turns], j.out[asks] = none, none || q.cues.found[cueTask] && j.target.said[roots] == 0
	j.out[remarks] = cur.ownsMost(j.target) && !q.cues.found[cueAside]
	return j
}

// currentMatch returns how the message fits the affair that is active, an empty match where none is.
func (h *History) currentMatch(j *judged) *match {
	if h.current < 0 {
		return &match{at: -1}
	}
	return &j.matches[h.current]
}

// hasTarget tells whether there is another affair to turn to: one with which the message has something in common, or which a phrase may mean.
func (j *judged) hasTarget() bool {
	c := j.q.cues.found
	return j.target.at >= 0 && (j.target.touches() || j.target.number || c[cueBack] || c[cueAside] || c[cueEarlier])
}

// Fixed weights beside those of the cues.
const (
	detailHere  = 3.0 // who tells an order number or a telephone number, and not what for, goes on with what was just opened
	shortDetail = 4   // terms, number included, within which nothing is said of what it is for
	ownThing    = 7.0 // a number that comes with words never heard, where numbers enough are already, is of a thing of its own
	mostlyNew   = 0.6 // share of words never heard from which that is so
	numbersHeld = 3   // numbers that an affair is to hold before
	detailThere = 4.0 // a long number that another affair has is no news
	wordsHere   = 1.5 // what is said mostly in words of this affair opens no other
	strangeHere = 2.0 // what begins a session and has nothing in common with the affair that was active leaves it
	namesOld    = 2.0 // what names outright what it comes to, and that is nothing of this affair
	namesNew    = 4.0
	strangeSize = 3 // terms from which on nothing in common says something
)

// sure adds up what is not fitted: cues, and what the data it is fitted on have too little of.
func (h *History) sure(q *query, cur, target *match) cueWeight {
	sum := q.said()
	if q.detail() && !target.number && (cur.touches() || len(q.views[stems]) <= shortDetail) {
		sum.old, sum.new_ = sum.old-detailHere/2, sum.new_-detailHere
	}
	if target.long && !cur.long && !q.cues.found[cueNew] {
		sum.new_ -= detailThere
	}
	if cur.ownsMost(target) {
		sum.new_ -= wordsHere
	}
	if h.ownThing(q) {
		sum.new_ += ownThing
	}
	if h.begins() && h.current >= 0 && !cur.touches() && len(q.views[stems]) >= strangeSize && !q.cues.start[cueYes] && !q.cues.start[cueNo] {
		sum.new_ += strangeHere
	}
	if h.names(q, cur) {
		sum.old, sum.new_ = sum.old+namesOld, sum.new_+namesNew
	}
	return sum
}

// names tells whether the message says outright what it comes to, in no word of the affair that is active. That may be another matter as well as a part of
// this one, so that a model is asked if there is one.
func (h *History) names(q *query, cur *match) bool {
	return q.cues.found[cueNames] && h.current >= 0 && !cur.touches()
}

// said adds up the cues.
func (q *query) said() cueWeight {
	var sum cueWeight
	for _, w := range cueWeights() {
		if q.cues.found[w.cue] {
			sum.old, sum.new_, sum.aside, sum.passing = sum.old+w.old, sum.new_+w.new_, sum.aside+w.aside, sum.passing+w.passing
		}
	}
	return sum
}

// ownThing tells whether the message states a long number of something that the current affair, which holds numbers
// enough, has never heard of.
func (h *History) ownThing(q *query) bool {
	return h.current >= 0 && !h.asked && q.detail() && q.unseen >= mostlyNew && h.affairs[h.current].numbers >= numbersHeld
}

// detail tells whether the message states a long number (five digits or more) and neither asks nor announces a turn.
func (q *query) detail() bool {
	if q.asks() || q.cues.found[cueNew] || q.cues.found[cueBack] || q.cues.found[cueAside] {
		return false
	}
	return slices.ContainsFunc(q.tokens, func(t text.Token) bool { return text.Digits(t.Folded) >= longNumber })
}

// leaving sets the probability of a change, of the likelier one: talk among people was learned as leaving or
// not, as its data know no return. Nobody is there to be asked in passing.
func (j *judged) leaving(p float64) {
	to := turns
	if j.p[opens] >= j.p[turns] {
		to = opens
	}
	j.p = [outcomes]float64{goesOn: 1 - p}
	j.p[to] = p
	for k := range j.p {
		j.scores[k] = math.Log(max(j.p[k], 1e-6))
	}
}

// opensNone tells what is about no affair, whatever its words are: an order to the memory or a question about what it holds, an introduction, a wish on
// manner. Where more is said, that decides.
func (q *query) opensNone() bool {
	return q.then == nil && len(q.tokens) <= mostNone && !q.chatter() && (q.cues.found[cueNone] && q.cues.rest <= mostOfNone || q.orders())
}

// orders tells whether the message is an order to the memory; a question about a topic, or a correction, is about its affair.
func (q *query) orders() bool {
	order := spoken.Find(q.text)
	return !order.IfKnown && order.Action != spoken.None && order.Action != spoken.Correct && order.Action != spoken.AboutTopic
}

// mostNone is how many words a message has at most that is about no affair by what it asks, and mostOfNone how many telling ones besides an order.
const (
	mostNone   = 20
	mostOfNone = 5
)

// stay keeps what is about no affair where it is; without a current affair it is a remark in passing. What is to be noted in the words of another affair
// alone is an aside about that.
func (j *judged) stay(cur *match, active bool) {
	sure := 0.98
	if !j.q.cues.found[cueNone] { // an order may be about any affair: a model may say which
		sure = 0.9
	}
	switch {
	case !j.q.cues.found[cueNone] && j.target.touches() && !cur.touches():
		j.p = [outcomes]float64{goesOn: 1 - asideOf, asks: asideOf}
	case active:
		j.p = [outcomes]float64{goesOn: sure, remarks: 1 - sure}
	default:
		j.p = [outcomes]float64{goesOn: 1 - sure, remarks: sure}
	}
	j.honest = j.p
}

// asideOf is how sure it is that a note in the words of another affair is about that.
const asideOf = 0.8

// withoutCurrent: nothing to go on with, so only small talk stays where it is.
func (j *judged) withoutCurrent() {
	j.p[goesOn] = 0
	if j.q.chatter() {
		j.p = [outcomes]float64{goesOn: 0.99, remarks: 0.01}
	}
	j.p = normal(j.p)
}

// normal makes the probabilities add up to one.
func normal(p [outcomes]float64) [outcomes]float64 {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for k := range p {
		p[k] /= max(sum, 1e-9)
	}
	return p
}

// pick chooses the best other affair and returns how far it is ahead of the second.
func (d *Detector) pick(h *History, j *judged) float64 {
	second := math.Inf(-1)
	f := make(features, 0, 12)
	for _, m := range j.others {
		f = h.candidate(f, m)
		m.score = score(d.weights.Target, f)
		switch {
		case j.target.at < 0 || m.score > j.target.score:
			if j.target.at >= 0 {
				second = j.target.score
			}
			j.target = m
		case m.score > second:
			second = m.score
		}
	}
	if j.target.at < 0 || math.IsInf(second, -1) {
		return 0
	}
	return min(j.target.score-second, 3)
}

// candidate describes one other affair as a target, in f anew.
func (h *History) candidate(f features, m *match) features {
	a := h.affairs[m.at]
	f = f[:0]
	f.add("words of it", m.said[stems])
	f.add("roots of it", m.said[roots])
	f.add("pairs of it", m.said[pairs])
	f.add("domain of it", m.said[concepts])
	f.add("bm25", m.bm25)
	f.add("told of it", m.described)
	f.add("lately said", m.recent)
	f.add("messages", math.Log1p(float64(a.messages)))
	f.add("time since", h.logGap(a))
	f.flag("identifier of it", m.number)
	return f
}

// reasons lists what speaks for the decision and what against it, strongest first.
func (d *Detector) reasons(j *judged, best state.Decision) []Share {
	of := map[state.Kind]outcome{state.Continue: goesOn, state.Switch: turns, state.NewAffair: opens, state.AdHoc: asks}[best.Kind]
	if best.Kind == state.AdHoc && best.AffairID == "" {
		of = remarks
	}
	out := d.forest.shares(j.x, of)
	return out[:min(len(out), 8)]
}

func reasoning(s []Share, cues []string) string {
	var parts []string
	if len(cues) > 0 {
		parts = append(parts, fmt.Sprintf("cues %q", cues))
	}
	for _, x := range s[:min(len(s), 3)] {
		parts = append(parts, fmt.Sprintf("%s %+.1f", x.Name, x.Value))
	}
	return strings.Join(parts, "; ")
}
