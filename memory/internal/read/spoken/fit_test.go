package spoken

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/state/statetest"
)

// labelled is a message that somebody has labelled.
type labelled struct {
	Lang, Text string
	Action     Action
	Object     string

	words []word
	hand  string // whose: the name of its file without the language
}

// readLabelled reads the labelled messages of the hands that are wanted.
func readLabelled(t *testing.T, wanted func(hand string) bool) (all []labelled) {
	t.Helper()
	names, err := filepath.Glob("../../../score/testdata/commands/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("labelled messages: %v, %v", names, err)
	}
	for _, name := range names {
		_, hand, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "-")
		if !wanted(hand) {
			continue
		}
		raw, err := os.ReadFile(name)
		must(t, err)
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			l := labelled{hand: hand}
			if err := in.Decode(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			l.words = split(l.Text)
			all = append(all, l)
		}
	}
	return all
}

// readTalk reads the user's messages of the development dialogues from which detection learns: they order nothing, but for those among them that somebody
// has labelled.
func readTalk(t *testing.T, orders []labelled) (all []labelled) {
	t.Helper()
	known := map[string]bool{}
	for _, l := range orders {
		known[l.Text] = true
	}
	dialogues, err := filepath.Glob("../../detect/testdata/dialogues/*-w[1-47-9].jsonl")
	openings, err2 := filepath.Glob("../../detect/testdata/openings/*-o*.jsonl")
	if err != nil || err2 != nil || len(dialogues) == 0 || len(openings) == 0 {
		t.Fatal("the development dialogues are not there")
	}
	for _, name := range append(dialogues, openings...) {
		raw, err := os.ReadFile(name)
		must(t, err)
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			var m struct{ Role, Text string }
			if err := in.Decode(&m); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if m.Role == "user" && !known[m.Text] {
				known[m.Text] = true
				all = append(all, labelled{Text: m.Text, Action: None, words: split(m.Text)})
			}
		}
	}
	return all
}

// learning reports whether a hand's messages are to learn from. The others are held out.
func learning(hand string) bool { return hand != "held" && hand != "ordinary" }

// fitOrders learns what is ordered.
func fitOrders(all []labelled) *linear.Model {
	var lessons []linear.Lesson
	for _, l := range all {
		right := make([]float64, len(Actions()))
		right[slices.Index(Actions(), l.Action)] = 1
		lessons = append(lessons, linear.Lesson{Signs: signsOf(l.words), Right: right})
	}
	return linear.Course{Weight: linear.Counted, Shares: linear.Softmax, Rounds: 12, Least: 10}.Fit(lessons)
}

// fitObjects learns what words orders are about.
func fitObjects(all []labelled, orders *linear.Model) *linear.Model {
	var lessons []linear.Lesson
	for _, l := range all {
		if l.Action == None || l.Action == ShowAll || l.Action == ForgetLast {
			continue
		}
		ordering := orderingSentence(orders, l.words)
		for i, own := range ownWords(l) {
			if own >= 0 {
				lessons = append(lessons, linear.Lesson{Signs: signsOfWord(l.Text, l.words, i, l.Action, ordering), Right: []float64{own}})
			}
		}
	}
	return linear.Course{Weight: linear.Plain, Shares: linear.Logistic, Rounds: 6, Least: 5}.Fit(lessons)
}

// ownWords says of each word whether the object has it: 1, 0, or -1 where nobody knows, in the rest of the clause of a statement: labels name only
// its core.
func ownWords(l labelled) []float64 {
	own := make([]float64, len(l.words))
	from := strings.LastIndex(l.Text, l.Object)
	in := func(w word) bool { return l.Object != "" && w.to > from && w.from < from+len(l.Object) }
	first := slices.IndexFunc(l.words, in)
	if first < 0 {
		return own
	}
	last := first
	for ; last < len(own) && in(l.words[last]); last++ {
		own[last] = 1
	}
	if topical(l.Action) {
		return own
	}
	for i := first - 1; i >= 0 && l.words[i].letters; i-- {
		own[i] = -1
	}
	for i := last; i < len(own) && l.words[i].letters; i++ {
		own[i] = -1
	}
	return own
}

var (
	fitIt = flag.Bool("fit", false, "fit the models anew and write them to data")
	cross = flag.String("cross", "", "fit without each of these hands in turn, and print what is right of theirs: a,b")
)

// TestFit writes the models.
func TestFit(t *testing.T) {
	if !*fitIt {
		t.Skip("-fit writes the models")
	}
	all := readLabelled(t, learning)
	o := fitOrders(append(all, readTalk(t, all)...))
	for name, m := range map[string]*linear.Model{"orders": o, "objects": fitObjects(all, o)} {
		var b bytes.Buffer
		must(t, m.Write(&b))
		must(t, os.WriteFile("data/"+name+".bin", b.Bytes(), 0o644))
		t.Logf("%s: %d signs, %d KB", name, m.Known(), b.Len()>>10)
	}
}

// TestCross prints how hands are read that nothing was learnt from.
func TestCross(t *testing.T) {
	if *cross == "" {
		t.Skip("-cross names hands")
	}
	for hand := range strings.SplitSeq(*cross, ",") {
		rest := readLabelled(t, func(h string) bool { return learning(h) && h != hand })
		orders := fitOrders(append(rest, readTalk(t, rest)...))
		objects := fitObjects(rest, orders)
		n, right, none, taken, about, found := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		for _, l := range readLabelled(t, func(h string) bool { return h == hand }) {
			a, likely := likeliest(orders, l.words)
			if likely < sure {
				a = None
			}
			n[l.Lang]++
			if a == l.Action {
				right[l.Lang]++
			}
			switch {
			case l.Action != None && l.Object != "":
				about[l.Lang]++
				if strings.Contains(object(likelyWords(orders, objects, l.Text, l.words, l.Action), l.Text, l.words, l.Action), l.Object) {
					found[l.Lang]++
				}
			case l.Action == None:
				none[l.Lang]++
				if a != None {
					taken[l.Lang]++
				}
			}
		}
		share := func(of, all int) float64 { return float64(of) / float64(max(1, all)) }
		for lang := range n {
			t.Logf("%s, %s: %d messages, %.3f right, %.3f of none taken, %.3f of the objects", hand, lang, n[lang], share(right[lang], n[lang]),
				share(taken[lang], none[lang]), share(found[lang], about[lang]))
		}
	}
}

var must = statetest.Must
