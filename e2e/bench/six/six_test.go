package six_test

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/e2e/bench/six"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func ids() func() string {
	var n atomic.Int64
	return func() string { return "i" + strconv.FormatInt(n.Add(1), 10) }
}

func open(tb testing.TB, s store.Store, messages int) *six.Yardstick {
	tb.Helper()
	y, err := six.Open(tb.Context(), six.Config{Store: s, Messages: messages, Now: time.Now, NewID: ids()})
	must(tb, err)
	return y
}

func TestTurn(t *testing.T) {
	t.Parallel()
	for _, messages := range []int{0, 1, 20} {
		counted := &store.Counting{Store: ram.New()}
		y := open(t, counted, messages)
		for range 3 {
			before := counted.Counts()
			must(t, y.Turn(t.Context()))
			if got := counted.Counts().Minus(before).Writes; got != six.Nodes {
				t.Errorf("%d messages: %d commits, want one a node", messages, got)
			}
		}
	}
	if err := open(t, nil, 20).Turn(t.Context()); err != nil {
		t.Errorf("without log: %v", err)
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	g, err := six.Bare(t.Context())
	must(t, err)
	if n, err := g.Invoke(t.Context(), 0); n != six.Nodes || err != nil {
		t.Errorf("counted %d, %v", n, err)
	}
}

func BenchmarkNode(b *testing.B) {
	b.Run("saver=eino", func(b *testing.B) {
		g, err := six.Bare(b.Context())
		must(b, err)
		perNode(b, func(ctx context.Context) error { _, err := g.Invoke(ctx, 0); return err })
	})
	b.Run("saver=none", func(b *testing.B) { perNode(b, open(b, nil, 0).Turn) })
	for _, messages := range []int{0, 20, 200} {
		b.Run(fmt.Sprintf("saver=memory/messages=%d", messages), func(b *testing.B) {
			perNode(b, open(b, ram.New(), messages).Turn)
		})
		b.Run(fmt.Sprintf("saver=sqlite/messages=%d", messages), func(b *testing.B) {
			perNode(b, open(b, disk(b), messages).Turn)
		})
	}
}

// BenchmarkDurability has nodes that work for 5 ms: with async, what the log does is done meanwhile.
func BenchmarkDurability(b *testing.B) {
	work := func() { time.Sleep(5 * time.Millisecond) }
	for _, mode := range []flow.Durability{"none", flow.Sync, flow.Async, flow.Exit} {
		b.Run("durability="+string(mode), func(b *testing.B) {
			c := six.Config{Messages: 20, Work: work, Now: time.Now, NewID: ids()}
			if mode != "none" {
				c.Store, c.Durability = disk(b), mode
			}
			y, err := six.Open(b.Context(), c)
			must(b, err)
			perNode(b, y.Turn)
		})
	}
}

func disk(b *testing.B) store.Store {
	b.Helper()
	s, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir()})
	must(b, err)
	b.Cleanup(func() { must(b, s.Close()) })
	return s
}

// perNode times run and reports it per node.
func perNode(b *testing.B, run func(context.Context) error) {
	b.ReportAllocs()
	for b.Loop() {
		must(b, run(b.Context()))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/six.Nodes, "us/node")
}

// BenchmarkThreads has so many threads in the store besides: a turn must not cost more for it.
func BenchmarkThreads(b *testing.B) {
	for _, threads := range []int{1, 100_000} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			s := disk(b)
			var docs []store.Doc
			for i := range threads {
				th := state.Thread{Client: "bench", ID: fmt.Sprintf("old%06d", i)}
				docs = append(docs, store.Doc{Collection: state.Steps, ID: th.StepKey(1), Body: []byte{5, 0, 0, 0, 0}})
				if len(docs) == 10_000 || i+1 == threads {
					must(b, s.Write(b.Context(), docs...))
					docs = docs[:0]
				}
			}
			perNode(b, open(b, s, 20).Turn)
		})
	}
}

var must = statetest.Must
