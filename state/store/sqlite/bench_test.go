package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// BenchmarkCommit makes commits of three documents of 500 bytes, each durable before the next of its
// goroutine; sync is the yardstick: 2 KB written at the end of a file, and one sync.
func BenchmarkCommit(b *testing.B) {
	b.Run("sync", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "file"))
		must(b, err)
		defer f.Close()
		line := make([]byte, 2000)
		for b.Loop() {
			if _, err := f.Write(line); err != nil {
				b.Fatal(err)
			}
			must(b, f.Sync())
		}
	})
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := open(b, sqlite.Config{Dir: b.TempDir()})
			commitAll(b, s, writers)
			stats, err := s.Stats(b.Context())
			must(b, err)
			b.ReportMetric(float64(stats.Commits)/float64(stats.Writes), "commits/op")
		})
	}
}

func commitAll(b *testing.B, s store.Store, writers int) {
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				step, message, affair := doc(fmt.Sprintf("c/t/%012d", n), 0, 480), doc(fmt.Sprintf("c/u/s/%012d", n), 0, 480), doc(fmt.Sprintf("c/u/%d", n), 0, 480)
				step.Collection, message.Collection = state.Steps, state.Messages
				if err := s.Write(context.Background(), step, message, affair); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
}

func BenchmarkRead(b *testing.B) {
	s := open(b, sqlite.Config{Dir: b.TempDir()})
	const docs = 10_000
	for i := 0; i < docs; i += 100 {
		var batch []store.Doc
		for k := range 100 {
			batch = append(batch, doc(fmt.Sprintf("c/t/%012d", i+k), 0, 480))
		}
		write(b, s, batch...)
	}
	ctx := context.Background()
	b.Run("get", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := s.Get(ctx, state.Affairs, fmt.Sprintf("c/t/%012d", docs-1-i*7919%5000)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("scan20", func(b *testing.B) {
		for b.Loop() {
			got, err := s.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: "c/t/", Limit: 20, Reverse: true})
			if err != nil || len(got) != 20 {
				b.Fatal(len(got), err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again, err := sqlite.Open(ctx, sqlite.Config{Dir: s.Path()})
			must(b, err)
			closed(b, again)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			must(b, s.Check(ctx))
		}
	})
}
