package local_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/viterin/vek/vek32"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// neighbourhoods draws n vectors as embedders make them: forty directions that matter less and less, noise in all, and a mean far
// from zero.
func neighbourhoods(n, dim int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func() []float32 {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(r.NormFloat64())
		}
		return v
	}
	mean, topics, out := draw(), make([][]float32, 40), make([][]float32, n)
	for k := range topics {
		topics[k] = draw()
	}
	for i := range out {
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = 2*mean[j] + .3*float32(r.NormFloat64())
		}
		for k, topic := range topics {
			much := float32(2 * r.NormFloat64() / float64(k+1))
			for j := range topic {
				out[i][j] += much * topic[j]
			}
		}
	}
	return out
}

const questions = 40

// filled is a space on a store in memory in which one owner has all of these vectors but the last forty, which are questions to
// them.
func filled(tb testing.TB, all [][]float32, exact bool) (index.Vectors, index.Owner, [][]float32) {
	tb.Helper()
	n, o := len(all)-questions, me()
	shelf, err := local.New(local.Config{Store: ram.New(), Exact: exact, Bytes: 4 << 30})
	must(tb, err)
	v, err := shelf.Open(tb.Context(), index.Space{Model: "bench", Dim: len(all[0])})
	must(tb, err)
	entries := make([]index.Entry, 0, n)
	for i, x := range all[:n] {
		entries = append(entries, index.Entry{
			ID: fmt.Sprintf("m%07d", i), Hash: "0123456789abcdef", Kind: []string{"message", "fact"}[i%2], Session: fmt.Sprint("s", i/200),
			At: time.UnixMilli(int64(i)), Vector: x,
		})
	}
	must(tb, v.Put(tb.Context(), o, entries...))
	return v, o, all[n:]
}

func BenchmarkSearch(b *testing.B) {
	for _, bench := range []struct {
		name  string
		n     int
		exact bool
		q     index.Query
	}{
		{"flat/1k", 1_000, true, index.Query{Limit: 10}},
		{"flat/1k/top1000", 1_000, true, index.Query{Limit: 1000}},
		{"flat/10k", 10_000, true, index.Query{Limit: 10}},
		{"flat/100k", 100_000, true, index.Query{Limit: 10}},
		{"flat/100k/top1000", 100_000, true, index.Query{Limit: 1000}},
		{"flat/100k/kind", 100_000, true, index.Query{Limit: 10, Kinds: []string{"fact"}}},
		{"signs/100k", 100_000, false, index.Query{Limit: 10}},
		{"signs/100k/top1000", 100_000, false, index.Query{Limit: 1000}},
		{"signs/100k/kind", 100_000, false, index.Query{Limit: 10, Kinds: []string{"fact"}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			v, o, asked := filled(b, neighbourhoods(bench.n+questions, 384, 1), bench.exact)
			i := 0
			for b.Loop() {
				bench.q.Vector = asked[i%len(asked)]
				i++
				if hits, err := v.Search(b.Context(), o, bench.q); err != nil || len(hits) != bench.q.Limit {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}

// BenchmarkWall compares the flat scan with reading the same number of bytes once, which no exact search can beat: the two take turns,
// and the metric is the quotient of their sums.
func BenchmarkWall(b *testing.B) {
	const n, dim = 100_000, 384
	v, o, asked := filled(b, neighbourhoods(n+questions, dim, 1), true)
	memory := make([]float32, n*dim)
	for i := range memory {
		memory[i] = 1
	}
	var scan, read time.Duration
	var sum float32
	for b.Loop() {
		start := time.Now()
		if _, err := v.Search(b.Context(), o, index.Query{Vector: asked[0], Limit: 10}); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		sum += vek32.Sum(memory)
		scan, read = scan+middle.Sub(start), read+time.Since(middle)
	}
	b.ReportMetric(scan.Seconds()/read.Seconds(), "scan/read")
	b.ReportMetric(float64(n*dim*4)*float64(b.N)/read.Seconds()/1e9, "GB/s")
	if sum == 0 {
		b.Error("the sum was not computed")
	}
}

func BenchmarkPut(b *testing.B) {
	v, o, asked := filled(b, neighbourhoods(10_000+questions, 384, 1), false)
	i := 0
	for b.Loop() {
		i++
		must(b, v.Put(b.Context(), o, index.Entry{ID: fmt.Sprint("new", i), Vector: asked[i%len(asked)]}))
	}
}
