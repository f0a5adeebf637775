package words

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// like is the definition of Index.Like: every document is read.
func (x brute) like(s string, least float64, keep func(*Doc) bool) []Likeness {
	terms := slices.Compact(slices.Sorted(slices.Values(textTerms(Doc{Text: s}))))
	worth := func(term string) float64 {
		df := 0.0
		for _, d := range x {
			if slices.Contains(textTerms(d), term) {
				df++
			}
		}
		return rarity(float64(len(x)), df)
	}
	whole := 0.0
	for _, term := range terms {
		whole += worth(term)
	}
	var out []Likeness
	for id, d := range x {
		sum := 0.0
		for _, term := range terms {
			if slices.Contains(textTerms(d), term) {
				sum += worth(term)
			}
		}
		if sum > 0 && sum/whole >= least && (keep == nil || keep(&d)) {
			out = append(out, Likeness{id, sum / whole})
		}
	}
	slices.SortFunc(out, func(a, b Likeness) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(len(textTerms(x[a.ID])), len(textTerms(x[b.ID]))),
			cmp.Compare(x[b.ID].Order, x[a.ID].Order), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// TestLikeIsItsDefinition compares with reading everything, after any sequence of writes.
func TestLikeIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, all := New(), brute{}
		for range rapid.IntRange(0, 30).Draw(t, "writes") {
			d := drawDoc(t)
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				x.Delete(d.ID)
				delete(all, d.ID)
				continue
			}
			x.Put(d)
			all[d.ID] = d
		}
		asked := drawDoc(t).Text + rapid.SampledFrom([]string{"", " unheard-of", " the and"}).Draw(t, "rest")
		least := rapid.SampledFrom([]float64{0, .3, .5, .8, 1}).Draw(t, "least")
		var keep func(*Doc) bool
		if rapid.Bool().Draw(t, "keep") {
			keep = func(d *Doc) bool { return d.Affair != "a2" }
		}
		got, want := x.Like(asked, least, 100, keep), all.like(asked, least, keep)
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("like %q, at least %v (-want +got):\n%s", asked, least, diff)
		}
	})
}

func TestLike(t *testing.T) {
	t.Parallel()
	x := fill(
		Doc{ID: "a", Text: "parcel 4471 goes to Brno"}, Doc{ID: "b", Text: "parcel 4472 goes to Brno"}, Doc{ID: "c", Text: "the dentist"},
	)
	for _, c := range []struct {
		text  string
		least float64
		limit int
		want  []string
	}{
		{"Parcel 4471 goes to Brno!", .5, 8, []string{"a", "b"}},
		{"parcel 4471 goes to Brno", .9, 8, []string{"a"}},
		{"parcel 4471 goes to Brno", .5, 1, []string{"a"}},
		{"a package for Brno", .9, 8, nil},
		{"to the", .5, 8, nil},
		{"", 0, 8, nil},
	} {
		var got []string
		for _, l := range x.Like(c.text, c.least, c.limit, nil) {
			got = append(got, l.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("like %q, at least %v: %v, want %v", c.text, c.least, got, c.want)
		}
	}
}

func BenchmarkLike(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		docs := talk(n)
		x := fill(docs...)
		b.Run(fmt.Sprint("docs=", n), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				x.Like(docs[i%n].Text, .5, 8, nil)
				i++
			}
		})
	}
}
