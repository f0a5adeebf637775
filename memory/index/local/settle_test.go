package local_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/viterin/vek/vek32"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// crowd draws a question and n entries whose cosines to it lie within 1e-4, every tenth of them with the vector of the one
// before. Ids are in no order.
func crowd(n, dim int, seed uint64) (question []float32, entries []index.Entry) {
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func() []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	product := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	q := draw()
	length := math.Sqrt(product(q, q))
	for i := range q {
		q[i] /= length
		question = append(question, float32(q[i]))
	}
	for i, name := range r.Perm(n) {
		e := index.Entry{ID: fmt.Sprintf("%04d", name)}
		if i%10 == 9 {
			e.Vector = entries[i-1].Vector
		} else {
			cosine, aside := .7+1e-4*r.Float64(), draw()
			along := product(q, aside)
			for i := range aside {
				aside[i] -= along * q[i]
			}
			across := math.Sqrt((1 - cosine*cosine) / product(aside, aside))
			for i := range aside {
				e.Vector = append(e.Vector, float32(cosine*q[i]+across*aside[i]))
			}
		}
		entries = append(entries, e)
	}
	return question, entries
}

// brute sorts all entries by their cosines in double precision, rounded, and by id.
func brute(question []float32, entries []index.Entry) []index.Hit {
	unit := func(v []float32) []float32 {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		out := make([]float32, len(v))
		for i, x := range v {
			out[i] = float32(float64(x) / math.Sqrt(sum))
		}
		return out
	}
	q := unit(question)
	hits := make([]index.Hit, len(entries))
	for i, e := range entries {
		sum := 0.0
		for j, x := range unit(e.Vector) {
			sum += float64(q[j]) * float64(x)
		}
		hits[i] = index.Hit{ID: e.ID, Cosine: float32(min(max(sum, -1), 1))}
	}
	slices.SortFunc(hits, func(a, b index.Hit) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID)) })
	return hits
}

// TestNearTies asks for the first of 500 entries that lie closer together than single precision tells apart, of each way to
// compute and after different histories: the order must be that of double precision, wherever the limit cuts.
func TestNearTies(t *testing.T) {
	t.Parallel()
	const n, dim = 500, 383
	question, entries := crowd(n, dim, 1)
	want := brute(question, entries)
	wantHard(t, question, entries, want)
	space := index.Space{Model: "m", Dim: dim}
	for name, change := range map[string]func(*local.Shelf){
		"flat":          func(*local.Shelf) {},
		"without SIMD":  (*local.Shelf).PureGo,
		"through signs": func(s *local.Shelf) { s.SketchFrom(1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ram.New()
			shelf := openOn(t, s)
			change(shelf)
			v := openSpace(t, shelf, space)
			live(t, v, entries)
			again := openSpace(t, openOn(t, s), space) // reads them in the order of their keys
			for limit := 1; limit <= n+1; limit += 1 + limit%7 {
				for history, v := range map[string]index.Vectors{"written": v, "read": again} {
					got, err := v.Search(t.Context(), me(), index.Query{Vector: question, Limit: limit})
					must(t, err)
					if diff := gocmp.Diff(want[:min(limit, n)], got); diff != "" {
						t.Fatalf("best %d, entries %s (-in double precision +found):\n%s", limit, history, diff)
					}
				}
			}
		})
	}
}

// live writes entries in some order, some of them twice, with others between them that are deleted later.
func live(t *testing.T, v index.Vectors, entries []index.Entry) {
	t.Helper()
	var gone []string
	for i, at := range rand.New(rand.NewPCG(2, 0)).Perm(len(entries)) {
		e := entries[at]
		if i%3 == 0 {
			before := e
			before.Vector = entries[(at+1)%len(entries)].Vector
			gone = append(gone, "x"+e.ID)
			must(t, v.Put(t.Context(), me(), before, index.Entry{ID: "x" + e.ID, Vector: e.Vector}))
		}
		must(t, v.Put(t.Context(), me(), e))
	}
	must(t, v.Delete(t.Context(), me(), gone...))
}

// wantHard makes sure that the entries are what the test is about: close together, equal ones among them, and in another order
// when they are added up in single precision.
func wantHard(t *testing.T, question []float32, entries []index.Entry, want []index.Hit) {
	t.Helper()
	single := make(map[string]float32, len(entries))
	for _, e := range entries {
		single[e.ID] = vek32.Dot(question, e.Vector)
	}
	equal, swapped := 0, 0
	for i := range want[1:] {
		if want[i].Cosine == want[i+1].Cosine {
			equal++
		}
		if single[want[i].ID] < single[want[i+1].ID] {
			swapped++
		}
	}
	t.Logf("%d entries within %.1e: %d neighbours equal, %d swapped in single precision", len(want), want[0].Cosine-want[len(want)-1].Cosine, equal, swapped)
	if want[0].Cosine-want[len(want)-1].Cosine > 1.01e-4 || equal < len(want)/10 || swapped < 10 {
		t.Fatal("the entries are too easy to order")
	}
}

// TestLimitAmongEqual cuts between entries with the very same cosine: the ids decide which stay, however many there are.
func TestLimitAmongEqual(t *testing.T) {
	t.Parallel()
	v := openSpace(t, openOn(t, ram.New()), eight())
	entries, want := make([]index.Entry, 0, 700), make([]index.Hit, 0, 700)
	for i := range cap(entries) {
		id, vector, cosine := fmt.Sprintf("b%03d", i), []float32{3, 4}, float32(.6)
		if i < 50 {
			id, vector, cosine = fmt.Sprintf("z%03d", i), []float32{5}, 1
		} else if i%2 == 0 {
			vector = []float32{3, 0, 0, -4}
		}
		want = append(want, index.Hit{ID: id, Cosine: cosine})
		entries = append(entries, entry(id, vector...))
	}
	rand.New(rand.NewPCG(3, 0)).Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	must(t, v.Put(t.Context(), me(), entries...))
	for _, limit := range []int{1, 49, 50, 51, 64, 100, 699, 700} {
		got, err := v.Search(t.Context(), me(), index.Query{Vector: entry("", 1).Vector, Limit: limit})
		must(t, err)
		if diff := gocmp.Diff(want[:limit], got); diff != "" {
			t.Errorf("best %d (-want +got):\n%s", limit, diff)
		}
	}
}
