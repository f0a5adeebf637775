package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkAlike(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ids  []string
		want map[string]string
	}{
		"plain": {[]string{"anna", "řeka", "анна", "日本語", "план-2026", "work анна", "s1", "sl"}, map[string]string{
			"anna": "anna", "řeka": "řeka", "анна": "анна", "日本語": "日本語", "план-2026": "план-2026", "work анна": "work анна", "s1": "s1", "sl": "sl",
		}},
		"mixed":      {[]string{"аdmin"}, map[string]string{"аdmin": "аdmin (! mixes alphabets)"}},
		"the same":   {[]string{"сосо", "coco", "x"}, map[string]string{"сосо": "сосо (! looks like another)", "coco": "coco (! looks like another)", "x": "x"}},
		"full width": {[]string{"ＡＢ"}, map[string]string{"ＡＢ": "ＡＢ (! unusual letters)"}},
		"case":       {[]string{"Anna", "anna"}, map[string]string{"Anna": "Anna", "anna": "anna"}},
	} {
		if diff := cmp.Diff(tt.want, markAlike(tt.ids)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A list shows which session could be taken for another.
func TestSessionsThatLookAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, id := range []string{"admin", "аdmin"} {
		if got := mneme(t, "", nil, "sessions", "new", "--dir", dir, "--session", id); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	got := mneme(t, "", nil, "sessions", "list", "--dir", dir)
	if got.code != 0 || !strings.Contains(got.out, "admin (! looks like another)") || !strings.Contains(got.out, "аdmin (! mixes alphabets)") {
		t.Errorf("%+v", got)
	}
	if got := mneme(t, "", nil, "sessions", "list", "--dir", dir, "--json"); got.code != 0 || strings.Contains(got.out, "(!") {
		t.Errorf("%+v", got)
	}
}
