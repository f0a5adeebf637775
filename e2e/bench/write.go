package bench

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// writes measures one record from the call to its durable acknowledgement, and from there until recall has found it.
func writes(ctx context.Context, r *run) error {
	m, s, err := r.open(ctx, r.dir, false)
	if err != nil {
		return err
	}
	return closing(s, closing(m, r.writesOn(ctx, m)))
}

func (r *run) writesOn(ctx context.Context, m *memory.Memory) error {
	// Each write is timed on its own, and then how soon recall finds it.
	scope := state.Scope{}.Default()
	n := r.times(100, 400)
	i := -1
	var durable []time.Duration
	write := func(ctx context.Context) error {
		i++
		started := r.c.Now()
		_, err := m.Write(ctx, scope, note(i))
		if i > 0 {
			durable = append(durable, r.c.Now().Sub(started))
		}
		return err
	}

	// The parcel that was written last must be the first that is found.
	visible, err := r.clockPrepared(ctx, n, write, func(ctx context.Context) error {
		hits, err := m.Recall(ctx, memory.Query{Scope: scope, Text: name(i) + " " + topic(i), In: memory.InAll, Limit: 1})
		if err == nil && (len(hits) == 0 || hits[0].Record == nil || hits[0].Record.Subject != note(i).Subject) {
			err = state.Errorf(state.Internal, "recall", "parcel %d was written and is not found", i)
		}
		return err
	})
	if err != nil {
		return err
	}

	slices.Sort(durable)
	labels := map[string]string{"store": "embedded"}
	r.figure("memory.durable_ms", "ms", ms(percentile(durable, 0.5)), n, labels)
	r.figure("memory.visible_us", "us", us(percentile(visible, 0.5)), n, labels)
	return nil
}

// ingests measures how fast messages are taken in, in batches; by both until all of them have their vectors.
func ingests(ctx context.Context, r *run) error {
	const batch = 200
	for _, by := range []string{"words", "both"} {
		m, s, err := r.open(ctx, filepath.Join(r.dir, by), by == "both")
		if err != nil {
			return err
		}

		// What is made once, such as the tables of languages, is made before the clock starts.
		n := r.times(4000, 20000)
		scope := state.Scope{}.Default()
		if err = m.Turn().Ingest(ctx, scope, said(0)); err == nil { // what is made once is not timed
			err = m.Vectors().Settle(ctx, scope)
		}

		// In batches; with vectors it is over when all have theirs.
		started := r.c.Now()
		for from := 1; from <= n && err == nil; from += batch {
			msgs := make([]state.Message, batch)
			for i := range msgs {
				msgs[i] = said(from + i)
			}
			err = m.Turn().Ingest(ctx, scope, msgs...)
		}
		if err == nil {
			err = m.Vectors().Settle(ctx, scope)
		}

		took := r.c.Now().Sub(started)
		if err := closing(s, closing(m, err)); err != nil {
			return err
		}
		r.figure("ingest.turns_per_s", "turns/s", float64(n)/took.Seconds(), n, map[string]string{"by": by})
	}
	return nil
}
