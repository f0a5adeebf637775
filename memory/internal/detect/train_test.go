package detect

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
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
	must(t, err)
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

// train fits a Detector without calibration.
func train(conversations []conversation) *Detector {
	d := &Detector{}
	d.weights.Target = fit(targetExamples(d, conversations), l2, 300)
	d.weights.Talk = fit(talkExamples(d, conversations), l2, 300)
	d.forest = grow(decisionExamples(d, conversations))
	return d
}

// l2 pulls the weights of the linear parts to zero.
const l2 = 0.001

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

// decisionExamples are the messages with what they do.
func decisionExamples(d *Detector, conversations []conversation) (out []seen) {
	for _, c := range conversations {
		if c.source == talkFile {
			continue
		}
		walk(c, func(h *History, l labelled) {
			j := d.describe(h, l.Text)
			s := seen{features: j.inputs, right: outcomeOf(h, l), out: j.out, weight: c.weight, sure: j.sure.scores()}
			if j.style != talking && !s.out[s.right] {
				out = append(out, s)
			}
		})
	}
	return out
}

// talkExamples are those of leaving what people talk of.
func talkExamples(d *Detector, conversations []conversation) []example {
	var out []example
	for _, c := range conversations {
		if c.source != talkFile {
			continue
		}
		walk(c, func(h *History, l labelled) {
			j := d.describe(h, l.Text)
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
	writeCommon(t)
	d := train(trainingSet(t, -1))
	w := d.weights
	unseen := crossJudge(t)
	w.Calibration = calibrate(unseen)
	reportUnseen(t, unseen, w)
	w.Source = "Fitted by TestTrain on: SuperDialseg validation split, interleaved (Jiang et al., EMNLP 2023; from doc2dial and MultiDoc2Dial; " +
		"repository MIT, data card apache-2.0); TIAGE training split (Xie et al., 2021; MIT); testdata/dev.jsonl, testdata/service/dev.jsonl writers w1 to w4 and w7 to w9 of testdata/dialogues and those of testdata/openings with a number, of this package. No text of them is kept here."
	raw, err := json.MarshalIndent(rounded(w), "", " ")
	must(t, err)
	must(t, os.WriteFile("data/weights.json", append(raw, '\n'), 0o644))
	must(t, os.WriteFile("data/forest.txt", []byte(d.forest.String()), 0o644))
}

// writeCommon counts in how many conversations each stem is said, and writes what those count that are said in many.
func writeCommon(t *testing.T) {
	t.Helper()
	in, of := map[string]map[string]float64{}, map[string]float64{} // conversations by language: with a stem, and all
	for _, c := range dataOf(t, -1, true) {
		lang := c.source[:2]
		if !slices.Contains([]string{"cs", "pl", "ru"}, lang) {
			lang = "en"
		}
		if c.source == talkFile || c.source == serviceFile || c.lines[0].Op != "" && !strings.Contains(c.source, "-o") { // of others, or made by program
			continue
		}
		if in[lang] == nil {
			in[lang] = map[string]float64{}
		}
		seen := map[string]bool{}
		for _, l := range c.lines {
			for _, said := range append(l.Messages, l) {
				for _, term := range text.Terms(said.Text) {
					seen[term] = true
				}
			}
		}
		of[lang]++
		for term := range seen {
			in[lang][term]++
		}
	}
	weights := map[string]float64{}
	for lang, terms := range in {
		for term, n := range terms {
			if w := math.Log(of[lang]/n) / math.Log(of[lang]/commonFrom); w < mostCommon {
				weights[term] = max(weights[term], w, leastCommon)
			}
		}
	}
	var b strings.Builder
	for _, term := range slices.Sorted(maps.Keys(weights)) {
		fmt.Fprintf(&b, "%s %.2f\n", term, weights[term])
	}
	must(t, os.WriteFile("data/common.txt", []byte(b.String()), 0o644))
}

// A stem said in so many conversations counts in full; one that counts nearly as much is not written, and none counts less than the least.
const (
	commonFrom  = 3
	mostCommon  = 0.8
	leastCommon = 0.15
)

// outcomeOf is what is right.
func outcomeOf(h *History, l labelled) outcome {
	_, known := h.byID[l.Gold.Affair]
	known = known && l.Gold.Affair != ""
	switch {
	case l.Gold.Type == state.Continue:
		return goesOn
	case l.Gold.Type == state.AdHoc && known:
		return asks
	case l.Gold.Type == state.AdHoc:
		return remarks
	case known:
		return turns
	}
	return opens
}

// fitted are the writers of testdata/dialogues that weights and calibration may see; the others are for figures alone.
func fitted() []string { return []string{"w1", "w2", "w3", "w4", "w7", "w8", "w9"} }

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
	for i, c := range slices.Concat(readConversations(t, "testdata/service/dev.jsonl", everydayWeight), readConversations(t, "testdata/service/dev2.jsonl", everydayWeight)) {
		if (i%folds == fold) != rest {
			out = append(out, c)
		}
	}
	for _, file := range begunFiles() {
		for i, c := range readConversations(t, file, begunWeight) {
			if (i%folds == fold) != rest {
				out = append(out, c)
			}
		}
	}
	return out
}

// begunFiles are the openings of sessions, as people begin them, that weights and calibration may see.
func begunFiles() (out []string) {
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, hand := range []string{"o8", "o9"} {
			out = append(out, "testdata/openings/"+lang+"-"+hand+".jsonl")
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
	w.Target, w.Talk = round(w.Target), round(w.Talk)
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
	openingWeight  = 1
	begunWeight    = 2
	openingCopies  = 1
	shiftWeight    = 4 // shifts of talk among people: few, and worth finding
)

var must = statetest.Must
