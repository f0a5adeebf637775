package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/e2e"
	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/state"
)

// playTurn, as the only argument, makes the test binary the process that a scenario's crash kills.
const playTurn = "play-turn"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == playTurn {
		if err := scenario.PlayTurn(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestScenarios plays every scenario file, each scenario in a store of its own.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, file := range scenarioFiles(t) {
		data, err := os.ReadFile(file)
		must(t, err)
		all, err := scenario.Parse(file, data)
		if err != nil {
			t.Errorf("Parse = %v, want no error", err)
			continue
		}
		for _, s := range all {
			t.Run(filepath.Base(file)+"/"+s.Name, func(t *testing.T) {
				t.Parallel()
				got, err := scenario.Run(t.Context(), s, scenario.Config{Dir: t.TempDir(), Child: []string{os.Args[0], playTurn}})
				if err != nil {
					t.Fatalf("Run = %v, want no error", err)
				}
				for _, f := range got.Failures {
					t.Errorf("%s:%d: %s", s.File, s.Turns[f.Turn-1].Line, f)
				}
			})
		}
	}
}

func TestEveryScenarioSaysWhichStoryItIs(t *testing.T) {
	t.Parallel()
	for _, file := range scenarioFiles(t) {
		data, err := os.ReadFile(file)
		must(t, err)
		for i, doc := range strings.Split(string(data), "\n---\n") {
			if !strings.HasPrefix(doc, "# Story: ") {
				t.Errorf("%s, scenario %d: the first line does not say which story it is", file, i+1)
			}
		}
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	for _, language := range append(e2e.Languages(), "") {
		s, err := e2e.Demo(language)
		if err != nil || len(s.Turns) <= e2e.DemoTurns || language != "" && s.Language != language {
			t.Errorf("Demo(%q) = %d turns in %q, %v, want the conversation and its sequel in that language", language, len(s.Turns), s.Language, err)
		}
	}
	if _, err := e2e.Demo("../x"); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "en, cs, pl, ru") {
		t.Errorf("Demo of an unknown language = %v, want Invalid naming the known ones", err)
	}
}

func scenarioFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/scenarios/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d scenario files, %v, want at least 10", len(files), err)
	}
	return files
}
