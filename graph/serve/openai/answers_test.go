package openai

import (
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// A turn takes the results that it waits for, those that it has, and those that it goes on with just now.
func TestWhichResultsATurnTakes(t *testing.T) {
	t.Parallel()
	mask := func(text string) string { return text }
	ask := func(call string) graph.Question {
		return graph.Question{Question: state.Question{Text: clientRuns, Tool: "look", Call: call}}
	}
	for name, tt := range map[string]struct {
		k     kept
		waits []graph.Question
		send  []result
		taken bool
	}{
		"it waits":                      {kept{calls: []string{"call_2_a"}}, []graph.Question{ask("2/a")}, []result{{"call_2_a", "x"}}, true},
		"it waits for another one":      {kept{calls: []string{"call_2_a"}}, []graph.Question{ask("2/a")}, []result{{"call_2_b", "x"}}, false},
		"it waits for a person":         {kept{calls: []string{"call_2_b"}, over: true}, []graph.Question{{Question: state.Question{Text: "Run it?", Tool: "look", Call: "2/a"}}}, []result{{"call_2_a", "x"}}, false},
		"it goes on with it":            {kept{calls: []string{"call_2_a"}}, nil, []result{{"call_2_a", "x"}}, true},
		"it has it":                     {kept{calls: []string{"call_2_a"}, over: true, results: map[string]string{"call_2_a": " x\n"}}, nil, []result{{"call_2_a", "x"}}, true},
		"it has another one":            {kept{calls: []string{"call_2_a"}, over: true, results: map[string]string{"call_2_a": "y"}}, nil, []result{{"call_2_a", "x"}}, false},
		"it has given the call up":      {kept{calls: []string{"call_2_a"}, over: true}, nil, []result{{"call_2_a", "x"}}, false},
		"twice the same":                {kept{}, []graph.Question{ask("2/a")}, []result{{"call_2_a", "x"}, {"call_2_a", "x"}}, true},
		"twice, and not the same":       {kept{}, []graph.Question{ask("2/a")}, []result{{"call_2_a", "x"}, {"call_2_a", "y"}}, false},
		"one that is, one that is none": {kept{}, []graph.Question{ask("2/a")}, []result{{"call_2_a", "x"}, {"", "x"}}, false},
	} {
		if tt.k.results == nil {
			tt.k.results = map[string]string{}
		}
		if err := tt.k.check(tt.send, tt.waits, mask); (err == nil) != tt.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
}
