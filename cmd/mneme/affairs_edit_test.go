package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// A person sets right by hand what was told by rule.
func TestEditingAffairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) (state.Affair, result) {
		t.Helper()
		got := mneme(t, "", nil, append([]string{"affairs"}, append(args, "--dir", dir, "--session", "desk", "--json")...)...)
		var a state.Affair
		if got.code == 0 {
			var kept struct {
				ID, Title, Summary, Status string
				Topics                     []string
				Facts                      map[string]string `json:"key_facts"`
				Pending                    []string          `json:"pending_actions"`
				MergedInto                 string            `json:"merged_into"`
			}
			if err := json.Unmarshal([]byte(got.out), &kept); err != nil {
				t.Fatalf("affairs %q: %v in %s", args, err, got.out)
			}
			a = state.Affair{ID: kept.ID, Title: kept.Title, Summary: kept.Summary, Status: state.Status(kept.Status), Topics: kept.Topics,
				PendingActions: kept.Pending, MergedInto: kept.MergedInto}
			for label, value := range kept.Facts {
				a.KeyFacts = a.KeyFacts.With(label, value)
			}
		}
		return a, got
	}
	roof, _ := run("create", "Roof repair", "--fact", "roofer=Novak", "--pending", "call him")
	if roof.Status != state.Parked || len(roof.KeyFacts) != 1 || len(roof.PendingActions) != 1 {
		t.Errorf("created %+v", roof)
	}
	tiles, _ := run("create", "New tiles", "--resume")
	if tiles.Status != state.Active {
		t.Errorf("created and taken up: %+v", tiles)
	}
	if a, got := run("rename", tiles.ID, "Tiles"); a.Title != "Tiles" {
		t.Errorf("renamed: %+v", got)
	}
	if a, got := run("edit", "roof", "--fact", "day=5 May, 8:00", "--drop-fact", "roofer", "--no-pending", "--topic", "roof", "--summary", "All is agreed."); len(a.KeyFacts) != 1 ||
		a.KeyFacts[0].Value != "5 May, 8:00" || len(a.PendingActions) != 0 || a.Summary != "All is agreed." || len(a.Topics) != 1 {
		t.Errorf("edited: %+v", got)
	}
	if a, got := run("park", "tiles", "--summary", "Waits for a quote."); a.Status != state.Parked || a.Summary != "Waits for a quote." {
		t.Errorf("parked: %+v", got)
	}
	if a, got := run("merge", "tiles", "roof"); a.ID != roof.ID || !strings.Contains(a.Summary, "Waits for a quote.") {
		t.Errorf("merged: %+v", got)
	}
	if a, got := run("show", tiles.ID); a.MergedInto != roof.ID || a.Status != state.Archived {
		t.Errorf("the merged one: %+v", got)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"rename", "rof repairs", "x"}, 3, "Roof repair"},
		{[]string{"create", "ROOF repair"}, 4, roof.ID},
		{[]string{"resume", tiles.ID}, 4, roof.ID},
		{[]string{"edit", "roof"}, 2, "nothing to change"},
		{[]string{"edit", "roof", "--fact", "day"}, 2, "label=value"},
		{[]string{"rename", "roof", " "}, 2, "title is empty"},
		{[]string{"merge", "roof", "roof"}, 2, "into itself"},
	} {
		if _, got := run(c.args...); got.code != c.code || !strings.Contains(got.err+got.out, c.says) {
			t.Errorf("affairs %q: status %d, %q, want %d and %q", c.args, got.code, got.err, c.code, c.says)
		}
	}
	shown := mneme(t, "", nil, "affairs", "show", "roof", "--dir", dir)
	if !strings.Contains(shown.out, " you: new affair “Roof repair”") || !strings.Contains(shown.out, "absorbed") {
		t.Errorf("who changed what: %s", shown.out)
	}
}
