package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

func TestEvidence(t *testing.T) {
	t.Parallel()
	h := NewHistory()
	for _, m := range []Message{
		{state.RoleUser, "I ordered a bumper for my Corolla, order 4471-22.", "car"},
		{state.RoleAssistant, "Noted.", "car"},
		{state.RoleUser, "I need a dentist for my aching tooth, on Thursday.", "tooth"},
		{state.RoleAssistant, "Shall I ask for the morning or the afternoon?", "tooth"},
	} {
		h.Add(m)
	}
	h.SetCurrent("tooth")
	d := New(Config{})
	for name, x := range map[string]struct {
		text string
		kind state.Kind
		want Evidence
	}{
		"an answer":     {"the morning please", state.Continue, Evidence{Words: []string{"morning"}, Reply: true}},
		"a way back":    {"Back to the Corolla and that bumper.", state.Switch, Evidence{Cue: "Back to the", Words: []string{"Corolla", "bumper"}}},
		"an aside":      {"By the way, when does order 4471-22 arrive?", state.AdHoc, Evidence{Cue: "By the way", Words: []string{"4471-22", "order"}}},
		"another thing": {"Something else now: I want to book a flight to Rome.", state.NewAffair, Evidence{Cue: "Something else now"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := d.Classify(h, x.text)
			if got.Decision.Kind != x.kind {
				t.Fatalf("%s, want %s", got.Decision.Kind, x.kind)
			}
			if diff := cmp.Diff(x.want, got.Evidence); diff != "" {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
		})
	}
}
