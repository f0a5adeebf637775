package words

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// TestStandIns checks by what words a term is found, and that they never count as much as the term, alone or together.
func TestStandIns(t *testing.T) {
	t.Parallel()
	kin := text.Related("doctor")
	if len(kin) < 2 {
		t.Fatalf("the thesaurus knows too little of doctor: %v", kin)
	}
	x := fill(
		Doc{ID: "itself", Order: 1, Text: "The doctor was nice today."},
		Doc{ID: "all kin", Order: 2, Text: kin[0].Stem + " " + kin[1].Stem + " " + kin[0].Stem + "."},
		Doc{ID: "a kin", Order: 3, Text: kin[0].Stem + " sofa curtain kettle."},
		Doc{ID: "other", Order: 5, Text: "kettle sofa curtain."},
	)
	hits := x.Search(Query{Text: "doctor"})
	via := map[string]Via{}
	for _, h := range hits {
		via[h.ID] = h.Terms[0].Via
	}
	same(t, "found by", map[string]Via{"itself": Exact, "all kin": Kin, "a kin": Kin}, via)
	if hits[0].ID != "itself" || hits[1].Fields.Text > .8 {
		t.Errorf("%s and its fields %+v come before the word itself", hits[0].ID, hits[0].Fields)
	}
	if c := hits[0].Coverage; c != 1 || hits[1].Coverage >= c {
		t.Errorf("the word covers %v, others %v", c, hits[1].Coverage)
	}
}

// TestAlike checks that words of one family are found behind the word itself, and instead of it when nobody wrote it.
func TestAlike(t *testing.T) {
	t.Parallel()
	x := fill(Doc{ID: "itself", Order: 1, Text: "blorptrum"}, Doc{ID: "alike", Order: 2, Text: "blorptrumen"}, Doc{ID: "other", Order: 3, Text: "yellow"})
	for query, want := range map[string][]string{"blorptrum": {"itself", "alike"}, "blorptrun": {"alike", "itself"}, "grzegor": nil} {
		if got := ids(x.Search(Query{Text: query})); !cmp.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
	if hits := x.Search(Query{Text: "blorptrum"}); hits[1].Terms[0].Via != Nearby || hits[1].Coverage > .3 {
		t.Errorf("alike: %+v", hits[1])
	}
}

func TestIdentifiersHaveNoStandIns(t *testing.T) {
	t.Parallel()
	x := fill(Doc{ID: "a", Text: "invoice 4471"}, Doc{ID: "b", Text: "invoice 4472"})
	if got := ids(x.Search(Query{Text: "4471"})); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("4471 finds %v", got)
	}
}

// TestLongQuery checks that a page of text as a query is answered by its rarest terms.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	x := fill(Doc{ID: "rare", Text: "zebra"}, Doc{ID: "common", Text: "kettle"}, Doc{ID: "common too", Text: "kettle"})
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "kettle %d ", i+1e6)
	}
	hits := x.Search(Query{Text: b.String() + "zebra"})
	if got := ids(hits); !cmp.Equal(got, []string{"rare", "common", "common too"}) {
		t.Errorf("found %v, want the rarest word first, whatever nobody wrote", got)
	}
}

// TestMonths checks that a month is found in the dates of messages, in whatever language it is named.
func TestMonths(t *testing.T) {
	t.Parallel()
	x := chat()
	for query, want := range map[string]string{"what was in June?": "m4", "co bylo v červnu?": "m4", "что было в мае": "m1", "co działo się w maju 2023": "m1"} {
		hits := x.Search(Query{Text: query, Around: true})
		if len(hits) == 0 || hits[0].Factors.Date <= 1 || x.t.entries[x.t.slots[hits[0].ID]].doc.At.Month() != x.t.entries[x.t.slots[want]].doc.At.Month() {
			t.Errorf("%s finds %+v first", query, hits)
		}
	}
}
