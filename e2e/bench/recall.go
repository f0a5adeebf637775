package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// recalls measures writing records and finding them again, in one scope.
func recalls(ctx context.Context, r *run) error {
	sizes := []int{1000, 10000}
	if !r.c.Quick {
		sizes = append(sizes, 100000)
	}
	for _, size := range sizes {
		if err := r.recallAt(ctx, size); err != nil {
			return err
		}
	}
	return r.writes(ctx)
}

func (r *run) recallAt(ctx context.Context, size int) error {
	g, err := embedded.Open(ctx, filepath.Join(r.dir, strconv.Itoa(size)))
	if err != nil {
		return err
	}
	scope := state.Scope{}.Default()
	const batch = 1000
	for from := 0; from < size; from += batch {
		changes := make([]memory.Change, 0, batch)
		for i := from; i < min(size, from+batch); i++ {
			changes = append(changes, note(i))
		}
		if _, err := g.Memory().Write(ctx, scope, changes...); err != nil {
			return err
		}
	}
	n := r.times(50, 300)
	took, err := r.clock(ctx, n, func(i int) error {
		_, err := g.Memory().Recall(ctx, memory.Query{Scope: scope, Text: topic(i*7919) + " " + place(i*104729), In: memory.InAll, Limit: 10})
		return err
	})
	if err != nil {
		return err
	}
	labels := map[string]string{"records": strconv.Itoa(size), "by": "words", "index": "local"}
	r.figure("recall.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("recall.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	return g.Close()
}

// writes measures one record from the call to its durable acknowledgement, and from there until recall
// finds it.
func (r *run) writes(ctx context.Context) error {
	g, err := embedded.Open(ctx, filepath.Join(r.dir, "writes"))
	if err != nil {
		return err
	}
	scope := state.Scope{}.Default()
	n := r.times(50, 300)
	durable, err := r.clock(ctx, n, func(i int) error {
		_, err := g.Memory().Write(ctx, scope, note(i))
		return err
	})
	if err != nil {
		return err
	}
	visible, err := r.clock(ctx, n, func(i int) error {
		hits, err := g.Memory().Recall(ctx, memory.Query{Scope: scope, Text: "parcel " + strconv.Itoa(i), In: memory.InAll, Limit: 1})
		if err == nil && len(hits) == 0 {
			err = state.Errorf(state.Internal, "recall", "parcel %d was written and is not found", i)
		}
		return err
	})
	if err != nil {
		return err
	}
	labels := map[string]string{"store": "bolt"}
	r.figure("memory.durable_ms", "ms", ms(percentile(durable, 0.5)), n, labels)
	r.figure("memory.visible_us", "us", us(percentile(visible, 0.5)), n, labels)
	return g.Close()
}

// note is record number i.
func note(i int) memory.Change {
	return memory.Change{
		Subject: fmt.Sprintf("parcel %d", i),
		Content: fmt.Sprintf("Parcel %d with %s goes to %s on day %d.", i, topic(i), place(i), i%365),
		Kind:    state.FactRecord,
	}
}

func topic(i int) string {
	words := []string{"bearings", "brake pads", "cables", "filters", "gaskets", "hoses", "lamps", "pumps", "sensors", "valves", "wipers"}
	return words[i%len(words)]
}

func place(i int) string {
	words := []string{"Antwerp", "Brno", "Cork", "Dresden", "Elche", "Faro", "Gdansk", "Hull", "Izmir", "Jena", "Kaunas", "Lyon", "Malmo"}
	return words[i%len(words)]
}
