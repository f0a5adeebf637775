package memory_test

import (
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// titlesOf are the titles of all affairs of the usual user.
func titlesOf(t *testing.T, v state.View) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, a := range v.Affairs {
		out[text.Fold(a.Title)]++
	}
	return out
}

// One affair is never titled like another: something of the message is added, else the day, else a number.
func TestNoTwoAffairsOfOneTitle(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	var last turn
	var got []string
	for _, said := range []string{
		"I ordered brake pads, order number 11-20344-77150.",
		"I ordered brake pads for the Octavia, order number 22-20344-77151.",
		"I ordered brake pads, order number 33-20344-77152.",
		"I ordered brake pads, order number 44-20344-77153.",
		"I ordered brake pads, order number 55-20344-77154.",
	} {
		last = w.turn(t, m, in("s1"), opens("Brake pads"), said)
		got = append(got, last.decision.Title)
	}
	for title, n := range titlesOf(t, last.view) {
		if n > 1 {
			t.Errorf("%d affairs are called %q", n, title)
		}
	}
	if len(last.view.Affairs) != 5 || got[0] != "Brake pads" || got[1] != "Brake pads, Octavia" {
		t.Errorf("titles = %q", got)
	}
}

// A title of one word that a rule made becomes better by what is said next; one that a model gave, or of several words, stays.
func TestATitleBecomesBetter(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ first, next, want string }{
		{"Something else now: my car.", "The gearbox of it makes a noise.", "Car, gearbox"},
		{"Something else now: my car insurance.", "The policy covers the garage.", "Car insurance"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), nil, c.first)
			w.turn(t, m, in("s1"), nil, c.next)
			got := w.turn(t, m, in("s1"), nil, "Thanks.")
			if active := got.view.Active(); active == nil || active.Title != c.want {
				t.Errorf("active = %+v, want %q", active, c.want)
			}
		})
	}
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car"), "Something else now: my car.")
	if got := w.turn(t, m, in("s1"), nil, "The gearbox of it makes a noise."); got.view.Active().Title != "Car" {
		t.Errorf("a model's title became %q", got.view.Active().Title)
	}
}
