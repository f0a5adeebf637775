package everyday_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// TestAhead: a question for what waits brings into its prompt the tasks and days that it asks for, those of its stretch where it names one, and no others. What only
// looks like one brings none. Each file begins with what waits (task, day, open); each question is asked on a Wednesday.
func TestAhead(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct {
		found   float64
		wrongly int
	}{"dev": {0.98, 4}, "held": {0.98, 14}} {
		found, of, wrongly, alike := 0, 0, 0, 0
		for _, file := range files(t, set, "ahead") {
			f, n, w, a := 0, 0, 0, 0
			for _, d := range read[dialogue](t, file) {
				for _, u := range d.brought(t) {
					missed, wrong := u.weigh(u.Say)
					f, n = f+len(u.Answer)-len(missed), n+len(u.Answer)
					if u.Kind == "alike" {
						a += len(wrong)
					} else {
						w += len(wrong)
					}
					if set == "dev" && len(missed)+len(wrong) > 0 {
						t.Logf("%s %q: missed %q, wrongly %q", d.ID, u.Session, missed, wrong)
					}
				}
			}
			t.Logf("%s %s: found %d of %d, wrongly %d, of what looks alike %d", set, filepath.Base(file), f, n, w, a)
			found, of, wrongly, alike = found+f, of+n, wrongly+w, alike+a
		}
		t.Logf("%s: found %d of %d, wrongly %d, of what looks alike %d", set, found, of, wrongly, alike)
		if float64(found)/float64(of) < want.found || wrongly+alike > want.wrongly {
			t.Errorf("%s: want %.2f found and %d wrongly", set, want.found, want.wrongly)
		}
	}
}

// brought returns the questions with the prompt that each is answered by (Say) in a memory of its own, and what that must not have (Not).
func (d dialogue) brought(t *testing.T) (out []turn) {
	t.Helper()
	var all []string
	for _, u := range d.Turns {
		if u.Kind == "task" || u.Kind == "day" || u.Kind == "open" {
			all = append(all, u.Answer...)
			continue
		}
		g, clock := begin(t)
		d.await(t, g, clock)
		r := clock.say(t, g, "asks", u.Day, u.Say)
		u.Session, u.Say = u.Say, ""
		for _, m := range r.Trace.Prompts[0] {
			u.Say += m.Content + "\n"
		}
		for _, s := range all {
			if !slices.Contains(u.Answer, s) {
				u.Not = append(u.Not, s)
			}
		}
		out = append(out, u)
	}
	return out
}

// await writes what waits: tasks, each due in the evening of its day, days that affairs (Session) have, and actions on no day that they wait for (open).
func (d dialogue) await(t *testing.T, g *graph.Graph, c *clock) {
	t.Helper()
	const evening = 9 * time.Hour // from nine in the morning on
	scope := state.Scope{Session: "before"}.Default()
	for _, u := range d.Turns {
		var err error
		switch u.Kind {
		case "task":
			_, err = g.Memory().Tasks().Schedule(t.Context(), scope, memory.Task(u.Say, "", c.began.AddDate(0, 0, u.Day).Add(evening)), "")
		case "day":
			label, value, _ := strings.Cut(u.Say, ": ")
			day := memory.AffairChange{Facts: state.Facts{{Label: label, Value: value, Since: c.began}}}
			_, err = g.Memory().Affairs().Create(t.Context(), scope, u.Session, day)
		case "open":
			actions := strings.Split(u.Say, "; ") // the first one always stands with the affair's title
			_, err = g.Memory().Affairs().Create(t.Context(), scope, u.Session, memory.AffairChange{Pending: &actions})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
