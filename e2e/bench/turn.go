package bench

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// turns measures the whole pipeline with an instant model and one tool call per turn, after so many turns of the same user.
func turns(ctx context.Context, r *run) error {
	for _, mode := range []flow.Durability{flow.Sync, flow.Async, flow.Exit} {
		for _, after := range []int{100, 10000} {
			labels := map[string]string{"store": "memory", "durability": string(mode), "turns": strconv.Itoa(after)}
			if err := r.turnsOn(ctx, labels, after, ram.New(), nil); err != nil {
				return err
			}

			s, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(r.dir, string(mode)+strconv.Itoa(after))})
			if err != nil {
				return err
			}
			syncs := func(ctx context.Context) (int64, error) {
				stats, err := s.Stats(ctx)
				return stats.Commits, err
			}

			labels = maps.Clone(labels)
			labels["store"] = "embedded"
			if err := closing(s, r.turnsOn(ctx, labels, after, s, syncs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnsOn measures on one store; syncs, when not nil, says how often it has waited for the disk.
func (r *run) turnsOn(ctx context.Context, labels map[string]string, after int, s store.Store, syncs func(context.Context) (int64, error)) error {
	// The user has a past, and what is counted begins behind it.
	if err := live(ctx, s, state.Scope{Session: "bench"}.Default(), after); err != nil {
		return err
	}
	counting := &store.Counting{Store: s}
	before := int64(0)
	if syncs != nil {
		var err error
		if before, err = syncs(ctx); err != nil {
			return err
		}
	}

	// The conversation goes on turn by turn, with an instant model.
	settings := state.DefaultSettings()
	settings.Durability = labels["durability"]
	p, err := newPipeline(ctx, graph.Config{Store: counting, Settings: settings})
	if err != nil {
		return err
	}
	n := r.times(60, 400)
	took, err := r.clock(ctx, n, func(int) error { return p.turn(ctx) })
	if err != nil {
		return err
	}

	// The first turn, which is not timed, counts among the commits too.
	turns := float64(n + 1)
	r.figure("turn.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("turn.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	r.figure("turn.commits", "writes", float64(counting.Counts().Writes)/turns, n, labels)
	synced := int64(0)
	if syncs != nil {
		if synced, err = syncs(ctx); err != nil {
			return err
		}
	}
	r.figure("turn.fsyncs", "calls", float64(synced-before)/turns, n, labels)
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
		Text: fmt.Sprintf("Item %d of the stock list came in.", p.said),
	})
	return err
}

// oneCall returns a model that calls one tool and answers.
func oneCall(i int) *scripted.Model {
	return scripted.New([]scripted.Step{
		scripted.Call("memory_store", fmt.Sprintf(`{"subject":"item %d","content":"Item %d is in stock.","category":"fact"}`, i, i)),
		scripted.Say("Noted."),
	}, nil)
}
