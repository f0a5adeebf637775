package bench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// recalls measures finding records in one scope by words, by vectors and by both, and what holding them ready takes.
func recalls(ctx context.Context, r *run) error {
	sizes := []int{1000, 10000}
	if !r.c.Quick {
		sizes = append(sizes, 100000)
	}
	for _, size := range sizes {
		if err := r.recallsOf(ctx, filepath.Join(r.dir, strconv.Itoa(size)), size); err != nil {
			return err
		}
	}
	return nil
}

// recallsOf makes the records and their vectors, and then begins anew for each figure, as a new process would.
func (r *run) recallsOf(ctx context.Context, dir string, size int) error {
	// The records and their vectors are made once; making them is not measured.
	scope := state.Scope{}.Default()
	m, s, err := r.open(ctx, dir, true)
	if err != nil {
		return err
	}
	if err = fill(ctx, s, scope, size); err == nil {
		err = m.Vectors().Settle(ctx, scope)
	}
	if err := closing(s, closing(m, err)); err != nil {
		return err
	}

	// Recall is measured by words alone, then with vectors too, each time with nothing in RAM.
	for _, by := range []string{"words", "both"} {
		m, s, err := r.open(ctx, dir, by == "both")
		if err != nil {
			return err
		}
		err = r.recallBy(ctx, m, by, size)
		if err == nil && by == "both" {
			err = r.vectorsAlone(ctx, s, size)
		}
		if err := closing(s, closing(m, err)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) recallBy(ctx context.Context, m *memory.Memory, by string, size int) error {
	scope := state.Scope{}.Default()
	ask := func(scope state.Scope, i int) error {
		_, err := m.Recall(ctx, memory.Query{Scope: scope, Text: question(i, size), In: memory.InAll, Limit: 10})
		return err
	}
	if err := ask(state.Scope{User: "nobody"}.Default(), 0); err != nil { // tables of languages and tokens are not the index
		return err
	}

	before := heap()
	if err := ask(scope, 0); err != nil { // reads everything
		return err
	}
	if err := m.Vectors().Settle(ctx, scope); err != nil {
		return err
	}

	labels := map[string]string{"records": strconv.Itoa(size), "by": by}
	r.figure("index.bytes_per_record", "bytes", float64(heap()-before)/float64(size), size, labels)
	if mb := resident(); mb > 0 {
		r.figure("rss_mb", "MB", mb, 1, labels)
	}

	n := r.times(100, 300)
	took, err := r.clock(ctx, n, func(i int) error { return ask(scope, i+1) })
	r.recalled(took, by, size)
	return err
}

// vectorsAlone measures what the vectors cost of it: making the one of the question, and the search.
func (r *run) vectorsAlone(ctx context.Context, s store.Store, size int) error {
	// The embedder and the index are those of recall, without the memory around them.
	e, err := embedder()
	if err != nil {
		return err
	}
	shelf, err := local.New(local.Config{Store: s})
	if err != nil {
		return err
	}
	space, err := e.Space(ctx)
	if err != nil {
		return closing(shelf, err)
	}
	v, err := shelf.Open(ctx, space)
	if err != nil {
		return closing(shelf, err)
	}

	// A search that does not fill its list has not searched what is measured.
	owner := index.Of(state.Scope{}.Default())
	n := r.times(100, 300)
	took, err := r.clock(ctx, n, func(i int) error {
		vecs, err := e.Embed(ctx, question(i, size))
		if err != nil {
			return err
		}
		hits, err := v.Search(ctx, owner, index.Query{Vector: vecs[0], Limit: 10})
		if err == nil && len(hits) != 10 {
			err = state.Errorf(state.Internal, "vectors", "%d of %d records found, want 10", len(hits), size)
		}
		return err
	})
	r.recalled(took, "vectors", size)
	return closing(shelf, err)
}

func (r *run) recalled(took []time.Duration, by string, size int) {
	labels := map[string]string{"records": strconv.Itoa(size), "by": by, "index": "local"}
	r.figure("recall.p50_ms", "ms", ms(percentile(took, 0.5)), len(took), labels)
	r.figure("recall.p99_ms", "ms", ms(percentile(took, 0.99)), len(took), labels)
}

// heap returns the bytes in use after collections: what pools held goes with the second.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// resident returns the process's resident memory in MB, 0 where the system does not tell in /proc.
func resident() float64 {
	data, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}
