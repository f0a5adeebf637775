package everyday_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// correction is a statement, one of another matter, and what corrects the first.
type correction struct {
	Said, Other, Corrects string
	Old, New, Keep        string
}

// TestCorrections: what was corrected stands no more where a prompt shows what holds, also when its session has ended; what corrects it and what was said of
// another matter is found there, or by asking.
func TestCorrections(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct{ old, kept float64 }{"dev": {0.5, 0.9}, "held": {0.55, 0.9}} {
		gone, kept, of := 0, 0, 0
		for _, file := range files(t, set, "corrections") {
			g, k, n := 0, 0, 0
			for _, c := range read[correction](t, file) {
				shown, found := c.play(t)
				has := func(s string) bool { return s != "" && strings.Contains(shown, s) }
				finds := func(s string) bool { return has(s) || s != "" && strings.Contains(found, s) }
				n++
				old := has(c.Old)
				if old && c.New != "" && strings.Contains(c.Corrects, c.Old) { // "not A but B" names it
					old = strings.Contains(strings.ReplaceAll(shown, c.Corrects, ""), c.Old)
				}
				if !old {
					g++
				}
				if finds(c.Keep) && (c.New == "" || finds(c.New)) {
					k++
				}
				if old && set == "dev" {
					t.Logf("%q, %q: shown is\\n%s", c.Said, c.Corrects, shown)
				}
			}
			t.Logf("%s %s: gone %d of %d, kept %d", set, filepath.Base(file), g, n, k)
			gone, kept, of = gone+g, kept+k, of+n
		}
		t.Logf("%s: the old value is gone %d of %d times, the others are kept %d times", set, gone, of, kept)
		if float64(gone)/float64(of) < want.old || float64(kept)/float64(of) < want.kept {
			t.Errorf("%s: want %.2f gone and %.2f kept", set, want.old, want.kept)
		}
	}
}

// play says the three messages, ends the session, and is what memory holds then, the key facts of all affairs, the brain and the digest, and what
// recall finds of what was said first and of the other matter.
func (c correction) play(t *testing.T) (shown, found string) {
	t.Helper()
	g, clock := begin(t)
	for _, said := range []string{c.Said, c.Other, c.Corrects} {
		clock.say(t, g, "s", 0, said)
	}
	clock.say(t, g, "t", 2, "OK")
	lines, last := holds(t, g)
	scope := state.Scope{Session: "t"}.Default()
	for _, query := range []string{c.Said, c.Other} {
		hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: scope, Text: query, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			found += h.Text + "\n"
		}
	}
	return strings.Join(append(lines, last), "\n"), found
}
