package detect

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// weights are the committed numbers, by feature name. A weight pulls towards the choice it is named after.
type weights struct {
	Source  string             `json:"source"`  // the data they were fitted on
	Target  map[string]float64 `json:"target"`  // which other affair
	Old     map[string]float64 `json:"old"`     // turns to another affair, against going on
	New     map[string]float64 `json:"new"`     // opens an affair, against going on
	Talk    map[string]float64 `json:"talk"`    // among people: leaves what was talked of
	Styles  map[string]pull    `json:"styles"`  // added by the style of talk, see History.style
	Aside   map[string]float64 `json:"aside"`   // asks about another affair, against turning to it
	Passing map[string]float64 `json:"passing"` // a passing remark, against opening an affair

	Calibration map[string]calibration `json:"calibration"` // of each style
}

// calibration takes the fitted scores of a style of talk back to how often they come true in talk that the fit did not see:
// a fit is surer of itself than it may be. And it says where the style is to change.
type calibration struct {
	Scale float64 `json:"scale"` // of the scores of an older affair and a new one
	Shift float64 `json:"shift"` // added to both
	Ease  float64 `json:"ease"`  // power of the threshold that a change needs: the larger, the easier
}

// calibration of a message in a style that goes so far; the rest of it is asking.
func (w weights) calibration(style string, much float64) calibration {
	a, b := w.Calibration[asking], w.Calibration[style]
	mix := func(a, b float64) float64 { return (1-much)*a + much*b }
	return calibration{mix(a.Scale, b.Scale), mix(a.Shift, b.Shift), mix(a.Ease, b.Ease)}
}

// apply returns the probabilities of going on, an older affair and a new one. Without a current affair going on stays as it is: the calibration was
// fitted on messages that had something to go on with.
func (c calibration) apply(j *judged) [3]float64 {
	if c.Scale == 0 {
		return [3]float64{j.cont, j.old, j.new}
	}
	old, new_ := j.scores[0], j.scores[1]
	if !j.goesOn {
		o := 0.0
		if j.target.at >= 0 {
			o = sigmoid(c.Scale * (old - new_))
		}
		return [3]float64{j.cont, (1 - j.cont) * o, (1 - j.cont) * (1 - o)}
	}
	cont, o, n := softmax(c.Scale*old+c.Shift, c.Scale*new_+c.Shift, j.target.at >= 0)
	return [3]float64{cont, o, n}
}

// pull is one pair of weights.
type pull struct {
	Old map[string]float64 `json:"old"`
	New map[string]float64 `json:"new"`
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

// score is the weighted sum of the features.
func score(w map[string]float64, f features) float64 {
	sum := 0.0
	for _, x := range f {
		sum += w[x.name] * x.value
	}
	return sum
}

// shares lists what each feature adds, strongest first.
func shares(w map[string]float64, f features) []Share {
	var out []Share
	for _, x := range f {
		if v := w[x.name] * x.value; v != 0 && x.name != "bias" {
			out = append(out, Share{Name: x.name, Value: v})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softmax of going on (0), an older affair and a new one; without another affair the middle is out.
func softmax(old, new_ float64, hasOld bool) (cont, o, n float64) {
	top := max(0, new_)
	if hasOld {
		top = max(top, old)
	}
	cont, n = math.Exp(-top), math.Exp(new_-top)
	if hasOld {
		o = math.Exp(old - top)
	}
	sum := cont + o + n
	return cont / sum, o / sum, n / sum
}
