package retrieval

import (
	"math"
	"slices"
)

// Figures are shares in [0,1], means over queries.
type Figures struct {
	N        int     `json:"n"`
	Recall1  float64 `json:"recall@1"` // gold turns among the first, of all gold turns
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	Recall25 float64 `json:"recall@25"`
	Recall50 float64 `json:"recall@50"`
	Hit5     float64 `json:"hit@5"` // any gold turn among the first
	Hit10    float64 `json:"hit@10"`
	MRR      float64 `json:"mrr"`     // one over the rank of the first gold turn, 0 behind depth
	NDCG10   float64 `json:"ndcg@10"` // binary; the ideal has min(gold, 10) on top
}

// depth is how far a ranking is looked at.
const depth = 50

// add takes in one ranking.
func (f *Figures) add(ranked, gold []string) {
	gold = distinct(gold)
	f.N++
	recall := func(k int) float64 { return float64(among(ranked, gold, k)) / float64(len(gold)) }
	f.Recall1 += recall(1)
	f.Recall5 += recall(5)
	f.Recall10 += recall(10)
	f.Recall25 += recall(25)
	f.Recall50 += recall(depth)
	f.Hit5 += float64(min(among(ranked, gold, 5), 1))
	f.Hit10 += float64(min(among(ranked, gold, 10), 1))
	if first := slices.IndexFunc(ranked[:min(depth, len(ranked))], func(id string) bool { return slices.Contains(gold, id) }); first >= 0 {
		f.MRR += 1 / float64(first+1)
	}
	f.NDCG10 += ndcg(ranked, gold, 10)
}

// among counts the gold turns in the first k.
func among(ranked, gold []string, k int) int {
	n := 0
	for _, id := range ranked[:min(k, len(ranked))] {
		if slices.Contains(gold, id) {
			n++
		}
	}
	return n
}

// ndcg returns the discounted gain of the first k, divided by the best there could be (Järvelin and Kekäläinen 2002).
func ndcg(ranked, gold []string, k int) float64 {
	got, best := 0.0, 0.0
	for i := range k {
		gain := 1 / math.Log2(float64(i+2))
		if i < len(gold) {
			best += gain
		}
		if i < len(ranked) && slices.Contains(gold, ranked[i]) {
			got += gain
		}
	}
	return got / best
}

// mean divides the sums by the number of queries.
func (f *Figures) mean() {
	for _, x := range []*float64{
		&f.Recall1, &f.Recall5, &f.Recall10, &f.Recall25, &f.Recall50, &f.Hit5, &f.Hit10, &f.MRR, &f.NDCG10,
	} {
		*x /= float64(max(f.N, 1))
	}
}

// distinct drops repeated ids and keeps the order.
func distinct(ids []string) []string {
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
