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
	none := func(context.Context) (int64, error) { return 0, nil }
	if err := r.turnsOn(ctx, "memory", ram.New(), none); err != nil {
		return err
	}
	s, err := bolt.Open(ctx, bolt.Config{Dir: filepath.Join(r.dir, "bolt")})
	if err != nil {
		return err
	}
	return closing(s, r.turnsOn(ctx, "bolt", s, func(ctx context.Context) (int64, error) {
		stats, err := s.Stats(ctx)
		return stats.Syncs, err
	}))
}

// turnsOn measures on one store; syncs says how often it has waited for the disk.
func (r *run) turnsOn(ctx context.Context, name string, s store.Store, syncs func(context.Context) (int64, error)) error {
	counting := &store.Counting{Store: s}
	p, err := newPipeline(ctx, counting)
	if err != nil {
		return err
	}
	n := r.times(60, 400)
	took, err := r.clock(ctx, n, func(int) error { return p.turn(ctx) })
	if err != nil {
		return err
	}
	synced, err := syncs(ctx)
	if err != nil {
		return err
	}
	turns := float64(n + 1)
	labels := map[string]string{"store": name, "durability": p.Memory().Settings().Durability}
	r.figure("turn.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("turn.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	r.figure("turn.commits", "writes", float64(counting.Counts().Writes)/turns, n, labels)
	r.figure("turn.fsyncs", "calls", float64(synced)/turns, n, labels)
	return p.Close()
}

// pipeline is a graph in a conversation that goes on and on.
type pipeline struct {
	*graph.Graph
	said int
}

func newPipeline(ctx context.Context, s store.Store) (*pipeline, error) {
	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New()})
	return &pipeline{Graph: g}, err
}

// turn runs the next turn: one tool call and an answer.
func (p *pipeline) turn(ctx context.Context) error {
	p.said++
	_, err := p.Invoke(ctx, graph.Request{
		Scope: state.Scope{Session: "bench"}, Model: oneCall(p.said),
		Text: fmt.Sprintf("Please note item %d of the stock list.", p.said),
	})
	return err
}

// oneCall is a model that calls one tool and answers.
func oneCall(i int) *scripted.Model {
	return scripted.New([]scripted.Step{
		scripted.Call("memory_store", fmt.Sprintf(`{"subject":"item %d","content":"Item %d is in stock.","category":"fact"}`, i, i)),
		scripted.Say("Noted."),
	}, nil)
}
