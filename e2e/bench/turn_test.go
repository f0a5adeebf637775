package bench

import (
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// BenchmarkTurn runs whole turns of one conversation, with an instant model that calls one tool: in RAM, and in a folder, where it waits for the disk.
func BenchmarkTurn(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) store.Store{
		"ram": func(*testing.B) store.Store { return ram.New() },
		"folder": func(b *testing.B) store.Store {
			s, err := sqlite.Open(b.Context(), sqlite.Config{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			})
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			if err := live(b.Context(), s, state.Scope{Session: "bench"}.Default(), 100); err != nil {
				b.Fatal(err)
			}
			p, err := newPipeline(b.Context(), graph.Config{Store: s, Settings: state.DefaultSettings()})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.turn(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
