package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/offline"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// turns measures the whole pipeline with an instant model and one tool call per turn.
func turns(ctx context.Context, r *run) error {
	for _, mode := range []flow.Durability{flow.Sync, flow.Async, flow.Exit} {
		if err := r.turnsOn(ctx, "memory", mode, ram.New(), nil); err != nil {
			return err
		}
		s, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(r.dir, "sqlite-"+string(mode))})
		if err != nil {
			return err
		}
		syncs := func(ctx context.Context) (int64, error) {
			stats, err := s.Stats(ctx)
			return stats.Commits, err
		}
		if err := closing(s, r.turnsOn(ctx, "sqlite", mode, s, syncs)); err != nil {
			return err
		}
	}
	return nil
}

// turnsOn measures on one store; syncs, when not nil, says how often it has waited for the disk.
func (r *run) turnsOn(ctx context.Context, name string, mode flow.Durability, s store.Store, syncs func(context.Context) (int64, error)) error {
	counting := &store.Counting{Store: s}
	settings := state.DefaultSettings()
	settings.Durability = string(mode)
	p, err := newPipeline(ctx, graph.Config{Store: counting, Settings: settings})
	if err != nil {
		return err
	}
	n := r.times(60, 400)
	took, err := r.clock(ctx, n, func(int) error { return p.turn(ctx) })
	if err != nil {
		return err
	}
	turns := float64(n + 1)
	labels := map[string]string{"store": name, "durability": string(mode)}
	r.figure("turn.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("turn.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	r.figure("turn.commits", "writes", float64(counting.Counts().Writes)/turns, n, labels)
	synced := int64(0)
	if syncs != nil {
		if synced, err = syncs(ctx); err != nil {
			return err
		}
	}
	r.figure("turn.fsyncs", "calls", float64(synced)/turns, n, labels)
	return p.Close()
}

// pipeline is a graph in a conversation that goes on and on.
type pipeline struct {
	*graph.Graph
	said int
}

func newPipeline(ctx context.Context, c graph.Config) (*pipeline, error) {
	c.Model = offline.New()
	g, err := graph.New(ctx, c)
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
