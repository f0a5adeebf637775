package everyday_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
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
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New(), Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, said := range []string{c.Said, c.Other, c.Corrects} {
		at = at.Add(time.Minute)
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: "s"}, Text: said}); err != nil {
			t.Fatal(err)
		}
	}
	at = at.Add(25 * time.Hour)
	if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: "t"}, Text: "OK"}); err != nil {
		t.Fatal(err)
	}
	scope := state.Scope{Session: "t"}.Default()
	var lines []string
	affairs, err := g.Memory().Affairs().List(t.Context(), scope, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range affairs {
		for _, f := range a.KeyFacts {
			lines = append(lines, f.Label+": "+f.Value)
		}
	}
	b, err := g.Memory().Brain(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]state.Record{b.User, b.Preferences, b.Decisions, b.Current, b.Archive} {
		for _, r := range list {
			lines = append(lines, r.Content)
		}
	}
	for _, query := range []string{c.Said, c.Other} {
		hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: scope, Text: query, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			found += h.Text + "\n"
		}
	}
	return strings.Join(append(lines, b.Last.Text), "\n"), found
}
