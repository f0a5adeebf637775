package bolt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
)

// BenchmarkSync is the yardstick: one write of 600 bytes at the end of a file, and one sync.
func BenchmarkSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := make([]byte, 600)
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite inserts documents of 500 bytes, each durable before the next of its goroutine.
func BenchmarkWrite(b *testing.B) {
	for _, goroutines := range []int{1, 16} {
		b.Run(fmt.Sprint("goroutines=", goroutines), func(b *testing.B) {
			s := open(b, bolt.Config{Dir: b.TempDir()})
			var n atomic.Int64
			insert := func() {
				if err := s.Write(context.Background(), doc(fmt.Sprintf("c/t/%012d", n.Add(1)), 0, 480)); err != nil {
					b.Error(err)
				}
			}
			if goroutines == 1 {
				for b.Loop() {
					insert()
				}
			} else {
				b.SetParallelism(max(1, goroutines/runtime.GOMAXPROCS(0)))
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						insert()
					}
				})
			}
			stats, err := s.Stats(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(stats.Syncs)/float64(stats.Writes), "syncs/op")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := open(b, bolt.Config{Dir: b.TempDir()})
	const docs = 10_000
	for i := 0; i < docs; i += 100 {
		var batch []store.Doc
		for k := range 100 {
			batch = append(batch, doc(fmt.Sprintf("c/t/%012d", i+k), 0, 480))
		}
		write(b, s, batch...)
	}
	ctx := context.Background()
	for _, where := range []string{"log", "pages"} {
		if where == "pages" {
			if err := s.Flush(ctx); err != nil {
				b.Fatal(err)
			}
		}
		b.Run("get/"+where, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := s.Get(ctx, state.Affairs, fmt.Sprintf("c/t/%012d", docs-1-i*7919%5000)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("scan20/"+where, func(b *testing.B) {
			for b.Loop() {
				got, err := s.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: "c/t/", Limit: 20, Reverse: true})
				if err != nil || len(got) != 20 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

// BenchmarkOpen opens a store of 10 MB, all of which Open reads and checks.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := open(b, bolt.Config{Dir: dir})
	for i := range 200 {
		var batch []store.Doc
		for k := range 100 {
			batch = append(batch, doc(fmt.Sprintf("c/t/%012d", i*100+k), 0, 480))
		}
		write(b, s, batch...)
	}
	closed(b, s)
	info, err := os.Stat(filepath.Join(dir, "store.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		s, err := bolt.Open(context.Background(), bolt.Config{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		closed(b, s)
	}
}
