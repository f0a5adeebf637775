package score_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// TestCommands holds the reader of spoken commands to its figures. Of all hands but held it has learnt; held was written by somebody who saw neither the
// program nor its data, and no message of it was looked at.
func TestCommands(t *testing.T) {
	t.Parallel()
	for part, bar := range map[string]struct{ accuracy, taken, objects float64 }{
		"held":  {.88, .03, .8},
		"dev":   {.98, .01, .95},
		"test":  {.98, .01, .95},
		"alike": {.98, .01, .95},
		"talk":  {.98, .01, .95},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			names, err := filepath.Glob("testdata/commands/*-" + part + ".jsonl")
			if err != nil || len(names) != 4 {
				t.Fatalf("files %v, %v: want four", names, err)
			}
			var all bytes.Buffer
			for _, name := range names {
				raw, err := os.ReadFile(name)
				must(t, err)
				all.Write(raw)
			}
			f, err := score.Commands(&all, nil, nil)
			must(t, err)
			for lang, in := range f.ByLang {
				if in.Accuracy < bar.accuracy || in.NoneTaken > bar.taken {
					t.Errorf("%s: accuracy %.3f, none taken %.3f, want %v", lang, in.Accuracy, in.NoneTaken, bar)
				}
			}
			t.Logf("objects right %.3f; %v", f.ObjectRight, f.ByLang)
			if f.ObjectRight < bar.objects {
				t.Errorf("objects right %.3f: want %v", f.ObjectRight, bar)
			}
		})
	}
}

func TestCommandsCounts(t *testing.T) {
	t.Parallel()
	data := `{"id":"1","lang":"en","text":"a","action":"remember","object":"Old tea"}
{"id":"2","lang":"en","text":"b","action":"none","object":""}

{"id":"3","lang":"cs","text":"c","action":"none"}`
	var said []score.CommandPrediction
	f, err := score.Commands(strings.NewReader(data), func(text string) (string, string) {
		if text == "c" {
			return "none", ""
		}
		return "remember", "the old TEA"
	}, func(p score.CommandPrediction) error {
		said = append(said, p)
		return nil
	})
	must(t, err)
	if f.N != 3 || f.NoneTaken != .5 || f.ObjectRight != 1 || f.ByLang["en"].Accuracy != .5 || f.Actions["remember"].Precision != .5 || len(said) != 3 {
		t.Errorf("%+v, %v", f, said)
	}
	for _, bad := range []string{`{`, `{"id":"1","text":"x","action":"sing"}`, `{"text":"x","action":"none"}`, strings.Repeat(" ", 17<<20)} {
		if _, err := score.Commands(strings.NewReader(data+"\n"+bad), nil, nil); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "line 5") {
			t.Errorf("%.80s: %v, want invalid, line 5", bad, err)
		}
	}
}

var must = statetest.Must
