package mask

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

// labelled is a message with its secrets.
type labelled struct {
	Text    string
	Secrets []string

	hand string // whose: the name of its file without the language
	ts   []token
	own  []bool // whether a token is of a secret
}

// readLabelled reads the messages that somebody has labelled, but for those that are held out.
func readLabelled(t *testing.T) (all []labelled) {
	t.Helper()
	names, err := filepath.Glob("../../../score/testdata/mask/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("labelled messages: %v, %v", names, err)
	}
	for _, name := range names {
		_, hand, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "-")
		if hand == "held" {
			continue
		}
		raw, err := os.ReadFile(name)
		must(t, err)
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			l := labelled{hand: hand}
			if err := in.Decode(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			l.mark()
			all = append(all, l)
		}
	}
	return all
}

// talk are messages of everyday conversations and orders to the memory, in which there are no secrets but those that the rules see.
const talk = "talk"

func readTalk(t *testing.T) (all []labelled) {
	t.Helper()
	dialogues, err := filepath.Glob("../../detect/testdata/dialogues/*-w[1-47-9].jsonl")
	openings, err2 := filepath.Glob("../../detect/testdata/openings/*-o*.jsonl")
	commands, err3 := filepath.Glob("../../../score/testdata/commands/*.jsonl")
	if err != nil || err2 != nil || err3 != nil || len(dialogues) == 0 || len(openings) == 0 || len(commands) == 0 {
		t.Fatal("the development dialogues are not there")
	}
	seen, rules := map[string]bool{"": true}, New()
	for _, name := range slices.Concat(dialogues, openings, commands) {
		if strings.HasSuffix(name, "-held.jsonl") || strings.HasSuffix(name, "-ordinary.jsonl") {
			continue
		}
		raw, err := os.ReadFile(name)
		must(t, err)
		for in := json.NewDecoder(bytes.NewReader(raw)); in.More(); {
			l := labelled{hand: talk}
			if err := in.Decode(&l); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !seen[l.Text] && len(rules.find(l.Text)) == 0 {
				seen[l.Text] = true
				l.mark()
				all = append(all, l)
			}
		}
	}
	return all
}

// mark tells which tokens are of a secret: those that lie in one by more than half.
func (l *labelled) mark() {
	l.ts = tokenise(l.Text)
	l.own = make([]bool, len(l.ts))
	for _, secret := range l.Secrets {
		for from := strings.Index(l.Text, secret); from >= 0 && secret != ""; {
			end := from + len(secret)
			for i, t := range l.ts {
				l.own[i] = l.own[i] || 2*(min(end, t.end)-max(from, t.start)) > t.end-t.start
			}
			next := strings.Index(l.Text[end:], secret)
			if next < 0 {
				break
			}
			from = end + next
		}
	}
}

// fitGate learns which stretches tell a secret.
func fitGate(all []labelled) *linear.Model {
	var lessons []linear.Lesson
	for _, l := range all {
		for i := 0; i < len(l.ts) && (i == 0 || len(l.ts) > windowTokens); i += windowStep {
			w := windowOf(l.ts, i)
			right := 0.
			for j, t := range l.ts {
				if l.own[j] && t.start >= w[0].start && t.end <= w[len(w)-1].end {
					right = 1
				}
			}
			lessons = append(lessons, linear.Lesson{Signs: gateSigns(w, l.Text), Right: []float64{right}})
		}
	}
	return linear.Course{Weight: linear.Counted, Shares: linear.Logistic, Rounds: 10, Least: 16}.Fit(lessons)
}

// fitTagger learns which tokens are of a secret: of half the messages without one, and of an eighth of the talk.
func fitTagger(all []labelled) *linear.Model {
	var lessons []linear.Lesson
	for n, l := range all {
		if len(l.Secrets) == 0 && (n%2 == 0 || l.hand == talk && n%8 != 1) {
			continue
		}
		for i := range l.ts {
			right := 0.
			if l.own[i] {
				right = 1
			}
			lessons = append(lessons, linear.Lesson{Signs: tokenSigns(l.ts, l.Text, i), Right: []float64{right}})
		}
	}
	return linear.Course{Weight: linear.Plain, Shares: linear.Logistic, Rounds: 10, Least: 14}.Fit(lessons)
}

var fitIt = flag.Bool("fit", false, "fit the models anew and write them to models")

// TestFit writes the models.
func TestFit(t *testing.T) {
	if !*fitIt {
		t.Skip("only with -fit")
	}
	all := append(readLabelled(t), readTalk(t)...)
	for name, m := range map[string]*linear.Model{"gate": fitGate(all), "tagger": fitTagger(all)} {
		var b bytes.Buffer
		must(t, m.Write(&b))
		t.Logf("%s: %d signs, %d KB", name, m.Known(), b.Len()>>10)
		must(t, os.WriteFile("models/"+name+".bin", b.Bytes(), 0o600))
	}
}

var must = statetest.Must
