package detect

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

type labelled struct {
	Conversation string     `json:"conversation"`
	Role         state.Role `json:"role"`
	Text         string     `json:"text"`
	At           time.Time  `json:"at"`
	Gold         *struct {
		Type   state.Kind `json:"type"`
		Affair string     `json:"affair"`
	} `json:"gold"`
}

type conversation struct {
	source string
	weight float64
	known  []state.Affair // of other sessions: known by description only
	lines  []labelled
}

func readConversations(t *testing.T, path string, weight float64) []conversation {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []conversation
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<22)
	for scanner.Scan() {
		var l labelled
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatal(path, err)
		}
		if n := len(out); n == 0 || out[n-1].lines[0].Conversation != l.Conversation {
			out = append(out, conversation{source: filepath.Base(path), weight: weight})
		}
		c := &out[len(out)-1]
		c.lines = append(c.lines, l)
	}
	return out
}

// walk replays a conversation with gold enforced and calls visit for every user message but the first.
func walk(c conversation, visit func(h *History, l labelled)) {
	h := NewHistory()
	for _, a := range c.known {
		h.Describe(a)
	}
	current, last, first := "", "", true
	for _, l := range c.lines {
		h.Next(l.At)
		if l.Gold == nil {
			h.Add(Message{Role: l.Role, Text: l.Text, Affair: last})
			continue
		}
		if !first {
			visit(h, l)
		}
		first = false
		last = l.Gold.Affair
		h.Add(Message{Role: l.Role, Text: l.Text, Affair: last})
		if l.Gold.Type != state.AdHoc && last != "" {
			current = last
		}
		h.SetCurrent(current)
	}
}

func train(conversations []conversation, o trainOptions) weights {
	d := &Detector{}
	d.weights.Target = fit(targetExamples(d, conversations), o.l2, 300)
	change, aside, passing := decisionExamples(d, conversations)
	w := fit(change, o.l2, o.rounds)
	split := func(prefix string) map[string]float64 {
		out := map[string]float64{}
		for name, x := range w {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				out[rest] = x
			}
		}
		return out
	}
	d.weights.Old, d.weights.New = split("old|"), split("new|")
	d.weights.Styles = map[string]pull{
		inflected: {split(inflected + "|old|"), split(inflected + "|new|")},
		talking:   {New: split(talking + "|new|")},
		telling:   {split(telling + "|old|"), split(telling + "|new|")},
	}
	if len(aside) > 20 {
		d.weights.Aside = fit(aside, 0.02, o.rounds)
		d.weights.Passing = fit(passing, 0.02, o.rounds)
	} else {
		d.weights.Aside, d.weights.Passing = loadWeights().Aside, loadWeights().Passing
	}
	return d.weights
}

type trainOptions struct {
	l2     float64
	rounds int
}

func targetExamples(d *Detector, conversations []conversation) []example {
	var out []example
	for _, c := range conversations {
		walk(c, func(h *History, l labelled) {
			at, known := h.byID[l.Gold.Affair]
			if !known || at == h.current || l.Gold.Type == state.Continue || l.Gold.Type == state.NewAffair {
				return
			}
			q := h.query(l.Text)
			ms := h.matches(q)
			e := example{weight: c.weight, right: -1}
			for _, m := range h.others(ms) {
				if m.at == at {
					e.right = len(e.choices)
				}
				e.choices = append(e.choices, h.candidate(m))
			}
			if e.right >= 0 && len(e.choices) > 1 {
				out = append(out, e)
			}
		})
	}
	return out
}

func prefixed(prefix string, f features) features { return scaled(prefix, f, 1) }

func scaled(prefix string, f features, by float64) features {
	out := make(features, len(f))
	for i, x := range f {
		out[i] = feature{prefix + x.name, x.value * by}
	}
	return out
}

func decisionExamples(d *Detector, conversations []conversation) (change, aside, passing []example) {
	for _, c := range conversations {
		walk(c, func(h *History, l labelled) {
			if h.current < 0 {
				return
			}
			j := d.judge(h, l.Text)
			sure := j.q.sure(&j.matches[h.current], j.target)
			old, new_, asideOff, passOff := sure.old, sure.new_, sure.aside, sure.passing
			e := example{weight: c.weight, choices: []features{{}, nil, append(prefixed("new|", j.change), feature{offsetName, new_})}}
			talk := strings.HasPrefix(c.source, "tiage")
			if talk {
				if l.Gold.Type == state.NewAffair {
					e.weight *= shiftWeight
				}
			} else if j.target.at >= 0 {
				e.choices[1] = append(prefixed("old|", j.change), feature{offsetName, old})
			}
			if style, much := h.style(j.q); much > 0 && (style != talking || talk) {
				e.choices[2] = append(e.choices[2], scaled(style+"|new|", j.change, much)...)
				if e.choices[1] != nil {
					e.choices[1] = append(e.choices[1], scaled(style+"|old|", j.change, much)...)
				}
			}
			e.right = outcomeOf(h, l)
			if e.right != 0 && strings.HasPrefix(c.source, "superdialseg") {
				e.weight *= []float64{1, switchWeight, newWeight}[e.right]
			}
			if e.choices[e.right] != nil {
				change = append(change, e)
			}
			isAside := 0
			if l.Gold.Type == state.AdHoc {
				isAside = 1
			}
			english := strings.HasPrefix(c.source, "superdialseg") || strings.HasPrefix(c.source, "tiage")
			if e.right == 1 && !english {
				aside = append(aside, example{weight: c.weight, right: isAside, choices: []features{{}, append(slicesClone(j.aside), feature{offsetName, asideOff})}})
			}
			if e.right == 2 && !talk {
				w := c.weight
				passing = append(passing, example{weight: w, right: isAside, choices: []features{{}, append(slicesClone(j.aside), feature{offsetName, passOff})}})
			}
		})
	}
	return change, aside, passing
}

func slicesClone(f features) features { return append(features(nil), f...) }

// outcome counts for quick looks at a model.
type outcome struct {
	n, right, correct, stay, parked int
	tp, gold, said                  map[state.Kind]int
	targetRight, targetAll          int
	nTP, nG, nS                     int // boundary
}

func (o *outcome) add(c conversation, d *Detector, threshold bool) {
	if o.tp == nil {
		o.tp, o.gold, o.said = map[state.Kind]int{}, map[state.Kind]int{}, map[state.Kind]int{}
	}
	hasAside := !strings.HasPrefix(c.source, "superdialseg") && !strings.HasPrefix(c.source, "tiage")
	walk(c, func(h *History, l labelled) {
		r := d.Classify(h, l.Text)
		x := r.Best
		if threshold {
			x = r.Decision
		}
		if x.Kind == state.AdHoc && !hasAside {
			x.Kind = state.Switch
			if x.AffairID == "" {
				x.Kind = state.Continue
				x.AffairID = h.affairs[h.current].id
			}
		}
		g := *l.Gold
		o.n++
		o.gold[g.Type]++
		o.said[x.Kind]++
		if g.Type == x.Kind {
			o.correct++
			o.tp[g.Type]++
		}
		if g.Type == x.Kind && (g.Type == state.NewAffair || g.Affair == x.AffairID || g.Type == state.Continue) || g.Type != state.NewAffair && x.Kind != state.NewAffair && g.Affair == x.AffairID && g.Affair != "" {
			o.right++
		}
		gc, xc := g.Type == state.Switch || g.Type == state.NewAffair, x.Kind == state.Switch || x.Kind == state.NewAffair
		if !gc {
			o.stay++
			if xc {
				o.parked++
			}
		} else {
			o.nG++
			if xc {
				o.nTP++
			}
		}
		if xc {
			o.nS++
		}
		if g.Type == state.Switch || g.Type == state.AdHoc && g.Affair != "" {
			o.targetAll++
			j := d.judge(h, l.Text)
			if j.target.at >= 0 && h.affairs[j.target.at].id == g.Affair {
				o.targetRight++
			}
		}
	})
}

func (o *outcome) String() string {
	div := func(a, b int) float64 { return float64(a) / math.Max(1, float64(b)) }
	s := fmt.Sprintf("n %d acc %.3f right %.3f falsepark %.3f target %.3f boundaryF1 %.3f |", o.n, div(o.correct, o.n), div(o.right, o.n), div(o.parked, o.stay), div(o.targetRight, o.targetAll), div(2*o.nTP, o.nG+o.nS))
	for _, k := range []state.Kind{state.Continue, state.Switch, state.AdHoc, state.NewAffair} {
		s += fmt.Sprintf(" %s %.3f(%d)", k, div(2*o.tp[k], o.gold[k]+o.said[k]), o.gold[k])
	}
	return s
}

var (
	trainFlag = flag.Bool("train", false, "fit the weights again")
	dataFlag  = flag.String("data", "", "folder with the development data")
)

// TestTrain fits the weights on all development data and writes them. Not part of the suite.
func TestTrain(t *testing.T) {
	if !*trainFlag || *dataFlag == "" {
		t.Skip("needs -train -data DIR")
	}
	set := trainingSet(t, readConversations(t, filepath.Join(*dataFlag, "superdialseg-validation-interleaved.jsonl"), 1))
	w := train(append(slices.Clone(set), dialogues(t, fitted()...)...), fitOptions())
	w.Calibration = calibrate(t, set)
	w.Source = "Fitted by TestTrain on: SuperDialseg validation split, interleaved (Jiang et al., EMNLP 2023; from doc2dial and MultiDoc2Dial; " +
		"repository MIT, data card apache-2.0); TIAGE training split (Xie et al., 2021; MIT); testdata/dev.jsonl and writers w1 to w4 of testdata/dialogues of this package. No text of them is kept here."
	raw, err := json.MarshalIndent(rounded(w), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("data/weights.json", append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// calibrate measures the scores of dialogues that a fit did not see, one writer after the other.
func calibrate(t *testing.T, set []conversation) calibration {
	var unseen []judgement
	for _, w := range fitted() {
		rest := slices.DeleteFunc(fitted(), func(x string) bool { return x == w })
		d := &Detector{weights: train(append(slices.Clone(set), dialogues(t, rest...)...), fitOptions())}
		for _, c := range dialogues(t, w) {
			walk(c, func(h *History, l labelled) { unseen = append(unseen, judgement{d.judge(h, l.Text), outcomeOf(h, l)}) })
		}
	}
	c := calibration{Scale: 1}
	for range 500 {
		var scale, old, new_ float64
		for _, x := range unseen {
			o, n := calibration{Scale: 1}.scores(x.judged)
			p := c.apply(x.judged)
			dOld, dNew := p[1]-one(x.right == 1), p[2]-one(x.right == 2)
			scale, old, new_ = scale+dOld*o+dNew*n, old+dOld, new_+dNew
		}
		rate := 1 / float64(len(unseen))
		c.Scale, c.Old, c.New = c.Scale-0.15*rate*scale, c.Old-0.5*rate*old, c.New-0.5*rate*new_
	}
	return c
}

// judgement is what the fit made of a message, and what was right: 0 going on, 1 an older affair, 2 a new one.
type judgement struct {
	*judged
	right int
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// outcomeOf is what is right of going on (0), an older affair (1) and a new one (2).
func outcomeOf(h *History, l labelled) int {
	_, known := h.byID[l.Gold.Affair]
	switch {
	case l.Gold.Type == state.Continue:
		return 0
	case l.Gold.Affair == "" || !known:
		return 2
	}
	return 1
}

func fitOptions() trainOptions { return trainOptions{l2: 0.0005, rounds: 300} }

// fitted are the writers of testdata/dialogues that weights and calibration may see; the others are for figures alone.
func fitted() []string { return []string{"w1", "w2", "w3", "w4"} }

// dialogues reads the everyday dialogues of some writers in all languages.
func dialogues(t *testing.T, writers ...string) []conversation {
	t.Helper()
	var out []conversation
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, w := range writers {
			out = append(out, readConversations(t, "testdata/dialogues/"+lang+"-"+w+".jsonl", everydayWeight)...)
		}
	}
	return out
}

// trainingSet adds to the English service dialogues chit-chat and our own conversations.
func trainingSet(t *testing.T, english []conversation) []conversation {
	t.Helper()
	dev := readConversations(t, "testdata/dev.jsonl", ownWeight)
	out := append([]conversation(nil), dev...)
	out = append(out, readConversations(t, filepath.Join(*dataFlag, "tiage-train.jsonl"), chatWeight)...)
	for i, c := range recombine(dev, recombined, ownWeight/4.0) {
		if i%2 == 0 {
			c = describeFirst(c)
		}
		out = append(out, c)
	}
	for i, c := range english {
		out = append(out, c)
		if i%3 == 0 {
			c = describeFirst(c)
			out = append(out, c)
		}
	}
	return out
}

// rounded keeps four decimals, so that the committed file reads well.
func rounded(w weights) weights {
	round := func(m map[string]float64) map[string]float64 {
		out := map[string]float64{}
		for name, x := range m {
			out[name] = math.Round(x*1e4) / 1e4
		}
		return out
	}
	w.Target, w.Old, w.New, w.Aside, w.Passing = round(w.Target), round(w.Old), round(w.New), round(w.Aside), round(w.Passing)
	styles := map[string]pull{}
	for name, p := range w.Styles {
		styles[name] = pull{round(p.Old), round(p.New)}
	}
	w.Styles = styles
	round1 := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	w.Calibration = calibration{round1(w.Calibration.Scale), round1(w.Calibration.Old), round1(w.Calibration.New)}
	return w
}

func TestCrossValidate(t *testing.T) {
	if *dataFlag == "" {
		t.Skip("needs -data")
	}
	english := readConversations(t, filepath.Join(*dataFlag, "superdialseg-validation-interleaved.jsonl"), 1)
	chatDev := readConversations(t, filepath.Join(*dataFlag, "tiage-dev.jsonl"), 1)
	dev := readConversations(t, "testdata/dev.jsonl", ownWeight)
	held := readConversations(t, "testdata/held.jsonl", 1)
	var arg, thr, tiage, tiageThr outcome
	own := map[string]*outcome{}
	for fold := range 5 {
		var in, out []conversation
		for i, c := range english {
			if i%5 == fold {
				out = append(out, c)
			} else {
				in = append(in, c)
			}
		}
		d := &Detector{threshold: 0.7, weights: train(trainingSet(t, in), fitOptions())}
		for _, c := range out {
			arg.add(c, d, false)
			thr.add(c, d, true)
		}
		if fold > 0 {
			continue
		}
		for _, c := range chatDev {
			tiage.add(c, d, false)
			tiageThr.add(c, d, true)
		}
		for _, c := range append(dev, held...) {
			for _, threshold := range []bool{false, true} {
				key := fmt.Sprintf("%s %s %v", c.source, c.lines[0].Conversation[:2], threshold)
				if own[key] == nil {
					own[key] = &outcome{}
				}
				own[key].add(c, d, threshold)
			}
		}
	}
	t.Log("argmax   ", arg.String())
	t.Log("threshold", thr.String())
	t.Log("tiage    ", tiage.String())
	t.Log("tiage thr", tiageThr.String())
	for _, set := range []string{"dev.jsonl", "held.jsonl"} {
		for _, threshold := range []bool{false, true} {
			for _, lang := range []string{"cs", "pl", "ru", "en"} {
				key := fmt.Sprintf("%s %s %v", set, lang, threshold)
				t.Log(key, own[key].String())
			}
		}
	}
}

// recombine makes new conversations of the same language out of the segments of others: the same talk with
// other affairs around it. A segment is what stands between two changes.
func recombine(cs []conversation, n int, weight float64) []conversation {
	rng := rand.New(rand.NewPCG(7, 11))
	byLang := map[string][][][]labelled{}
	for _, c := range cs {
		lang := c.lines[0].Conversation[:2]
		threads, order := map[string][][]labelled{}, []string{}
		at := ""
		for _, l := range c.lines {
			if l.Gold != nil && (l.Gold.Type == state.NewAffair || l.Gold.Type == state.Switch) {
				at = l.Gold.Affair
				if threads[at] == nil {
					order = append(order, at)
				}
				threads[at] = append(threads[at], nil)
			}
			if l.Gold != nil && l.Gold.Affair != "" {
				g := *l.Gold
				g.Affair = c.lines[0].Conversation + g.Affair
				l.Gold = &g
			}
			k := len(threads[at]) - 1
			threads[at][k] = append(threads[at][k], l)
		}
		for _, id := range order {
			byLang[lang] = append(byLang[lang], threads[id])
		}
	}
	var out []conversation
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for range n {
			pool := byLang[lang]
			if len(pool) < 4 {
				continue
			}
			var queue [][][]labelled
			for _, i := range rng.Perm(len(pool))[:2+rng.IntN(3)] {
				queue = append(queue, pool[i])
			}
			out = append(out, shuffleSegments(rng, queue, weight))
		}
	}
	return out
}

// describeFirst turns the first affair of a conversation, as far as the first change, into the description
// of an affair of another session: its first message as title, the others as summary.
func describeFirst(c conversation) conversation {
	id, end := c.lines[0].Gold.Affair, 0
	var said []string
	for i, l := range c.lines {
		if l.Gold != nil && l.Gold.Affair != id {
			end = i
			break
		}
		if l.Gold != nil {
			said = append(said, l.Text)
		}
	}
	if end == 0 {
		return c
	}
	out := c
	out.known = []state.Affair{{ID: id, Title: said[0], Summary: strings.Join(said[1:], " "), Status: state.Parked}}
	out.lines = c.lines[end:]
	return out
}

func shuffleSegments(rng *rand.Rand, queue [][][]labelled, weight float64) conversation {
	c := conversation{source: "recombined", weight: weight}
	started := map[string]bool{}
	last := -1
	for {
		var open []int
		for i, q := range queue {
			if len(q) > 0 && i != last {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			return c
		}
		last = open[rng.IntN(len(open))]
		segment := queue[last][0]
		queue[last] = queue[last][1:]
		own, skip := segment[0].Gold.Affair, false
		for _, l := range segment {
			if l.Gold == nil {
				if !skip {
					c.lines = append(c.lines, l)
				}
				continue
			}
			skip = l.Gold.Type == state.AdHoc && l.Gold.Affair != "" && (!started[l.Gold.Affair] || l.Gold.Affair == own)
			if !skip {
				c.lines = append(c.lines, l)
			}
		}
		started[own] = true
	}
}

// How much a message counts in the fit: few of our own stand against thousands of English ones.
const (
	ownWeight      = 3
	everydayWeight = 1
	recombined     = 20
	switchWeight   = 1.45
	newWeight      = 1.7
	chatWeight     = 0.25
	stylePull      = 3
	shiftWeight    = 3 // topic shifts of chit-chat: few, and worth finding
)
