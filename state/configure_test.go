package state_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

func TestSet(t *testing.T) {
	t.Parallel()
	want := state.DefaultSettings()
	want.MaxTokens, want.SwitchThreshold, want.Detect = 4000, 0.6, "rules"
	want.SearchCacheTTL, want.ExtractionEnabled, want.ExtractionModel = 90*time.Second, false, "small"
	got := state.DefaultSettings()
	for _, x := range [][2]string{
		{"max_tokens", "4000"}, {"switch_threshold", " 0.6 "}, {"detect", "rules"},
		{"search_cache_ttl", "90s"}, {"memory_extraction_enabled", "false"}, {"memory_extraction_model", "small"},
	} {
		if err := got.Set(x[0], x[1]); err != nil {
			t.Errorf("Set(%q, %q) = %v, want no error", x[0], x[1], err)
		}
	}
	same(t, "settings", want, got)
}

// The policies fit the setting and where one call has its own.
func TestPoliciesFitTheirSettings(t *testing.T) {
	t.Parallel()
	s := state.DefaultSettings()
	for _, s.OnCancel = range []string{state.CloseOnCancel, state.ResumeOnCancel} {
		for _, s.DoubleTexting = range []string{state.RejectTexting, state.EnqueueTexting, state.InterruptTexting, state.RollbackTexting} {
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	var own state.DoubleTexting = state.RollbackTexting
	if string(own) != s.DoubleTexting {
		t.Errorf("the last is %s, the setting %s", own, s.DoubleTexting)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, setting, value string
		says                 []string
	}{
		{"unknown name", "max_tokes", "1", []string{`"max_tokes"`, `"max_tokens"`, "mneme doctor"}},
		{"not a number", "max_tokens", "many", []string{"max_tokens", `"many"`, "whole number from 200"}},
		{"too small", "max_tokens", "-1", []string{"max_tokens", `"-1"`}},
		{"above the range", "switch_threshold", "1.5", []string{"switch_threshold", "0 to 1"}},
		{"not a value at all", "switch_threshold", "NaN", []string{"switch_threshold"}},
		{"not one of the names", "detect", "guess", []string{"detect", "rules, model, hybrid"}},
		{"not a duration", "affair_cache_ttl", "5", []string{"affair_cache_ttl", "5m"}},
		{"negative duration", "affair_cache_ttl", "-5m", []string{"affair_cache_ttl"}},
		{"not a bool", "memory_extraction_enabled", "perhaps", []string{"true or false"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := state.DefaultSettings()
			err := s.Set(tt.setting, tt.value)
			if !errors.Is(err, state.ErrInvalid) {
				t.Fatalf("Set(%q, %q) = %v, want an Invalid error", tt.setting, tt.value, err)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if s != state.DefaultSettings() {
				t.Error("the refused value changed the settings")
			}
		})
	}
}

func TestEverySettingReadsBackWhatItSays(t *testing.T) {
	t.Parallel()
	names := state.SettingNames()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Fatalf("the names are not different ones in order: %v", names)
	}
	defaults, got := state.DefaultSettings(), state.Settings{}
	for _, name := range names {
		if err := got.Set(name, defaults.Get(name)); err != nil {
			t.Errorf("Set(%q, %q) = %v, want its default accepted", name, defaults.Get(name), err)
		}
	}
	same(t, "after setting every default", defaults, got)
	if got.Get("nonsense") != "" {
		t.Error("Get of an unknown name is not empty")
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		edit  func(*state.Settings)
		names string // "" = valid
	}{
		{"the defaults", func(*state.Settings) {}, ""},
		{"zero value", func(s *state.Settings) { *s = state.Settings{} }, "max_tokens"},
		{"a value out of range", func(s *state.Settings) { s.Autonomy = 4 }, "autonomy"},
		{"shares over the whole", func(s *state.Settings) { s.ShareAffair = 70 }, "context_share_affair"},
		{"context over the window", func(s *state.Settings) { s.ContextWindow = 7000 }, "context_window"},
		{"thresholds crossed", func(s *state.Settings) { s.DedupThreshold = 0.99 }, "memory_dedup_threshold"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := state.DefaultSettings()
			tt.edit(&s)
			err := s.Validate()
			if (err == nil) != (tt.names == "") {
				t.Fatalf("Validate() = %v, want an error about %q", err, tt.names)
			}
			if err != nil && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.names)) {
				t.Errorf("Validate() = %v, want Invalid naming %q", err, tt.names)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := state.SettingNames()
		name := rapid.SampledFrom(names).Draw(t, "name")
		if got := state.Nearest(name, names); got != name {
			t.Fatalf("Nearest(%q) = %q, want itself", name, got)
		}
	})
	for name, want := range map[string]string{
		"SWITCH_TRESHOLD": "switch_threshold", "max_tokes": "max_tokens", "embedder": "embedding_model", "ool_timeout": "tool_timeout",
	} {
		if got := state.Nearest(name, state.SettingNames()); got != want {
			t.Errorf("Nearest(%q) = %q, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"max_tokes": "max_tokens", "sess": "", "home": "", "nosuch": "", "switch_thres": "switch_threshold", "": ""} {
		if got := state.Near(name, state.SettingNames()); got != want {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
	if got := state.Nearest("x", nil); got != "" {
		t.Errorf("Nearest without candidates = %q, want nothing", got)
	}
}
