package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Config says what is measured. Now is required; the zero value of the rest measures everything, fully.
type Config struct {
	Now   func() time.Time
	Quick bool     // fewer repetitions and sizes: ends within a minute on two cores
	Only  []string // names of figures; empty = all
	Dir   string   // where stores are put; "" = a temporary folder
}

// Figure is one measured number. N is how many runs it is from.
type Figure struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Value  float64           `json:"value"`
	Unit   string            `json:"unit"`
	N      int               `json:"n"`
}

// row measures the figures of some names together, because they come from the same runs.
type row struct {
	names   []string
	measure func(context.Context, *run) error
}

// rows lists what can be measured, in the order it is printed.
func rows() []row {
	return []row{
		{[]string{"disk.fdatasync_ms"}, fdatasync},
		{[]string{"graph.overhead_us_per_node"}, overhead},
		{[]string{"turn.p50_ms", "turn.p99_ms", "turn.commits", "turn.fsyncs"}, turns},
		{[]string{"turn.affairs_ratio"}, manyAffairs},
		{[]string{"turn.growth_ratio"}, longLives},
		{[]string{"checkpoint.bytes_per_turn"}, growth},
		{[]string{"resume.ms"}, resumes},
		{[]string{"recall.p50_ms", "recall.p99_ms", "index.bytes_per_record", "rss_mb"}, recalls},
		{[]string{"memory.bandwidth_ratio"}, bandwidth},
		{[]string{"ingest.turns_per_s"}, ingests},
		{[]string{"memory.durable_ms", "memory.visible_us"}, writes},
		{[]string{"compose.p50_ms"}, composing},
		{[]string{"detect.p50_ms"}, detection},
	}
}

// Names lists the figures that can be measured.
func Names() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.names...)
	}
	return names
}

// Run measures and hands each figure to emit as soon as it is known. An unknown name in Only is Invalid.
func Run(ctx context.Context, c Config, emit func(Figure)) error {
	for _, name := range c.Only {
		if !slices.Contains(Names(), name) {
			return state.Errorf(state.Invalid, "figure "+name, "is not measured; did you mean %s? Known: %s",
				state.Nearest(name, Names()), strings.Join(Names(), ", "))
		}
	}

	for _, r := range rows() {
		if len(c.Only) > 0 && !slices.ContainsFunc(r.names, func(n string) bool { return slices.Contains(c.Only, n) }) {
			continue
		}
		if err := one(ctx, c, r, emit); err != nil {
			return fmt.Errorf("measure %s: %w", strings.Join(r.names, ", "), err)
		}
	}
	return nil
}

// one measures a row in a folder of its own.
func one(ctx context.Context, c Config, r row, emit func(Figure)) error {
	dir, err := os.MkdirTemp(c.Dir, "mneme-bench-")
	if err != nil {
		return state.Errorf(state.Unavailable, "bench", "no temporary folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover in the temporary folder harms nobody
	return r.measure(ctx, &run{c: c, dir: dir, emit: emit})
}

// run is one row being measured.
type run struct {
	c    Config
	dir  string
	emit func(Figure)
}

// figure emits a figure if it was asked for.
func (r *run) figure(name, unit string, value float64, n int, labels map[string]string) {
	if len(r.c.Only) > 0 && !slices.Contains(r.c.Only, name) {
		return
	}
	if labels == nil {
		labels = map[string]string{}
	}
	r.emit(Figure{Name: name, Labels: labels, Value: value, Unit: unit, N: n})
}

// times picks how often to repeat.
func (r *run) times(quick, full int) int {
	if r.c.Quick {
		return quick
	}
	return full
}

// clock times n runs of do after one that is not counted, and returns them sorted. It ends early with the
// context.
func (r *run) clock(ctx context.Context, n int, do func(i int) error) ([]time.Duration, error) {
	i := -1
	ready := func(context.Context) error { i++; return nil }
	return r.clockPrepared(ctx, n, ready, func(context.Context) error { return do(i) })
}

// clockPrepared is clock for runs that need something made ready first, which is not timed.
func (r *run) clockPrepared(ctx context.Context, n int, prepare, do func(context.Context) error) ([]time.Duration, error) {
	took := make([]time.Duration, 0, n)
	for i := range n + 1 {
		if err := ctx.Err(); err != nil {
			return nil, state.Errorf(state.Unavailable, "bench", "%w", err)
		}
		if err := prepare(ctx); err != nil {
			return nil, err
		}

		started := r.c.Now()
		if err := do(ctx); err != nil {
			return nil, err
		}
		if i > 0 {
			took = append(took, r.c.Now().Sub(started))
		}
	}

	slices.Sort(took)
	return took, nil
}

// percentile returns the nearest-rank percentile of sorted times, 0 without any.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(p*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// numbered hands out ids that are new in the run of a row.
func numbered() func() string {
	var n atomic.Int64
	return func() string { return "id" + strconv.FormatInt(n.Add(1), 10) }
}

// closing closes what a row opened and returns the first error.
func closing(c io.Closer, err error) error {
	if closeErr := c.Close(); err == nil {
		return closeErr
	}
	return err
}
