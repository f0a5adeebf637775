package mask

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
)

// labelled is a text whose secrets somebody has named.
type labelled struct {
	ID, Lang, Text string
	Secrets        []string

	hand  string // whose: the name of its file without the language
	all   []token
	right []bool // of each token, whether it is of a secret
}

// readLabelled reads the labelled texts of the hands that are wanted.
func readLabelled(t *testing.T, wanted func(hand string) bool) (all []labelled) {
	t.Helper()
	names, err := filepath.Glob("../../../score/testdata/mask/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("labelled texts: %v, %v", names, err)
	}
	for _, name := range names {
		_, hand, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "-")
		if !wanted(hand) {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			l := labelled{hand: hand}
			if err := in.Decode(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, l.read())
		}
	}
	return all
}

// readOrders reads messages to the memory: they have no secrets but those that are secrets by their form.
func readOrders(t *testing.T) (all []labelled) {
	t.Helper()
	names, err := filepath.Glob("../../../score/testdata/commands/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("orders: %v, %v", names, err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			l := labelled{hand: "orders"}
			if err := in.Decode(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !mayHave(l.Text) {
				all = append(all, l.read())
			}
		}
	}
	return all
}

// mayHave reports whether somebody who has labelled something else may have told a secret.
func mayHave(s string) bool {
	for _, t := range split(s, 0, len(s)) {
		if k := t.kind; k >= 0 && kinds[k].name != "" {
			return true
		}
	}
	return false
}

// read fills in the tokens and which of them are of secrets.
func (l labelled) read() labelled {
	l.all = split(l.Text, 0, len(l.Text))
	outside(l.all, apart(append(exactly.exact(l.Text), findWords(l.Text, l.all)...)))
	l.right = make([]bool, len(l.all))
	for _, secret := range l.Secrets {
		for from := 0; ; {
			n := strings.Index(l.Text[from:], secret)
			if n < 0 {
				break
			}
			start := from + n
			from = start + len(secret)
			for i, t := range l.all {
				if over := min(t.end, from) - max(t.start, start); over > 0 && 2*over >= t.end-t.start {
					l.right[i] = true
				}
			}
		}
	}
	return l
}

var exactly = New()

// stretches calls for each stretch of a text.
func (l labelled) stretches(do func(part []token, right []bool)) {
	for from := 0; from < len(l.all); from += stretch - overlap {
		to := min(len(l.all), from+stretch)
		do(l.all[from:to], l.right[from:to])
		if to == len(l.all) {
			return
		}
	}
}

// fitGate learns in which stretches there are secrets.
func fitGate(all []labelled) *linear.Model {
	var lessons []linear.Lesson
	for _, l := range all {
		l.stretches(func(part []token, right []bool) {
			lessons = append(lessons, linear.Lesson{Signs: signsOf(part), Right: []float64{truth(slices.Contains(right, true))}})
		})
	}
	return linear.Course{Weight: linear.Counted, Shares: linear.Logistic, Rounds: 8, Least: 6}.Fit(lessons)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// fitTags learns which tokens are of secrets. What the gate says of a stretch is taken from gates that have not learnt from it, one for each of some folds.
func fitTags(all []labelled) *linear.Model {
	const folds = 4
	var lessons []linear.Lesson
	for fold := range folds {
		var rest, own []labelled
		for i, l := range all {
			if i%folds == fold {
				own = append(own, l)
			} else {
				rest = append(rest, l)
			}
		}
		g := fitGate(rest)
		for _, l := range own {
			l.stretches(func(part []token, right []bool) {
				says := g.Sum(signsOf(part), linear.Counted)[0]
				if says < maySay {
					return
				}
				for i := range part {
					if asked(part, i) {
						lessons = append(lessons, linear.Lesson{Signs: signsOfToken(nil, part, i, right, says), Right: []float64{truth(right[i])}})
					}
				}
			})
		}
	}
	return linear.Course{Weight: linear.Plain, Shares: linear.Logistic, Rounds: 8, Least: 8}.Fit(lessons)
}

// varied adds texts in which secrets of a kind have changed places, so that what stands around one says little of its form.
func varied(all []labelled) []labelled {
	pools := map[string][]string{}
	kind := func(secret string) string {
		t := split(secret, 0, len(secret))
		if len(t) == 0 {
			return ""
		}
		return fmt.Sprint(t[0].class, len(t) > 1, len(t) > 9, t[0].class == numberClass && t[0].letters < 7)
	}
	for _, l := range all {
		for _, s := range l.Secrets {
			pools[kind(s)] = append(pools[kind(s)], s)
		}
	}
	rng := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // not for secrets
	out := slices.Clone(all)
	for range variants {
		for _, l := range all {
			v := labelled{Text: l.Text, hand: l.hand}
			for _, s := range l.Secrets {
				pool := pools[kind(s)]
				other := pool[rng.IntN(len(pool))]
				v.Text = strings.ReplaceAll(v.Text, s, other)
				v.Secrets = append(v.Secrets, other)
			}
			if len(v.Secrets) > 0 {
				out = append(out, v.read())
			}
		}
	}
	return out
}

// innocent puts what looks like a secret into texts that speak of none: there it is a name, a number of something, a word somebody has made up.
func innocent(clean, from []labelled) []labelled {
	var pool []string
	for _, l := range from {
		for _, s := range l.Secrets {
			if t := split(s, 0, len(s)); len(t) == 1 && t[0].letters < 16 && t[0].class != wordClass {
				pool = append(pool, s)
			}
		}
	}
	rng := rand.New(rand.NewPCG(13, 17)) //nolint:gosec // not for secrets
	out := slices.Clone(clean)
	const oneOf = 6
	for _, l := range clean {
		if len(l.all) < 5 || rng.IntN(oneOf) > 0 {
			continue
		}
		t := l.all[2+rng.IntN(len(l.all)-2)]
		v := labelled{Text: l.Text[:t.start] + pool[rng.IntN(len(pool))] + l.Text[t.end:], hand: l.hand}
		out = append(out, v.read())
	}
	return out
}

// variants is how many further texts are made of one with secrets.
const variants = 2

// learning reports whether a hand's texts are to learn from. The others are held out.
func learning(hand string) bool { return hand != "held" }

var (
	fitIt = flag.Bool("fit", false, "fit the models anew and write them to data")
	cross = flag.String("cross", "", "fit without each of these hands in turn, and print what is found of theirs: a,b")
)

// TestFit writes the models.
func TestFit(t *testing.T) {
	if !*fitIt {
		t.Skip("-fit writes the models")
	}
	told := readLabelled(t, learning)
	all := append(varied(told), innocent(readOrders(t), told)...)
	for name, m := range map[string]*linear.Model{"gate": fitGate(all), "tags": fitTags(all)} {
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("data/"+name+".bin", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d signs, %d KB", name, m.Known(), b.Len()>>10)
	}
}

// TestCross prints how texts of hands are masked that nothing was learnt from, at some thresholds.
func TestCross(t *testing.T) {
	if *cross == "" {
		t.Skip("-cross names hands")
	}
	for hand := range strings.SplitSeq(*cross, ",") {
		told := readLabelled(t, func(h string) bool { return learning(h) && h != hand })
		rest := append(varied(told), innocent(readOrders(t), told)...)
		gate, tags := fitGate(rest), fitTags(rest)
		own := readLabelled(t, func(h string) bool { return h == hand })
		for _, want := range []float64{-1, -.5, 0, .5, 1, 1.5} {
			secrets, found, clean, alarms, closed := 0, 0, 0, 0, 0
			for _, l := range own {
				told := l.found(gate, tags, want, &closed)
				if len(l.Secrets) == 0 {
					clean++
					if slices.Contains(told, true) {
						alarms++
					}
				}
				for i, right := range l.right {
					if right && (i == 0 || !l.right[i-1]) {
						secrets++
						all := true
						for j := i; j < len(l.right) && l.right[j]; j++ {
							all = all && (told[j] || l.all[j].hidden)
						}
						if all {
							found++
						}
					}
				}
			}
			t.Logf("%s at %.1f: %.3f of %d secrets, %.3f of %d clean ones; the gate closed on %d with secrets", hand, want, float64(found)/float64(max(1, secrets)), secrets,
				float64(alarms)/float64(max(1, clean)), clean, closed)
		}
	}
}

// found tells which tokens models take for secrets.
func (l labelled) found(gate, tags *linear.Model, want float64, closed *int) []bool {
	told := make([]bool, len(l.all))
	from := 0
	l.stretches(func(part []token, right []bool) {
		says := gate.Sum(signsOf(part), linear.Counted)[0]
		if says < maySay {
			if slices.Contains(right, true) {
				*closed++
			}
		} else {
			for i := range part {
				if asked(part, i) && !told[from+i] {
					told[from+i] = tags.Score(signsOfToken(nil, part, i, told[from:], says)) >= want
				}
			}
		}
		from += stretch - overlap
	})
	evened(l.all, told)
	return told
}
