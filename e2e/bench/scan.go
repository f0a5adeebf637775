package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/viterin/vek/vek32"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// bandwidth compares an exact scan over all vectors of one owner with summing up as many numbers once, from one end to the
// other, by one thread and with the same vector instructions. Both take turns, and the best of each counts.
func bandwidth(ctx context.Context, r *run) error {
	n := r.times(50_000, 100_000)
	shelf, err := local.New(local.Config{Store: ram.New(), Exact: true, Bytes: 1 << 30})
	if err != nil {
		return err
	}
	return closing(shelf, r.bandwidthOf(ctx, shelf, n))
}

func (r *run) bandwidthOf(ctx context.Context, shelf *local.Shelf, n int) error {
	// The vectors to be searched are written in batches.
	v, err := shelf.Open(ctx, index.Space{Model: "random", Dim: embedDim})
	if err != nil {
		return err
	}
	owner := index.Of(state.Scope{}.Default())
	vectors := randomVectors(n + 1)
	const batch = 1000
	for from := 0; from < n; from += batch {
		entries := make([]index.Entry, min(batch, n-from))
		for i := range entries {
			entries[i] = index.Entry{ID: strconv.Itoa(from + i), Hash: "1", Kind: "fact", Vector: vectors[from+i]}
		}
		if err := v.Put(ctx, owner, entries...); err != nil {
			return err
		}
	}

	// As many bytes lie beside them, to be read as fast as the machine reads memory.
	raw := make([]float32, embedDim*n)
	for i := range raw {
		raw[i] = float32(math.Copysign(0, -1)) // written to, so that each page is memory of its own
	}

	// The best of many rounds counts: the machine does other things meanwhile.
	var scan, read time.Duration
	const rounds = 30
	for i := range rounds {
		started := r.c.Now()
		if _, err := v.Search(ctx, owner, index.Query{Vector: vectors[n], Limit: 10}); err != nil {
			return err
		}
		scanned := r.c.Now()
		if vek32.Sum(raw) != 0 {
			return state.Errorf(state.Internal, "bandwidth", "zeros sum up to something")
		}
		done := r.c.Now()
		if i == 0 || scanned.Sub(started) < scan {
			scan = scanned.Sub(started)
		}
		if i == 0 || done.Sub(scanned) < read {
			read = done.Sub(scanned)
		}
	}
	r.figure("memory.bandwidth_ratio", "times", float64(scan)/float64(max(read, 1)), rounds, nil)
	return nil
}

// randomVectors returns the same at every run.
func randomVectors(n int) [][]float32 {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not for secrets
	numbers := make([]float32, n*embedDim)
	for i := range numbers {
		numbers[i] = random.Float32() - 0.5
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = numbers[i*embedDim : (i+1)*embedDim]
	}
	return out
}
