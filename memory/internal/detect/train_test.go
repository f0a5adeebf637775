package detect

import (
	"bufio"
	"encoding/json"
	"flag"
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
	Op           string     `json:"op"` // "affair" = one of before, with its messages
	ID           string     `json:"id"`
	Status       string     `json:"status"`
	Title        string     `json:"title"`
	Messages     []labelled `json:"messages"`
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

// before takes in an affair of before, as a session that is over has left it.
func (l labelled) before(h *History) {
	h.SetCurrent(l.ID)
	h.Next(l.At)
	for _, msg := range l.Messages {
		h.Add(Message{Role: msg.Role, Text: msg.Text, Affair: l.ID})
	}
}

// walk replays a conversation with gold enforced and calls visit for every user message, the first only where there are affairs of before.
func walk(c conversation, visit func(h *History, l labelled)) {
	h := NewHistory()
	for _, a := range c.known {
		h.Describe(a)
	}
	current, last, first := "", "", true
	for _, l := range c.lines {
		if l.Op == "affair" {
			l.before(h)
			if first = false; l.Status == "ACTIVE" {
				current, last = l.ID, l.ID
			}
			h.SetCurrent(current)
			continue
		}
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
	d.weights.Talk = fit(talkExamples(d, conversations), o.l2, o.rounds)
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
				e.choices = append(e.choices, h.candidate(nil, m))
			}
			if e.right >= 0 && len(e.choices) > 1 {
				out = append(out, e)
			}
		})
	}
	return out
}

func prefixed(prefix string, f features) features { return scaled(prefix, f, 1) }

// ofStyle are the features that a style has weights of its own for: words that open a message are of one language anyway.
func ofStyle(f features) features {
	return slices.DeleteFunc(slices.Clone(f), func(x feature) bool { return isOpener(x.name) })
}

func scaled(prefix string, f features, by float64) features {
	out := make(features, len(f))
	for i, x := range f {
		out[i] = feature{prefix + x.name, x.value * by}
	}
	return out
}

// decisionExamples are those of the choice between going on, an older affair and a new one, and of the two kinds of aside.
func decisionExamples(d *Detector, conversations []conversation) (change, aside, passing []example) {
	for _, c := range conversations {
		if c.source == talkFile {
			continue
		}
		walk(c, func(h *History, l labelled) {
			j := d.judge(h, l.Text)
			right, offset := outcomeOf(h, l), j.sure
			e := example{weight: c.weight, right: right, choices: []features{{}, nil, append(prefixed("new|", j.change), feature{offsetName, offset.new_})}}
			if j.hasTarget() {
				e.choices[1] = append(prefixed("old|", j.change), feature{offsetName, offset.old})
			}
			if j.style != talking {
				e.choices[2] = append(e.choices[2], scaled(j.style+"|new|", ofStyle(j.change), j.much)...)
				if e.choices[1] != nil {
					e.choices[1] = append(e.choices[1], scaled(j.style+"|old|", ofStyle(j.change), j.much)...)
				}
			}
			if e.choices[right] != nil {
				change = append(change, e)
			}
			isAside := int(one(l.Gold.Type == state.AdHoc))
			if right == 1 && c.source != serviceFile {
				aside = append(aside, example{weight: c.weight, right: isAside, choices: []features{{}, append(slices.Clone(j.aside), feature{offsetName, offset.aside})}})
			}
			if right == 2 {
				passing = append(passing, example{weight: c.weight, right: isAside, choices: []features{{}, append(slices.Clone(j.aside), feature{offsetName, offset.passing})}})
			}
		})
	}
	return change, aside, passing
}

// talkExamples are those of leaving what people talk of.
func talkExamples(d *Detector, conversations []conversation) []example {
	var out []example
	for _, c := range conversations {
		if c.source != talkFile {
			continue
		}
		walk(c, func(h *History, l labelled) {
			j := d.judge(h, l.Text)
			e := example{weight: 1, choices: []features{{}, h.talk(j.q, &j.matches[h.current], j.target)}}
			if l.Gold.Type == state.NewAffair {
				e.right, e.weight = 1, shiftWeight
			}
			out = append(out, e)
		})
	}
	return out
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
	w := train(trainingSet(t, -1), fitOptions())
	unseen := crossJudge(t)
	w.Calibration = calibrate(unseen)
	reportUnseen(t, unseen, w)
	w.Source = "Fitted by TestTrain on: SuperDialseg validation split, interleaved (Jiang et al., EMNLP 2023; from doc2dial and MultiDoc2Dial; " +
		"repository MIT, data card apache-2.0); TIAGE training split (Xie et al., 2021; MIT); testdata/dev.jsonl, testdata/service/dev.jsonl and writers w1 to w4 and w7 of testdata/dialogues of this package. No text of them is kept here."
	raw, err := json.MarshalIndent(rounded(w), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("data/weights.json", append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
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

func fitOptions() trainOptions { return trainOptions{l2: 0.001, rounds: 300} }

// fitted are the writers of testdata/dialogues that weights and calibration may see; the others are for figures alone.
func fitted() []string { return []string{"w1", "w2", "w3", "w4", "w7"} }

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

// The files of -data.
const (
	serviceFile = "superdialseg-validation-interleaved.jsonl"
	talkFile    = "tiage-train.jsonl"
)

// folds are the parts of the data that are kept out of a fit in turn: a writer, and as much of the English service dialogues
// and of the talk.
const folds = 4

// dataOf reads the conversations of one part, or with rest all that are not of it; no part is -1.
func dataOf(t *testing.T, fold int, rest bool) []conversation {
	t.Helper()
	var out []conversation
	for _, file := range []string{serviceFile, talkFile} {
		for i, c := range readConversations(t, filepath.Join(*dataFlag, file), 1) {
			if (i%folds == fold) != rest {
				out = append(out, c)
			}
		}
	}
	for i, w := range fitted() {
		if (i%folds == fold) != rest {
			own := dialogues(t, w)
			out = append(append(out, own...), openings(own)...)
		}
	}
	for i, c := range readConversations(t, "testdata/service/dev.jsonl", everydayWeight) {
		if (i%folds == fold) != rest {
			out = append(out, c)
		}
	}
	return out
}

// openings makes first messages of new sessions out of dialogues: some affairs of before, each as it began, and then a message that opens another
// one, one that goes back to one of them, or one that goes on with the last.
func openings(cs []conversation) (out []conversation) {
	rng := rand.New(rand.NewPCG(3, 5))
	for i, c := range cs {
		for at, l := range c.lines {
			switch {
			case l.Gold == nil, l.Gold.Type == state.AdHoc && l.Gold.Affair == "", l.Gold.Type == state.Continue && rng.IntN(8) > 0:
				continue
			}
			for range openingCopies {
				if o := openWith(rng, cs, i, at); len(o.lines) > 1 {
					out = append(out, o)
				}
			}
		}
	}
	return out
}

// openWith makes a line of a conversation the first message of a session behind affairs of before.
func openWith(rng *rand.Rand, cs []conversation, i, at int) conversation {
	c, l := cs[i], cs[i].lines[at]
	o := conversation{source: c.source, weight: openingWeight}
	day := l.At.Add(-20 * 24 * time.Hour)
	for range []int{0, 1, 4, 8}[rng.IntN(4)] {
		other := cs[rng.IntN(len(cs))].lines
		if other[0].Conversation == l.Conversation || other[0].Conversation[:2] != l.Conversation[:2] {
			continue
		}
		b := begun(other, other[0].Gold.Affair, len(other), 2+2*rng.IntN(2))
		b.ID, b.At = other[0].Conversation+b.ID, day
		o.lines, day = append(o.lines, b), day.Add(time.Hour)
	}
	if n := len(o.lines); n > 0 && rng.IntN(3) > 0 {
		o.lines[n-1].Status = "ACTIVE"
	}
	if l.Gold.Affair != "" && l.Gold.Type != state.NewAffair {
		b := begun(c.lines, l.Gold.Affair, at, 2+2*rng.IntN(3))
		b.At = day
		if o.lines = append(o.lines, b); l.Gold.Type == state.Continue {
			o.lines[max(0, len(o.lines)-2)].Status, o.lines[len(o.lines)-1].Status = "", "ACTIVE"
		}
	}
	l.Conversation += "-open"
	if o.lines = append(o.lines, l); len(o.lines) > 1 {
		o.lines[0].Conversation = l.Conversation
	}
	return o
}

// begun is an affair of before, with what was said of it first: at most so many messages before a line.
func begun(lines []labelled, affair string, before, most int) labelled {
	b := labelled{Op: "affair", ID: affair}
	in := false
	for _, l := range lines[:before] {
		if l.Gold != nil {
			in = l.Gold.Affair == affair
		}
		if in && len(b.Messages) < most {
			b.Messages = append(b.Messages, l)
		}
	}
	return b
}

// trainingSet is all that weights are fitted on but one part, and our own short conversations.
func trainingSet(t *testing.T, without int) []conversation {
	t.Helper()
	dev := readConversations(t, "testdata/dev.jsonl", ownWeight)
	out := slices.Clone(dev)
	for i, c := range recombine(dev, recombined, ownWeight/4.0) {
		if i%2 == 0 {
			c = describeFirst(c)
		}
		out = append(out, c)
	}
	for i, c := range dataOf(t, without, true) {
		out = append(out, c)
		if c.source == serviceFile && i%3 == 0 {
			out = append(out, describeFirst(c))
		}
	}
	return out
}

// rounded keeps four decimals, so that the committed file reads well.
func rounded(w weights) weights {
	round1 := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	round := func(m map[string]float64) map[string]float64 {
		out := map[string]float64{}
		for name, x := range m {
			out[name] = round1(x)
		}
		return out
	}
	w.Target, w.Old, w.New, w.Talk, w.Aside, w.Passing = round(w.Target), round(w.Old), round(w.New), round(w.Talk), round(w.Aside), round(w.Passing)
	styles := map[string]pull{}
	for name, p := range w.Styles {
		styles[name] = pull{round(p.Old), round(p.New)}
	}
	w.Styles = styles
	for style, c := range w.Calibration {
		w.Calibration[style] = calibration{round1(c.Scale), round1(c.Shift), round1(c.Ease)}
	}
	return w
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

// How much a message counts in the fit. Our own short conversations are written to hold every case, not as people talk.
const (
	ownWeight      = 6
	everydayWeight = 1
	recombined     = 20
	stylePull      = 3
	openerPull     = 6
	openingWeight  = 1
	openingCopies  = 2
	shiftWeight    = 4 // shifts of talk among people: few, and worth finding
)
