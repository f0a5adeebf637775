package everyday_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mneme-graph/mneme/state"
)

// line says several days, each with what it is the day of, and days that are over.
type line struct {
	Say  string
	Days []struct {
		Value string
		Of    []string // one of these is in its label
	}
	Over []string
}

// TestDays: of several days in one line each is a key fact that says what it is the day of.
func TestDays(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct{ right, wrong float64 }{"dev": {0.67, 0}, "held": {0.62, 0.08}} {
		right, of, wrong := 0, 0, 0
		for _, file := range files(t, set, "days") {
			r, n, w := 0, 0, 0
			for _, l := range read[line](t, file) {
				facts := l.facts(t)
				found, bad := l.weigh(facts)
				r, n, w = r+found, n+len(l.Days), w+len(bad)
				if set == "dev" && (found < len(l.Days) || len(bad) > 0) {
					t.Logf("%q: %d of %d, wrong %q; of %q", l.Say, found, len(l.Days), bad, facts)
				}
			}
			t.Logf("%s %s: right %d of %d, wrong pairs %d", set, filepath.Base(file), r, n, w)
			right, of, wrong = right+r, of+n, wrong+w
		}
		t.Logf("%s: right %d of %d, wrong pairs %d", set, right, of, wrong)
		if float64(right)/float64(of) < want.right || float64(wrong)/float64(of) > want.wrong {
			t.Errorf("%s: want %.2f right and %.2f wrong", set, want.right, want.wrong)
		}
	}
}

// weigh counts the days that stand with what they are of, and returns the facts that give a day to something else or have one that is over.
func (l line) weigh(facts []state.Fact) (right int, wrong []string) {
	for _, d := range l.Days {
		good := false
		for _, f := range facts {
			if !says(f.Value, d.Value) {
				continue
			}
			label := strings.ToLower(f.Label)
			names := func(s string) bool { return strings.Contains(label, s) }
			if slices.ContainsFunc(d.Of, names) {
				good = true
				continue
			}
			for _, other := range l.Days {
				if other.Value != d.Value && slices.ContainsFunc(other.Of, names) {
					wrong = append(wrong, f.Label+": "+f.Value)
				}
			}
		}
		if good {
			right++
		}
	}
	for _, over := range l.Over {
		for _, f := range facts {
			if says(f.Value, over) {
				wrong = append(wrong, f.Label+": "+f.Value)
			}
		}
	}
	return right, wrong
}

// says reports whether a value is that day, which no digit goes before.
func says(value, day string) bool {
	before, _, found := strings.Cut(strings.ToLower(value+" "), strings.ToLower(day))
	return found && !strings.ContainsFunc(before[max(0, len(before)-1):], unicode.IsDigit)
}

// facts says the line, ends its session, and returns the key facts of all affairs.
func (l line) facts(t *testing.T) (facts []state.Fact) {
	t.Helper()
	g, clock := begin(t)
	clock.say(t, g, "a", 0, l.Say)
	clock.say(t, g, "b", 2, "OK")
	affairs, err := g.Memory().Affairs().List(t.Context(), state.Scope{Session: "b"}.Default(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range affairs {
		facts = append(facts, a.KeyFacts...)
	}
	return facts
}
