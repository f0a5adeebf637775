package words

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What has no word of the query is found by what the hit says with it.
func TestAssociate(t *testing.T) {
	t.Parallel()
	x := fill(
		Doc{ID: "hit", Order: 1, Text: "the allotment needs a hose, compost and seedlings"},
		Doc{ID: "kindred", Order: 2, Text: "compost and seedlings were sold out at the market"},
		Doc{ID: "stranger", Order: 3, Text: "the choir rehearses on Monday evening"},
		Doc{ID: "hidden", Order: 4, Text: "compost and seedlings, a secret order", Affair: "other"},
	)
	q := Query{Text: "allotment", Limit: 1, Keep: Filter{Affair: func(affair string) bool { return affair != "other" }}}
	gate, got := x.Associate(q)
	if len(got) != 1 || got[0].ID != "kindred" || gate <= .3 {
		t.Errorf("gate %v, associations %+v", gate, got)
	}
	again, same := x.Associate(q)
	if diff := cmp.Diff(got, same); diff != "" || again != gate {
		t.Errorf("asked again (-want +got):\n%s", diff)
	}

	// Weights are the vectors' cosines, where there are some: a far hit does not open the gate.
	q.Near = map[string]float32{"hit": .1}
	if gate, _ := x.Associate(q); gate > .3 {
		t.Errorf("of a far hit the gate is %v", gate)
	}
	for _, text := range []string{"", "the", "xylophone"} {
		if gate, got := x.Associate(Query{Text: text, Limit: 3}); gate != 0 || len(got) > 0 {
			t.Errorf("%q: gate %v, %+v", text, gate, got)
		}
	}
}
