package words

import "math"

// BM25. Both were varied widely without moving recall at ten by a point.
const (
	bm25K1 = 1.2  // how soon repeating a word stops to help
	bm25B  = 0.75 // how much long documents are held back
)

// idf returns how much a word in df of n documents tells.
func idf(n, df float64) float64 { return math.Log1p((n - df + 0.5) / (df + 0.5)) }

// saturate is BM25's share of a word that occurs tf times in a document of length terms.
func saturate(tf, length, mean float64) float64 {
	if tf == 0 {
		return 0
	}
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
}

func mean(sum, n int64) float64 { return float64(sum) / float64(max(n, 1)) }
