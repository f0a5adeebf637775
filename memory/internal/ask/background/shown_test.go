package background

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// What decides is shown: names and things, the last exchange of a parked affair and when that was, asides as such; nothing
// is said twice, and summaries end with a sentence.
func TestDetectShowsWhatDecides(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	said := func(role state.Role, affair, text string, before time.Duration) state.Message {
		return state.Message{Role: role, Affair: affair, Text: text, At: now.Add(-before)}
	}
	kitchen := state.Affair{ID: "a1", Title: "Kitchen renovation", Status: state.Active, UpdatedAt: now}
	dog := state.Affair{
		ID: "a2", Title: "Rex and his paw", Status: state.Parked, UpdatedAt: now.Add(-75 * time.Hour), Topics: []string{"paw", "bandage", "Rex"},
		Summary:  "Rex has cut his paw. " + strings.Repeat("The vet has sewn it and wants to see it again soon. ", 10),
		KeyFacts: state.Facts{{Label: "name", Value: "Rex"}, {Label: "size", Value: "5"}, {Label: "check-up", Value: "14 March, 8:20"}},
	}
	f := says(`{"type":"CONTINUE"}`)
	_, err := New(Config{Model: f}).Detect(context.Background(), DetectInput{
		Message: "And the tiles?", Current: &kitchen, Affairs: []*state.Affair{&kitchen, &dog}, Since: now.Add(-time.Hour), Now: now,
		Said: map[string][]state.Message{"a2": {
			said(state.RoleUser, "", "Doctor Novak said to keep the bandage dry.", 76*time.Hour),
			said(state.RoleAssistant, "", "Keep it dry for ten days. It takes that long to close, and then some. Shall I note the check-up?", 75*time.Hour),
		}},
		Recent: []state.Message{
			said(state.RoleUser, "a2", "The paw looks fine.", 2*time.Hour),
			said(state.RoleUser, "a1", "The tiles come at ten.", 30*time.Minute),
			said(state.RoleUser, "a2", "When was the check-up?", 20*time.Minute),
			said(state.RoleUser, "", "What is the capital of Peru?", 10*time.Minute),
		},
	})
	must(t, err)
	_, data, _ := strings.Cut(f.prompt, "## Current affair")
	for _, want := range []string{
		`id "a2", PARKED, 3 days ago, title "Rex and his paw", summary "Rex has cut his paw. The vet`,
		`it again soon."` + "\n", `speaks of "Novak"`, `known "check-up: 14 March, 8:20"`,
		`user said "Doctor Novak said to keep the bandage dry."`,
		`assistant said "Keep it dry for ten days. … Shall I note the check-up?"`,
		`- user (on "a2"): "The paw looks fine."`, `- user: "The tiles come at ten."`,
		`- user (aside) (on "a2"): "When was the check-up?"`, `- user (aside): "What is the capital of Peru?"`,
	} {
		if !strings.Contains(data, want) {
			t.Errorf("the prompt lacks %s", want)
		}
	}
	for _, not := range []string{" ... ", `"name: Rex"`, `"size: 5"`} {
		if strings.Contains(data, not) {
			t.Errorf("the prompt has %s", not)
		}
	}
	if t.Failed() {
		t.Log(data)
	}
}

func TestClipEndsWithASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"nothing", "", 10, ""},
		{"all of it", "One. Two.", 10, "One. Two."},
		{"whole sentences", "One is here. Two is there. Three.", 28, "One is here. Two is there."},
		{"a first one that is too long", "Příliš žluťoučký kůň úpěl", 18, "Příliš žluťoučký…"},
		{"one word that is too long", strings.Repeat("ž", 30), 5, "žžžž…"},
		{"lines are spaces", "One\n\n two.", 20, "One two."},
	} {
		if got := clip(c.text, c.n); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	for want, d := range map[string]time.Duration{
		"just now": 59 * time.Second, "1 minute ago": 90 * time.Second, "59 minutes ago": 3599 * time.Second, "1 hour ago": time.Hour,
		"23 hours ago": 24*time.Hour - 1, "1 day ago": 24 * time.Hour, "400 days ago": 400 * 24 * time.Hour,
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
	if got := ago(time.Time{}, now); got != "" {
		t.Errorf("unknown: got %q", got)
	}
}
