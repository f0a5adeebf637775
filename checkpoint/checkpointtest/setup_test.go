package checkpointtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

// bench is what a case works with: a store, a client of its own, a clock, and as many processes as it likes.
type bench struct {
	*testing.T
	store  store.Store
	client string
	clock  *statetest.Clock
	serial *atomic.Int64
	logs   *[]*checkpoint.Log // open processes
}

func setup(t *testing.T, s store.Store) *bench {
	at := &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
	b := &bench{T: t, store: s, client: strings.ToLower(rand.Text()), clock: at, serial: new(atomic.Int64), logs: new([]*checkpoint.Log)}
	t.Cleanup(b.end)
	return b
}

// end ends all processes.
func (b *bench) end() {
	for _, l := range *b.logs {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	}
	*b.logs = nil
}

// thread names a thread of the case's client.
func (b *bench) thread(id string) state.Thread { return state.Thread{Client: b.client, ID: id} }

// never is a timer that never fires: no lease is renewed, so a clock that is set on ends it.
func never(time.Duration) <-chan time.Time { return nil }

// lease is how long a turn of the suite's processes is safe.
const lease = time.Minute

// config is that of a new process over a store.
func (b *bench) config(s store.Store) checkpoint.Config {
	process := b.serial.Add(1)
	var n atomic.Int64
	return checkpoint.Config{
		Store: s, Now: b.clock.Now, Lease: lease, After: never,
		NewID: func() string { return fmt.Sprintf("p%d-%d", process, n.Add(1)) },
	}
}

// log starts a process; it ends with the case.
func (b *bench) log(c checkpoint.Config) *checkpoint.Log {
	l := checkpoint.New(c)
	*b.logs = append(*b.logs, l)
	return l
}

// turn runs a whole turn with an input.
func (b *bench) turn(g *graph, th state.Thread, id string, in story) {
	b.Helper()
	if _, err := g.Invoke(b.Context(), th, id, in); err != nil {
		b.Fatalf("turn %s: %v", id, err)
	}
}

// turns runs whole turns t1, t2, ... on a thread, each with its id as the note.
func (b *bench) turns(g *graph, th state.Thread, ids ...string) {
	b.Helper()
	for _, id := range ids {
		b.turn(g, th, id, noted(id))
	}
	b.tidy(g, th)
}

// tidy waits until the process has tidied up behind the thread's last turn.
func (b *bench) tidy(g *graph, th state.Thread) {
	b.Helper()
	if _, err := g.DeleteTurns(b.Context(), th); err != nil {
		b.Fatalf("waiting for the tidying up of %s: %v", th.ID, err)
	}
}

// broken runs a turn that fails with boom.
func (b *bench) broken(g *graph, th state.Thread, id string) {
	b.Helper()
	if _, err := g.Invoke(b.Context(), th, id, noted(id)); !errors.Is(err, errBoom) {
		b.Fatalf("turn %s = %v, want boom", id, err)
	}
}

// later lets the leases of all processes run out.
func (b *bench) later() { b.clock.Pass(2 * lease) }

// state reads a thread, which must be readable.
func (b *bench) state(g *graph, th state.Thread, at int64) *flow.Snapshot[story] {
	b.Helper()
	s, err := g.State(b.Context(), th, at)
	if err != nil {
		b.Fatalf("State of %s at %d: %v", th.ID, at, err)
	}
	return &s
}

// want compares.
func (b *bench) want(what string, want, got any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantErr demands an error of a kind, or none.
func (b *bench) wantErr(what string, err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("%s = %v, want %v", what, err, want)
	}
}

// history reads a thread's steps.
func (b *bench) history(g *graph, th state.Thread, w checkpoint.Which) []flow.Checkpoint {
	b.Helper()
	h, err := g.History(b.Context(), th, w)
	if err != nil {
		b.Fatalf("History of %s, %+v: %v", th.ID, w, err)
	}
	return h
}

// lines is a history in short.
func lines(h []flow.Checkpoint) (out []string) {
	for _, c := range h {
		out = append(out, line(c))
	}
	return out
}

func line(c flow.Checkpoint) string {
	var nodes []string
	for _, p := range c.Parts {
		if p.Node != "" {
			nodes = append(nodes, p.Node)
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s [%s] %s", c.Seq, c.Turn, c.Source, strings.Join(nodes, " "), strings.Join(c.Next, " ")))
}

// everything is each step of a thread with the state after it.
func (b *bench) everything(g *graph, th state.Thread) (out []string) {
	b.Helper()
	for _, c := range b.history(g, th, checkpoint.Which{}) {
		out = append(out, fmt.Sprintf("%s: %+v", line(c), tell(b.state(g, th, c.Seq).State)))
	}
	return out
}

// documents lists what the store holds of the case's client in a collection.
func (b *bench) documents(c state.Collection) (ids []string) {
	b.Helper()
	docs, err := b.store.Scan(context.WithoutCancel(b.Context()), store.Query{Collection: c, Prefix: b.client + "/"})
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range docs {
		ids = append(ids, strings.TrimPrefix(d.ID, b.client+"/"))
	}
	return ids
}

// dump is what the store holds of the steps of the case's client, as text.
func (b *bench) dump() string {
	b.Helper()
	docs, err := b.store.Scan(context.WithoutCancel(b.Context()), store.Query{Collection: state.Steps, Prefix: b.client + "/"})
	if err != nil {
		b.Fatal(err)
	}
	var out strings.Builder
	for _, d := range docs {
		out.Write(d.Body)
	}
	return out.String()
}
