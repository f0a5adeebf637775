package words

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyse(t *testing.T) {
	t.Parallel()
	a := analyse(Doc{Text: "When is the train? The train is at 8:15.", Speaker: "Ann Train", At: time.Date(2025, 5, 8, 0, 0, 0, 0, time.UTC)})
	got := map[string]counts{}
	for _, c := range a.terms {
		got[c.word] = c.counts
	}
	want := map[string]counts{
		"train": {text: 2, lead: 2, who: 1}, "8:15": {text: 1, lead: 1}, "ann": {who: 1},
		"8": {when: 1}, monthTerm(time.May): {when: 1}, "2025": {when: 1},
	}
	same(t, "terms", want, got, cmp.AllowUnexported(counts{}))
	if a.textLen != 3 || a.ownLen() != 8 || a.distinct != 2 || a.questions != 1 || a.sentences != 2 || !a.number {
		t.Errorf("traits %+v", a.traits)
	}
}

func TestLeadLeavesCodeOut(t *testing.T) {
	t.Parallel()
	a := analyse(Doc{Text: "Try this:\n```go\nkettle := boil()\n```\nand report. " + strings.Repeat("filler ", 80) + "sofa"})
	for _, c := range a.terms {
		if in := c.word == "tri" || c.word == "try" || c.word == "report" || c.word == "filler"; (c.lead > 0) != in {
			t.Errorf("%s is %d times in the lead", c.word, c.lead)
		}
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words int
		want  []span
	}{
		{passageWords, nil},
		{81, []span{{0, 80}, {60, 81}}},
		{200, []span{{0, 80}, {60, 140}, {120, 200}}},
		{201, []span{{0, 80}, {60, 140}, {120, 200}, {180, 201}}},
	} {
		a := analyse(Doc{Text: strings.Repeat("kettle ", c.words)})
		if diff := cmp.Diff(c.want, a.passages, cmp.AllowUnexported(span{})); diff != "" || c.want != nil && len(a.seq) != c.words {
			t.Errorf("%d words (-want +got):\n%s", c.words, diff)
		}
	}
	if a := analyse(Doc{Text: strings.Repeat("kettle ", 300)}); a.terms[0].text != 255 || a.textLen != 300 {
		t.Errorf("300 times a word: %+v", a.terms[0])
	}
}

// TestBestPassage checks that words next to each other in a long answer beat the same words far apart.
func TestBestPassage(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("sofa curtain lamp pillow ", 40)
	x := fill(
		Doc{ID: "apart", Order: 2, Role: "assistant", Text: filler + " boiler " + filler + " pressure " + filler},
		Doc{ID: "together", Order: 1, Role: "assistant", Text: filler + " boiler pressure " + filler + filler},
	)
	hits := x.Search(Query{Text: "boiler pressure", Around: true})
	if got := ids(hits); !cmp.Equal(got[:1], []string{"together"}) || hits[0].Fields.Passage <= hits[1].Fields.Passage {
		t.Errorf("hits %v, passages %v and %v", got, hits[0].Fields.Passage, hits[1].Fields.Passage)
	}
}
