package retrieval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	tenth := []string{"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "a"}
	for name, c := range map[string]struct {
		ranked, gold []string
		want         Figures
	}{
		"first": {[]string{"a", "b"}, []string{"a"}, Figures{
			N: 1, Recall1: 1, Recall5: 1, Recall10: 1, Recall25: 1, Recall50: 1, Hit5: 1, Hit10: 1, MRR: 1, NDCG10: 1,
		}},
		"nothing found": {nil, []string{"a"}, Figures{N: 1}},
		"tenth": {tenth, []string{"a"}, Figures{
			N: 1, Recall10: 1, Recall25: 1, Recall50: 1, Hit10: 1, MRR: .1, NDCG10: 1 / math.Log2(11),
		}},
		"one of two, second place": {[]string{"x", "b"}, []string{"a", "b"}, Figures{
			N: 1, Recall5: .5, Recall10: .5, Recall25: .5, Recall50: .5, Hit5: 1, Hit10: 1, MRR: .5,
			NDCG10: (1 / math.Log2(3)) / (1 + 1/math.Log2(3)),
		}},
		"gold named twice counts once": {[]string{"a"}, []string{"a", "a"}, Figures{
			N: 1, Recall1: 1, Recall5: 1, Recall10: 1, Recall25: 1, Recall50: 1, Hit5: 1, Hit10: 1, MRR: 1, NDCG10: 1,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Figures
			got.add(c.ranked, c.gold)
			got.mean()
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMeanOfTwo(t *testing.T) {
	t.Parallel()
	var f Figures
	f.add([]string{"a"}, []string{"a"})
	f.add([]string{"b"}, []string{"a"})
	f.mean()
	if f.N != 2 || f.MRR != .5 || f.Recall50 != .5 {
		t.Errorf("figures: %+v", f)
	}
}
