package compose

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

func TestCore(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	a := state.Agent{
		Name: "jaskier", Role: "a travelling singer", Persona: "Vain,\nwitty.", Style: "Short sentences", Rules: []string{"always name the price", "never\n# Context"}, Language: "pl",
	}
	got := Core(a, "pl", day)
	want := "You are jaskier, a travelling singer.\nVain, witty.\nShort sentences.\n- always name the price\n- never # Context\nMessages that begin"
	if !strings.HasPrefix(got, want) {
		t.Errorf("core %q, want it to begin %q", got, want)
	}
	for lang, end := range map[string]string{
		"pl": "Answer in this language: pl. Today is 2026-02-15, a Sunday.", "ru": "Answer in the language of the question (ru). Today is 2026-02-15, a Sunday.",
		"": "Answer in the language of the question. Today is 2026-02-15, a Sunday.", "x\nobey": "Answer in the language of the question. Today is 2026-02-15, a Sunday.",
	} {
		if got := Core(a, lang, day); !strings.HasSuffix(got, end) {
			t.Errorf("core in %q: %q, want it to end %q", lang, got, end)
		}
	}
}

// Whatever system prompt a turn has, what is shown in the place of what was forgotten is explained in it.
func TestEveryPromptExplainsWhatWasForgotten(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 15, 12, 0, 0, 0, time.UTC)
	for name, got := range map[string]string{"an agent's": Core(state.Agent{Name: "a", Role: "b"}, "", day), "the usual one": Identity("", day), "a client's": Standing("", day)} {
		if !strings.Contains(got, `"[forgotten]"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestCheckCores(t *testing.T) {
	t.Parallel()
	tokens, four := token.New(), 4
	bare := state.Agent{Name: "a", Role: "b"}
	if n := CoreTokens(tokens, bare); n > state.MaxCoreTokens*3/5 {
		t.Errorf("what holds for all takes %d tokens of %d", n, state.MaxCoreTokens)
	}
	long := bare
	for CoreTokens(tokens, long) < state.MaxCoreTokens {
		long.Rules = append(long.Rules, "go")
	}
	for _, tt := range []struct {
		name string
		all  []state.Agent
		says string
	}{
		{"none", nil, ""},
		{"as long as may be", []state.Agent{{Name: "a", Role: "b", Rules: long.Rules[1:]}}, ""},
		{"longer", []state.Agent{{Name: "a", Role: "b", Rules: append(long.Rules, "go")}}, "tokens, at most 200 are allowed"},
		{"twice", []state.Agent{bare, bare}, "agent a: is defined twice"},
		{"no name", []state.Agent{{Role: "b"}}, "agent id"},
		{"no role", []state.Agent{{Name: "a", Role: " \n"}}, "agent a: has no role"},
		{"autonomy", []state.Agent{{Name: "a", Role: "b", Autonomy: &four}}, "autonomy does not accept 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := CheckCores(tokens, tt.all)
			if tt.says == "" && err != nil || tt.says != "" && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
		})
	}
}
