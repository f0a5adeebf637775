package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/offline"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// turns measures the whole pipeline with an instant model and one tool call per turn.
func turns(ctx context.Context, r *run) error {
	if err := r.turnsOn(ctx, "memory", ram.New()); err != nil {
		return err
	}
	s, err := bolt.Open(ctx, bolt.Config{Dir: filepath.Join(r.dir, "bolt")})
	if err != nil {
		return err
	}
	return closing(s, r.turnsOn(ctx, "bolt", s))
}

func (r *run) turnsOn(ctx context.Context, name string, s store.Store) error {
	counting := &store.Counting{Store: s}
	g, err := graph.New(ctx, graph.Config{Store: counting, Model: offline.New()})
	if err != nil {
		return err
	}
	n := r.times(60, 400)
	commits := int64(0)
	took, err := r.clock(ctx, n, func(i int) error {
		before := counting.Counts()
		_, err := g.Invoke(ctx, graph.Request{
			Scope: state.Scope{Session: "bench"}, Text: fmt.Sprintf("Please note item %d of the stock list.", i), Model: oneCall(i),
		})
		commits += counting.Counts().Minus(before).Writes
		return err
	})
	if err != nil {
		return err
	}
	labels := map[string]string{"store": name, "durability": g.Memory().Settings().Durability}
	mean := float64(commits) / float64(n+1)
	r.figure("turn.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("turn.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	r.figure("turn.commits", "writes", mean, n, labels)
	fsyncs := 0.0
	if name == "bolt" { // bbolt syncs data and meta page once each per transaction
		fsyncs = 2 * mean
	}
	r.figure("turn.fsyncs", "calls", fsyncs, n, labels)
	return g.Close()
}

// oneCall is a model that calls one tool and answers.
func oneCall(i int) *scripted.Model {
	return scripted.New([]scripted.Step{
		scripted.Call("memory_store", fmt.Sprintf(`{"subject":"item %d","content":"Item %d is in stock.","category":"fact"}`, i, i)),
		scripted.Say("Noted."),
	}, offline.New())
}
