package detect

import (
	"encoding/json"
	"math"
)

// weights are the committed numbers, by feature name. A weight pulls towards the choice it is named after.
type weights struct {
	Source string             `json:"source"` // the data they were fitted on
	Target map[string]float64 `json:"target"` // which other affair
	Talk   map[string]float64 `json:"talk"`   // among people: leaves what was talked of

	Calibration map[string]calibration `json:"calibration"` // of each style
}

// calibration takes the fitted scores of a style of talk back to how often they come true in talk that the fit did not see:
// a fit is surer of itself than it may be. And it says where the style is to change.
type calibration struct {
	Scale float64 `json:"scale"` // of the logarithms of the probabilities
	Shift float64 `json:"shift"` // added to those of a change
	Ease  float64 `json:"ease"`  // power of the threshold that a change needs: the larger, the easier
}

// calibration of a message in a style that goes so far; the rest of it is asking.
func (w weights) calibration(style string, much float64) calibration {
	a, b := w.Calibration[asking], w.Calibration[style]
	mix := func(a, b float64) float64 { return (1-much)*a + much*b }
	return calibration{mix(a.Scale, b.Scale), mix(a.Shift, b.Shift), mix(a.Ease, b.Ease)}
}

// apply returns the probabilities of the outcomes as often as they come true.
func (c calibration) apply(j *judged) [outcomes]float64 {
	if c.Scale == 0 {
		return j.p
	}
	var z [outcomes]float64
	var out [outcomes]bool
	for k := range z {
		if out[k] = j.p[k] == 0; !out[k] {
			z[k] = c.Scale * math.Log(j.p[k])
		}
	}
	z[turns], z[opens] = z[turns]+c.Shift, z[opens]+c.Shift
	return softmax(z, out)
}

// cueWeights are fixed: cues are rare in the data the rest is fitted on and decisive in talk.
type cueWeight struct {
	cue                       cue
	old, new_, aside, passing float64
}

func cueWeights() []cueWeight {
	return []cueWeight{
		{cue: cueNew, old: 3, new_: 9, aside: -1, passing: -4},
		{cue: cueBack, old: 7, new_: -0.5, aside: -3, passing: -2},
		{cue: cueAside, old: 4, new_: 3, aside: 2.5, passing: 3},
		{cue: cueMore, old: 0.5, new_: 1},
		{cue: cueTopic, old: 0.7},
		{cue: cueTrivia, old: -2, new_: 2, aside: 0, passing: 3},
	}
}

// features returns the sums as inputs of the forest.
func (w cueWeight) features() features {
	var f features
	f.add("cues of another affair", w.old)
	f.add("cues of a new affair", w.new_)
	f.add("cues of asking in passing", w.aside)
	f.add("cues of a remark in passing", w.passing)
	return f
}

// What the sums count in talk beyond what they do in the fit, as shares of them: who writes dialogues uses phrases less than who talks, and also where they mean
// nothing. A phrase that says that a question is an aside says so before a return.
const (
	extraCue   = 0.2
	extraAside = 1.25
)

func (w cueWeight) inTalk() cueWeight {
	return cueWeight{old: (1 + extraCue) * w.old, new_: (1 + extraCue) * w.new_, aside: (1 + extraAside) * w.aside, passing: (1 + extraCue) * w.passing}
}

// scores returns what the sums add to the outcomes.
func (w cueWeight) scores() [outcomes]float64 {
	return [outcomes]float64{turns: w.old, asks: w.old + w.aside, opens: w.new_, remarks: w.new_ + w.passing}
}

func loadWeights() weights {
	var w weights
	raw, err := files.ReadFile("data/weights.json")
	if err == nil {
		err = json.Unmarshal(raw, &w)
	}
	if err != nil {
		return weights{} // unreachable with the committed file; weights_test.go reads it
	}
	return w
}

// Share is what one feature adds to the score of the decision taken; negative speaks against it.
type Share struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// score returns the weighted sum of the features.
func score(w map[string]float64, f features) float64 {
	sum := 0.0
	for _, x := range f {
		sum += w[x.name] * x.value
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
