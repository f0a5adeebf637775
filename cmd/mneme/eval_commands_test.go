package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// labelled are messages of which the rules read all but the last as they are labelled.
const labelled = `{"id":"1","lang":"en","text":"Remember that I drink tea.","action":"remember","object":"I drink tea"}
{"id":"2","lang":"cs","text":"Co o mně víš?","action":"show_all","object":""}
{"id":"3","lang":"en","text":"Don't forget to buy milk","action":"none","object":""}
{"id":"4","lang":"en","text":"what time is it?","action":"pin","object":""}
`

func TestEvalCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, out := filepath.Join(dir, "d.jsonl"), filepath.Join(dir, "p.jsonl")
	write(t, data, labelled)
	got := mneme(t, "", nil, "eval", "commands", "--data", data)
	for _, line := range []string{
		"accuracy of 4 messages 75.0 %", "none taken for a command 0.0 %", "objects right 100.0 %", "cs: accuracy, none taken 100.0 %, 0.0 %", "en: accuracy, none taken 66.7 %, 0.0 %",
		"pin: precision, recall, F1 0.0 %, 0.0 %, 0.0 %", "remember: precision, recall, F1 100.0 %, 100.0 %, 100.0 %",
	} {
		if !strings.Contains(strings.Join(strings.Fields(got.out), " "), line) {
			t.Errorf("table lacks %q:\n%s", line, got.out)
		}
	}
	got = mneme(t, "", nil, "eval", "commands", "--data", data, "--predictions", out, "--json")
	var figures struct {
		N          int
		Accuracy   float64
		NoneTaken  *float64                      `json:"none_taken"`
		Objects    *float64                      `json:"object_right"`
		Actions    map[string]map[string]float64 `json:"actions"`
		ByLanguage map[string]map[string]float64 `json:"by_lang"`
	}
	if err := json.Unmarshal([]byte(got.out), &figures); err != nil || got.code != 0 || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("exit status %d, output %q: %v; want one line of JSON", got.code, got.out, err)
	}
	if figures.N != 4 || figures.Accuracy != .75 || figures.NoneTaken == nil || figures.Objects == nil || figures.Actions["remember"]["f1"] != 1 || figures.ByLanguage["cs"]["accuracy"] != 1 {
		t.Errorf("figures %+v from %s", figures, got.out)
	}
	said, err := os.ReadFile(out)
	if want := `{"id":"1","action":"remember","object":"I drink tea"}`; err != nil || !strings.HasPrefix(string(said), want) || strings.Count(string(said), "\n") != 4 {
		t.Errorf("predictions %s, %v: want four lines, first %s", said, err, want)
	}
}

func TestEvalCommandsRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.jsonl")
	write(t, bad, labelled+`{"id":"5","text":"x","action":"sing"}`)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"bad line":     {[]string{"--data", bad}, 2, "line 5"},
		"missing file": {[]string{"--data", filepath.Join(dir, "none.jsonl")}, 3, "none.jsonl"},
		"a model":      {[]string{"--data", bad, "--small-model", "m"}, 2, "--small-model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mneme(t, "", nil, append([]string{"eval", "commands"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("exit status %d, stderr %q: want %d and %q", got.code, got.err, c.code, c.says)
			}
		})
	}
}
