package detect_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state"
)

// told is what a line of the dialogues says besides what detection is judged by.
type told struct {
	Conversation string
	Title        string // of the affair it opens
	Facts        []struct{ Label, Value, Replaces string }
}

// The development dialogues are what testdata/dialogues/README.md says of them.
func TestDialogues(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/dialogues/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	conversations, facts, replaced, seen := map[string]int{}, map[string]int{}, map[string]int{}, map[string]string{}
	for _, file := range files {
		lang := filepath.Base(file)[:2]
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := score.Read(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		conversations[lang] += len(read)
		for _, lines := range read {
			checkLabels(t, lines)
			for _, l := range lines {
				if at, ok := seen[l.Text]; ok && len(l.Text) > 40 {
					t.Errorf("%s %s: says the same as %s", l.Conversation, l.ID, at)
				}
				seen[l.Text] = l.Conversation + " " + l.ID
			}
		}
		for line := range bytes.Lines(raw) {
			var x told
			if err := json.Unmarshal(line, &x); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(x.Facts) > 0 {
				facts[lang]++
			}
			for _, f := range x.Facts {
				if f.Replaces != "" {
					replaced[lang]++
				}
			}
		}
	}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		t.Logf("%s: %d conversations, facts on %d messages, %d replaced", lang, conversations[lang], facts[lang], replaced[lang])
		if conversations[lang] < 40 || facts[lang] < 75 || replaced[lang] < 50 {
			t.Errorf("%s: %d conversations, facts on %d messages, %d replaced, want at least 40, 75 and 50", lang, conversations[lang], facts[lang], replaced[lang])
		}
	}
}

// checkLabels plays a conversation by its labels.
func checkLabels(t *testing.T, lines []score.Line) {
	t.Helper()
	open, current := map[string]bool{}, ""
	for _, l := range lines {
		if l.Gold == nil {
			continue
		}
		g, ok := *l.Gold, false
		switch g.Type {
		case state.NewAffair:
			ok = g.Affair != "" && !open[g.Affair]
			open[g.Affair], current = true, g.Affair
		case state.Continue:
			ok = g.Affair == current && current != ""
		case state.Switch:
			ok = open[g.Affair] && g.Affair != current
			current = g.Affair
		case state.AdHoc:
			ok = g.Affair == "" || open[g.Affair] && g.Affair != current
		}
		if !ok {
			t.Errorf("%s %s: %s of %q is not possible here", l.Conversation, l.ID, g.Type, g.Affair)
		}
	}
}
