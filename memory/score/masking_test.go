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
)

// TestMasking holds the masker to its figures on labelled texts of four languages. What is
// reached on held, of a hand that saw neither the lists nor the data, is less: the models have learnt from the others.
func TestMasking(t *testing.T) {
	t.Parallel()
	for part, bar := range map[string]struct{ recall, falseAlarms, kept float64 }{
		"dev":   {.95, .01, .98},
		"said":  {.88, .005, 0},
		"test":  {.98, .015, .98},
		"words": {.9, .02, 0},
		"held":  {.77, .025, .965},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			names, err := filepath.Glob("testdata/mask/*-" + part + ".jsonl")
			if err != nil || len(names) != 4 {
				t.Fatalf("files %v, %v: want four", names, err)
			}
			var all bytes.Buffer
			for _, name := range names {
				raw, err := os.ReadFile(name)
				must(t, err)
				all.Write(raw)
			}
			f, err := score.Masking(&all, nil)
			must(t, err)
			t.Logf("%d secrets, recall %.3f; %d clean, false alarms %.4f; kept %.3f; %v", f.Secrets, f.Recall, f.Clean, f.False, f.Kept, f.ByLang)
			if f.Recall < bar.recall || f.False > bar.falseAlarms || f.Kept < bar.kept {
				t.Errorf("recall %.3f, false alarms %.4f, kept %.3f: want %v; missed %v", f.Recall, f.False, f.Kept, bar, f.Missed)
			}
		})
	}
}

func TestMaskingCounts(t *testing.T) {
	t.Parallel()
	data := `{"id":"1","lang":"en","text":"my key is abcdefghijkl, call Ann","secrets":["abcdefghijkl"],"keep":["Ann"]}
{"id":"2","lang":"en","text":"pin 4821","secrets":["4821"],"keep":[]}

{"id":"3","lang":"cs","text":"nic","secrets":[],"keep":["nic"]}`
	f, err := score.Masking(strings.NewReader(data), func(s string) string {
		return strings.NewReplacer("defghijkl", "", "4821", "*", "nic", "n").Replace(s)
	})
	must(t, err)
	if f.N != 3 || f.Secrets != 2 || f.Recall != 1 || f.Clean != 1 || f.False != 1 || f.Keep != 2 || f.Kept != .5 || len(f.Missed) != 0 {
		t.Errorf("%+v", f)
	}
	f, err = score.Masking(strings.NewReader(data), func(s string) string { return strings.ReplaceAll(s, "ijkl", "") })
	if err != nil || f.Recall != 0 || strings.Join(f.Missed, " ") != "1 2" {
		t.Errorf("with eight letters left: %+v, %v", f, err)
	}
	for _, bad := range []string{`{`, `{"id":"1"}`, `{"text":"x"}`} {
		if _, err := score.Masking(strings.NewReader(data+"\n"+bad), strings.ToUpper); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "line 5") {
			t.Errorf("%s: %v, want invalid, line 5", bad, err)
		}
	}
}
