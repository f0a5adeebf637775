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
	right  outcome
	target bool // the best other affair is the right one
}

// crossJudge judges all the data, each part by weights fitted on the others.
func crossJudge(t *testing.T) []judgement {
	t.Helper()
	var out []judgement
	for fold := range folds {
		d := train(trainingSet(t, fold))
		for _, c := range dataOf(t, fold, false) {
			group, ours := c.source, c.source != serviceFile && c.source != talkFile
			if ours {
				group = map[bool]string{false: "dense ", true: "calm "}[isCalm(c)] + c.source[:2]
				switch {
				case c.lines[0].Op == "":
				case strings.Contains(c.source, "-o"):
					group = "begun " + c.source[:2]
				default:
					group = "openings " + c.source[:2]
				}
			}
			walk(c, func(h *History, l labelled) {
				if h.current < 0 || h.begins() && c.lines[0].Op != "" && !ours {
					return
				}
				j := d.judge(h, l.Text)
				target := j.target.at >= 0 && h.affairs[j.target.at].id == l.Gold.Affair
				out = append(out, judgement{j, group, l.Gold.Type, outcomeOf(h, l), target})
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
		byProgram := strings.HasPrefix(j.group, "openings") // what is said there goes with nothing before it
		if j.style == talking || !byProgram && j.p == softmax(j.scores, j.out) {
			byManner[j.manner()] = append(byManner[j.manner()], j)
		}
	}
	out := map[string]calibration{}
	for manner, js := range byManner {
		c := calibration{Scale: 1}
		for range 1000 {
			var scale, shift float64
			for _, x := range js {
				p := c.apply(x.judged)
				for k := range p {
					if x.p[k] > 0 {
						off := p[k] - x.share(outcome(k), p)
						scale += off * math.Log(x.p[k])
						if outcome(k) == turns || outcome(k) == opens {
							shift += off
						}
					}
				}
			}
			c.Scale, c.Shift = c.Scale-0.05*scale/float64(len(js)), c.Shift-0.3*shift/float64(len(js))
		}
		c.Ease = eases[manner]
		out[manner] = c
	}
	return out
}

// share is how much of an outcome came true, of those that the data do not tell apart as much as was thought.
func (j judgement) share(k outcome, p [outcomes]float64) float64 {
	among := []outcome{j.right}
	if j.style == talking && j.right == opens { // its data know no return
		among = []outcome{turns, opens}
	}
	if !slices.Contains(among, k) {
		return 0
	}
	sum := 0.0
	for _, a := range among {
		sum += p[a]
	}
	return p[k] / max(sum, 1e-9)
}

// eases are the operating points of the styles, chosen on what the fit did not see: for 2 % of false parks where people go on with one affair for long. Who
// asks for information leaves oftener, and is let go sooner.
var eases = map[string]float64{asking: 1.2, telling: 0.35, inflected: 0.26, talking: 1}

// usual is the product's threshold.
const usual = 0.7

func changes(k state.Kind) bool { return k == state.Switch || k == state.NewAffair }

// decision at a threshold.
func (j judgement) decision(threshold float64) state.Kind { return j.choose(kinds(j.p), threshold) }

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
		t.Logf("%-42s n %5.0f accuracy %.3f with affair %.3f false parks %.3f F1 switch %.3f new %.3f change %.3f aside %.3f", name, n, right/n, whole/n, parked/stay, f(state.Switch), f(state.NewAffair), f("change"), f(state.AdHoc))
	}
	reportSure(t, unseen, w)
	t.Logf("calibration %+v", w.Calibration)
}

// reportSure logs, by the confidence from which a decision is taken for sure, how many are not and how many of the others are right.
func reportSure(t *testing.T, unseen []judgement, w weights) {
	t.Helper()
	for _, from := range []float64{0.8, 0.85, 0.88, 0.9, 0.93, 0.95, 0.97} {
		line := ""
		for _, group := range []string{"calm", "dense", "openings", "begun"} {
			n, sure, right := 0.0, 0.0, 0.0
			for _, j := range unseen {
				if !strings.HasPrefix(j.group, group) {
					continue
				}
				c := w.calibration(j.style, j.much)
				k, honest := j.decision(math.Pow(usual, c.Ease)), c.apply(j.judged)
				n++
				if kinds(honest)[k] >= from {
					sure++
					right += one(k == j.gold && (k != state.Switch && k != state.AdHoc || j.target))
				}
			}
			line += fmt.Sprintf("  %s asked %.2f right %.3f", group, 1-sure/n, right/max(sure, 1))
		}
		t.Logf("sure from %.2f: n  %s", from, line)
	}
}
