package e2e

import (
	"embed"
	"strings"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/state"
)

// demos holds the built-in conversation in each language.
//
//go:embed testdata/scenarios/demo-*.yaml
var demos embed.FS

// Languages lists the languages of the built-in conversation, the default first.
func Languages() []string { return []string{"en", "cs", "pl", "ru"} }

// DemoTurns is how many turns the built-in conversation has. Those after it are a sequel: a correction and a crash.
const DemoTurns = 5

// Demo returns the built-in conversation and its sequel in a language of Languages, "" for the default. The
// error is Invalid for any other.
func Demo(language string) (scenario.Scenario, error) {
	if language == "" {
		language = Languages()[0]
	}
	name := "testdata/scenarios/demo-" + language + ".yaml"
	data, err := demos.ReadFile(name)
	if err != nil {
		return scenario.Scenario{}, state.Errorf(state.Invalid, "demo language "+language,
			"is not there; choose one of %s", strings.Join(Languages(), ", "))
	}
	all, err := scenario.Parse(name, data)
	if err != nil {
		return scenario.Scenario{}, err
	}
	return all[0], nil
}
