package facts

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestListsAreRead makes sure that every line of a list counts: no weight is misspelt, nothing stands in two lines, and no cue is of
// a kind that nothing asks for.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	kinds := []string{"change", "now", "instead", "only", "not", "so", "news", "agree", "again", "same"}
	for _, name := range []string{"cues", "numbers", "telling", "renewing"} {
		data, err := wordFiles.ReadFile("data/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			before, behind, _ := strings.Cut(line, ":")
			entries, number := strings.Fields(behind), before
			if name == "telling" || name == "renewing" { // trait: weight
				entries, number = []string{before}, strings.TrimSpace(behind)
			}
			_, err := strconv.ParseFloat(number, 64)
			if name == "cues" && !slices.Contains(kinds, before) || name != "cues" && err != nil || len(entries) == 0 {
				t.Errorf("%s: %q is no line of it: %v", name, line, err)
			}
			for _, x := range entries {
				if was, twice := seen[x]; twice && was != before {
					t.Errorf("%s: %q stands for %s and for %s", name, x, was, before)
				} else if twice && len(entries) == 1 {
					t.Errorf("%s: %q stands twice", name, x)
				}
				seen[x] = before
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}
