package detect

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// judgement is what a fit made of a message that it did not see.
type judgement struct {
	*judged
	group  string // language, or kind of data; dense and calm conversations apart
	gold   state.Kind
	right  int  // 0 going on, 1 an older affair, 2 a new one
	target bool // the best other affair is the right one
	asides bool // the data know questions aside
}

// crossJudge judges all the data, each part by weights fitted on the others.
func crossJudge(t *testing.T) []judgement {
	t.Helper()
	var out []judgement
	for fold := range folds {
		d := &Detector{weights: train(trainingSet(t, fold), fitOptions())}
		for _, c := range dataOf(t, fold, false) {
			group, asides := c.source, c.source != serviceFile && c.source != talkFile
			if asides {
				group = map[bool]string{false: "dense ", true: "calm "}[isCalm(c)] + c.source[:2]
				if c.lines[0].Op != "" {
					group = "openings " + c.source[:2]
				}
			}
			walk(c, func(h *History, l labelled) {
				if h.current < 0 || h.begins() && c.lines[0].Op != "" && !asides {
					return
				}
				j := d.judge(h, l.Text)
				target := j.target.at >= 0 && h.affairs[j.target.at].id == l.Gold.Affair
				out = append(out, judgement{j, group, l.Gold.Type, outcomeOf(h, l), target, asides})
			})
		}
	}
	return out
}

// manner is the style whose calibration a judgement teaches.
func (j judgement) manner() string {
	if j.much < 0.5 {
		return asking
	}
	return j.style
}

// calibrate fits the calibration of every style on judgements of messages that the fit did not see.
func calibrate(unseen []judgement) map[string]calibration {
	byManner := map[string][]judgement{}
	for _, j := range unseen {
		if !strings.HasPrefix(j.group, "openings") { // made by program: what is said there goes with nothing before it
			byManner[j.manner()] = append(byManner[j.manner()], j)
		}
	}
	out := map[string]calibration{}
	for manner, js := range byManner {
		c := calibration{Scale: 1}
		for range 2000 {
			var scale, shift float64
			for _, x := range js {
				o, n := x.scores[0], x.scores[1]
				p := c.apply(x.judged)
				if manner == talking { // either change is right: its data know no return
					o, n, p = 0, max(o, n), [3]float64{p[0], 0, p[1] + p[2]}
				}
				dOld, dNew := p[1]-one(x.right == 1), p[2]-one(x.right == 2)
				scale, shift = scale+dOld*o+dNew*n, shift+dOld+dNew
			}
			c.Scale, c.Shift = c.Scale-0.1*scale/float64(len(js)), c.Shift-0.3*shift/float64(len(js))
		}
		if c.Ease = 1; manner != talking {
			c.Ease = ease(js, mostParks[manner])
		}
		out[manner] = c
	}
	return out
}

// mostParks is the share of false parks in cross-validation that sets the operating point of a style. Who asks and answers leaves oftener.
var mostParks = map[string]float64{asking: 0.06, telling: 0.034, inflected: 0.03}

// ease finds the power of the usual threshold at which false parks are as many as they may be.
func ease(js []judgement, most float64) float64 {
	low, high := 0.2, 4.0
	for range 20 {
		mid := (low + high) / 2
		stay, parked := 0, 0
		for _, j := range js {
			k := j.decision(math.Pow(usual, mid))
			if j.gold == state.Continue || j.gold == state.AdHoc {
				stay++
				parked += int(one(changes(k)))
			}
		}
		if float64(parked) > most*float64(stay) {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// usual is the product's threshold.
const usual = 0.7

func changes(k state.Kind) bool { return k == state.Switch || k == state.NewAffair }

// decision at a threshold, in the kinds that the data know.
func (j judgement) decision(threshold float64) state.Kind {
	k := j.choose(j.kinds(j.cont, j.old, j.new), threshold)
	if k == state.AdHoc && !j.asides {
		if j.old*j.pAside >= j.new*j.pPass {
			return state.Switch
		}
		return state.Continue
	}
	return k
}

// reportUnseen logs what became of messages that the fit did not see, by group.
func reportUnseen(t *testing.T, unseen []judgement, w weights) {
	t.Helper()
	groups := map[string][]judgement{}
	for _, j := range unseen {
		groups[j.group] = append(groups[j.group], j)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		n, right, whole, stay, parked := 0.0, 0.0, 0.0, 0.0, 0.0
		said, gold, both := map[state.Kind]float64{}, map[state.Kind]float64{}, map[state.Kind]float64{}
		for _, j := range groups[name] {
			k := j.decision(math.Pow(usual, w.calibration(j.style, j.much).Ease))
			hit := one(k == j.gold)
			n, right, whole = n+1, right+hit, whole+hit*one(j.target || k != state.Switch)
			if !changes(j.gold) {
				stay, parked = stay+1, parked+one(changes(k))
			}
			said[k]++
			both[k] += hit
			said["change"] += one(changes(k))
			both["change"] += one(changes(k) && changes(j.gold))
			gold[j.gold], gold["change"] = gold[j.gold]+1, gold["change"]+one(changes(j.gold))
		}
		f := func(k state.Kind) float64 { return 2 * both[k] / max(1, said[k]+gold[k]) }
		t.Logf("%-42s n %5.0f accuracy %.3f with affair %.3f false parks %.3f F1 switch %.3f new %.3f change %.3f", name, n, right/n, whole/n, parked/stay, f(state.Switch), f(state.NewAffair), f("change"))
	}
	reportSure(t, unseen, w)
	t.Logf("calibration %+v", w.Calibration)
}

// reportSure logs, by the confidence from which a decision is taken for sure, how many are not and how many of the others are right.
func reportSure(t *testing.T, unseen []judgement, w weights) {
	t.Helper()
	for _, from := range []float64{0.8, 0.85, 0.88, 0.9, 0.93, 0.95, 0.97} {
		line := ""
		for _, group := range []string{"calm", "dense", "openings"} {
			n, sure, right := 0.0, 0.0, 0.0
			for _, j := range unseen {
				if !strings.HasPrefix(j.group, group) {
					continue
				}
				c := w.calibration(j.style, j.much)
				k, honest := j.decision(math.Pow(usual, c.Ease)), c.apply(j.judged)
				n++
				if j.kinds(honest[0], honest[1], honest[2])[k] >= from {
					sure++
					right += one(k == j.gold && (k != state.Switch && k != state.AdHoc || j.target))
				}
			}
			line += fmt.Sprintf("  %s asked %.2f right %.3f", group, 1-sure/n, right/max(sure, 1))
		}
		t.Logf("sure from %.2f: n  %s", from, line)
	}
}
