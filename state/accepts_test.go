package state

import (
	"testing"

	"github.com/mneme-graph/mneme/state/limit"
)

// What a form is told of a setting is what Set holds it to.
func TestAccepts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]limit.Accepted{
		"max_tokens":           {Type: "integer", Min: 200},
		"switch_threshold":     {Type: "number", Max: 1},
		"detect":               {Type: "choice"},
		"summary_strategy":     {Type: "choice"},
		"session_idle_minutes": {Type: "integer"},
	} {
		got, ok := (Settings{}).Accepts(name)
		if !ok || got.Type != want.Type || got.Min != want.Min || got.Max != want.Max || (got.Type == "choice") != (len(got.Choices) > 0) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if _, ok := (Settings{}).Accepts("nothing"); ok {
		t.Error("a setting that is none")
	}
	for _, name := range SettingNames() {
		usual, s := DefaultSettings(), DefaultSettings()
		if a, _ := (Settings{}).Accepts(name); a.Type == "" || s.Set(name, usual.Get(name)) != nil && a.Type != "choice" {
			t.Errorf("%s does not take its default: %+v", name, a)
		}
	}
}
