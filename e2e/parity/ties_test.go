package parity_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
)

// nearTies asks the drivers themselves for the first of 500 entries that lie closer together than a server's single precision
// tells apart, some of them equal.
func nearTies(t *testing.T, p *pair) {
	const n, dim, noise = 500, 384, .0028
	r, space, o := rand.New(rand.NewPCG(1, 0)), index.Space{Model: "near ties", Dim: dim}, index.Owner{Client: "parity", User: "anna"}
	question, entries := make([]float32, dim), make([]index.Entry, n)
	for i := range question {
		question[i] = float32(r.NormFloat64() / math.Sqrt(dim))
	}
	for i := range entries {
		v := make([]float32, dim)
		for j := range v {
			v[j] = question[j] + noise*float32(r.NormFloat64())
		}
		if i%10 == 9 {
			v = entries[i-1].Vector
		}
		entries[i] = index.Entry{ID: fmt.Sprintf("%04d", r.IntN(10)*1000+i), Vector: v}
	}
	var drivers []index.Vectors
	for _, s := range p.sides() {
		shelf, err := s.shelf(t.Context())
		must(t, err)
		t.Cleanup(func() { must(t, shelf.Close()) })
		v, err := shelf.Open(t.Context(), space)
		must(t, err)
		must(t, v.Put(t.Context(), o, entries...))
		drivers = append(drivers, v)
	}
	apart := 0.0
	for _, limit := range []int{1, 2, 9, 10, 50, 99, 250, 499, 500} {
		q := index.Query{Vector: question, Limit: limit, Fresh: true}
		want, err := drivers[0].Search(t.Context(), o, q)
		must(t, err)
		got, err := drivers[1].Search(t.Context(), o, q)
		must(t, err)
		if len(want) != limit || len(got) != limit {
			t.Fatalf("best %d: local found %d, milvus %d", limit, len(want), len(got))
		}
		for i := range want {
			apart = max(apart, math.Abs(float64(want[i].Cosine-got[i].Cosine)))
			if want[i].ID != got[i].ID {
				t.Errorf("best %d: place %d has %v in local, %v in milvus", limit, i, want[i], got[i])
			}
		}
	}
	t.Logf("cosines at most %.1e apart", apart)
}
