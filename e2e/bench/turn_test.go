package bench

import (
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
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
			must(b, err)
			b.Cleanup(func() { must(b, s.Close()) })
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			must(b, live(b.Context(), s, state.Scope{Session: "bench"}.Default(), 100))
			p, err := newPipeline(b.Context(), graph.Config{Store: s, Settings: state.DefaultSettings()})
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				must(b, p.turn(b.Context()))
			}
			must(b, p.Close())
		})
	}
}

var must = statetest.Must
