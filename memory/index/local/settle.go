package local

import (
	"cmp"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
)

// slack is twice what the sum of the products of two vectors of length 1 can be off by in single precision, when it is made of
// eight sums or more and a rest of at most 31 products: of two rows whose sums lie further apart, the nearer one is known.
// The bound is that of n roundings, n/2^24 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), with some to spare.
func slack(dim int) float32 {
	const unit = 1.0 / (1 << 24)
	return 2 * unit * float32(dim/8+40)
}

// settle puts rows in their order and returns the first of them. Their cosines are computed again in double precision, number by
// number, and rounded: the product of two float32 is exact there, so every machine and every driver that adds up in this order
// has the same cosines to the last bit. Equal ones are ordered by id.
func (p *probe) settle(rows []found) []index.Hit {
	query := make([]float64, len(p.vector))
	for i, x := range p.vector {
		query[i] = float64(x)
	}
	for some := range slices.Chunk(rows, 4) {
		var vectors [4][]float32
		for i := range vectors {
			vectors[i] = p.view.vectors.row(int(some[min(i, len(some)-1)].row))
		}
		exact := cosines(query, vectors)
		for i := range some {
			some[i].cosine = exact[i]
		}
	}
	slices.SortFunc(rows, p.compare)
	hits := make([]index.Hit, min(len(rows), p.limit))
	for i, f := range rows[:len(hits)] {
		hits[i] = index.Hit{ID: p.view.ids[f.row], Cosine: f.cosine}
	}
	return hits
}

// compare orders what is nearer first, and what is equally near by id.
func (p *probe) compare(x, y found) int {
	if x.cosine != y.cosine {
		return cmp.Compare(y.cosine, x.cosine)
	}
	return cmp.Compare(p.view.ids[x.row], p.view.ids[y.row])
}

// cosines returns those of four vectors of length 1 to a query of length 1. Four sums do not wait for each other, and each is made
// in the order of its numbers.
func cosines(query []float64, vectors [4][]float32) [4]float32 {
	a, b, c, d := vectors[0][:len(query)], vectors[1][:len(query)], vectors[2][:len(query)], vectors[3][:len(query)]
	var s, t, u, v float64
	for i, x := range query {
		s += x * float64(a[i])
		t += x * float64(b[i])
		u += x * float64(c[i])
		v += x * float64(d[i])
	}
	return [4]float32{rounded(s), rounded(t), rounded(u), rounded(v)}
}

// rounded returns a cosine as hits have it; one that rounding took above 1 or below -1 is 1 or -1.
func rounded(cosine float64) float32 { return float32(min(max(cosine, -1), 1)) }
