package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// recalls measures finding records in one scope, and what holding them ready takes.
func recalls(ctx context.Context, r *run) error {
	sizes := []int{1000, 10000}
	if !r.c.Quick {
		sizes = append(sizes, 100000)
	}
	for _, size := range sizes {
		dir := filepath.Join(r.dir, strconv.Itoa(size))
		if err := fill(ctx, dir, size); err != nil {
			return err
		}
		g, err := embedded.Open(ctx, dir)
		if err != nil {
			return err
		}
		if err := closing(g, r.recallAt(ctx, g, size)); err != nil {
			return err
		}
	}
	return nil
}

// fill writes records in bulk.
func fill(ctx context.Context, dir string, size int) error {
	g, err := embedded.Open(ctx, dir)
	if err != nil {
		return err
	}
	const batch = 1000
	for from := 0; from < size && err == nil; from += batch {
		changes := make([]memory.Change, 0, batch)
		for i := from; i < min(size, from+batch); i++ {
			changes = append(changes, note(i))
		}
		_, err = g.Memory().Write(ctx, state.Scope{}.Default(), changes...)
	}
	return closing(g, err)
}

func (r *run) recallAt(ctx context.Context, g *embedded.Graph, size int) error {
	before := heap()
	n := r.times(50, 300)
	took, err := r.clock(ctx, n, func(i int) error { // the first, not timed, builds the index
		_, err := g.Memory().Recall(ctx, memory.Query{
			Scope: state.Scope{}.Default(), Text: topic(i*7919) + " " + place(i*104729), In: memory.InAll, Limit: 10,
		})
		return err
	})
	if err != nil {
		return err
	}
	labels := map[string]string{"records": strconv.Itoa(size), "by": "words"}
	r.figure("index.bytes_per_record", "bytes", float64(heap()-before)/float64(size), size, labels)
	if mb := resident(); mb > 0 {
		r.figure("rss_mb", "MB", mb, 1, labels)
	}
	labels = map[string]string{"records": strconv.Itoa(size), "by": "words", "index": "local"}
	r.figure("recall.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	r.figure("recall.p99_ms", "ms", ms(percentile(took, 0.99)), n, labels)
	return nil
}

// heap is the bytes in use after a collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// resident is the process's resident memory in MB, 0 where the system does not tell in /proc.
func resident() float64 {
	data, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// writes measures one record from the call to its durable acknowledgement, and how long recall takes to find it
// then.
func writes(ctx context.Context, r *run) error {
	g, err := embedded.Open(ctx, r.dir)
	if err != nil {
		return err
	}
	return closing(g, r.writesOn(ctx, g.Memory()))
}

func (r *run) writesOn(ctx context.Context, m *memory.Memory) error {
	scope := state.Scope{}.Default()
	n := r.times(50, 300)
	durable, err := r.clock(ctx, n, func(i int) error {
		_, err := m.Write(ctx, scope, note(i))
		return err
	})
	if err != nil {
		return err
	}
	visible, err := r.clock(ctx, n, func(i int) error {
		hits, err := m.Recall(ctx, memory.Query{Scope: scope, Text: "parcel " + strconv.Itoa(i), In: memory.InAll, Limit: 1})
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
	return nil
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
