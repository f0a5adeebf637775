package bench

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/e2e/bench/six"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// overhead measures what durable steps cost on top of a bare eino graph of as many nodes.
func overhead(ctx context.Context, r *run) error {
	bare, err := six.Bare(ctx)
	if err != nil {
		return err
	}
	n := r.times(200, 2000)
	took, err := r.clock(ctx, n, func(int) error {
		_, err := bare.Invoke(ctx, 0)
		return err
	})
	if err != nil {
		return err
	}

	for _, messages := range []int{0, 20, 200} {
		r.perNode("eino", messages, flow.Sync, took) // it keeps no messages: one baseline for all lengths
		if err := r.overheadAt(ctx, messages); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) overheadAt(ctx context.Context, messages int) error {
	if err := r.flowOn(ctx, "none", nil, messages, flow.Sync); err != nil {
		return err
	}
	for _, mode := range []flow.Durability{flow.Sync, flow.Async, flow.Exit} {
		if err := r.flowOn(ctx, "memory", ram.New(), messages, mode); err != nil {
			return err
		}
		s, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(r.dir, string(mode)+strconv.Itoa(messages))})
		if err != nil {
			return err
		}
		if err := closing(s, r.flowOn(ctx, "embedded", s, messages, mode)); err != nil {
			return err
		}
	}
	return nil
}

// flowOn measures the six nodes with their steps in s; nil keeps none. Each turn gets a thread of its own.
func (r *run) flowOn(ctx context.Context, saver string, s store.Store, messages int, mode flow.Durability) error {
	y, err := six.Open(ctx, six.Config{Store: s, Messages: messages, Durability: mode, Now: r.c.Now, NewID: numbered()})
	if err != nil {
		return err
	}
	n := r.times(200, 2000)
	if saver == "embedded" {
		n = r.times(40, 300)
	}
	took, err := r.clock(ctx, n, func(int) error { return y.Turn(ctx) })
	if err != nil {
		return err
	}
	r.perNode(saver, messages, mode, took)
	return y.Close()
}

// perNode emits the median of a run's times, divided by its nodes.
func (r *run) perNode(saver string, messages int, mode flow.Durability, took []time.Duration) {
	labels := map[string]string{"saver": saver, "messages": strconv.Itoa(messages), "durability": string(mode)}
	r.figure("graph.overhead_us_per_node", "us", us(percentile(took, 0.5))/six.Nodes, len(took), labels)
}
