package checkpointtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// bench is what a case works with: a store, a client of its own, a clock, and as many processes as it likes.
type bench struct {
	*testing.T
	store  store.Store
	client string
	clock  *clock
	serial *atomic.Int64
}

func setup(t *testing.T, s store.Store) *bench {
	at := &clock{at: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
	return &bench{T: t, store: s, client: strings.ToLower(rand.Text()), clock: at, serial: new(atomic.Int64)}
}

// thread names a thread of the case's client.
func (b *bench) thread(id string) state.Thread { return state.Thread{Client: b.client, ID: id} }

// clock is set by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// never is a timer that never fires: no lease is renewed, so a clock that is set on ends it.
func never(time.Duration) <-chan time.Time { return nil }

// lease is how long a turn of the suite's processes is safe.
const lease = time.Minute

// config is that of a new process over a store.
func (b *bench) config(s store.Store) checkpoint.Config {
	process := b.serial.Add(1)
	var n atomic.Int64
	return checkpoint.Config{
		Store: s, Now: b.clock.now, Lease: lease, After: never,
		NewID: func() string { return fmt.Sprintf("p%d-%d", process, n.Add(1)) },
	}
}

// log starts a process; it ends with the case.
func (b *bench) log(c checkpoint.Config) *checkpoint.Log {
	l := checkpoint.New(c)
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	return l
}

// story is the state of the suite's graphs: one field of each kind.
type story struct {
	Words field.Append[string]
	Sum   field.Reduce[count]
	Note  field.Last[string]
	Extra field.Last[extra]
	View  field.Volatile[string]
}

// Fields lists the fields under their names in the log.
func (s *story) Fields() []field.Named {
	return []field.Named{
		{Name: "words", Field: &s.Words}, {Name: "sum", Field: &s.Sum}, {Name: "note", Field: &s.Note},
		{Name: "extra", Field: &s.Extra}, {Name: "view", Field: &s.View},
	}
}

// count is a sum.
type count int64

// Plus adds.
func (c count) Plus(d count) count { return c + d }

// told is what of a story is compared.
type told struct {
	Words string
	Sum   count
	Note  string
}

func tell(s story) told { return told{strings.Join(s.Words.Items(), " "), s.Sum.Get(), s.Note.Get()} }

// graph is a compiled graph of stories.
type graph = flow.Graph[story, *story]

// plan says what a case's graph does. The zero plan is a line of a, b and c over the bench's store, each of which adds
// its name to the words and 1 to the sum.
type plan struct {
	store  store.Store                // nil = the bench's
	log    func(*checkpoint.Config)   // changes the log's config
	over   *checkpoint.Log            // use this process
	flow   flow.Config[story]         // but for the log
	beside bool                       // a, then b and c side by side, then d
	nodes  string                     // names of a line; "" = a b c
	do     map[string]func() error    // before a node's work; an error fails the node
	ask    map[string]state.Question  // put by a node before its work
	tune   func(*flow.Node[story])    // changes nodes
	write  func(s *story, node string) // instead of the words and the sum
}

var errBoom = errors.New("boom")

// fails makes a node fail.
func fails(nodes ...string) map[string]func() error {
	do := map[string]func() error{}
	for _, n := range nodes {
		do[n] = func() error { return errBoom }
	}
	return do
}

// graph starts a process with the plan's graph.
func (b *bench) graph(p plan) *graph {
	b.Helper()
	if p.over == nil {
		s := p.store
		if s == nil {
			s = b.store
		}
		c := b.config(s)
		if p.log != nil {
			p.log(&c)
		}
		p.over = b.log(c)
	}
	p.flow.Log = p.over
	g, err := p.builder().Compile(b.Context(), p.flow)
	if err != nil {
		b.Fatalf("Compile: %v", err)
	}
	return g
}

func (p plan) builder() *flow.Builder[story, *story] {
	g := flow.NewBuilder[story]("suite")
	if p.nodes == "" {
		p.nodes = "a b c"
	}
	if p.beside {
		p.nodes = "a b c d"
	}
	names := strings.Fields(p.nodes)
	for _, n := range names {
		node := flow.Node[story]{Name: n, Run: p.work(n)}
		if p.tune != nil {
			p.tune(&node)
		}
		g.AddNode(node)
	}
	if p.beside {
		for _, e := range [][2]string{{flow.Start, "a"}, {"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", flow.End}} {
			g.AddEdge(e[0], e[1])
		}
		return g
	}
	for i, n := range append([]string{flow.Start}, names...) {
		g.AddEdge(n, append(names, flow.End)[i])
	}
	return g
}

func (p plan) work(name string) flow.NodeFunc[story] {
	return func(ctx context.Context, s story) (story, error) {
		if do := p.do[name]; do != nil {
			if err := do(); err != nil {
				return s, err
			}
		}
		if q, ok := p.ask[name]; ok {
			a, err := state.AskPerson(ctx, q)
			if err != nil {
				return s, err
			}
			s.Words.Add(string(a.Choice))
		}
		if p.write != nil {
			p.write(&s, name)
			return s, nil
		}
		s.Words.Add(name)
		s.Sum.Add(1)
		return s, nil
	}
}

// noted is an input that sets the note.
func noted(text string) story { return story{Note: field.Of(text)} }

// turns runs whole turns t1, t2, ... on a thread, each with its id as the note.
func (b *bench) turns(g *graph, th state.Thread, ids ...string) {
	b.Helper()
	for _, id := range ids {
		if _, err := g.Invoke(b.Context(), th, id, noted(id)); err != nil {
			b.Fatalf("turn %s: %v", id, err)
		}
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
func (b *bench) later() { b.clock.add(2 * lease) }

// state reads a thread, which must be readable.
func (b *bench) state(g *graph, th state.Thread, at int64) flow.Snapshot[story] {
	b.Helper()
	s, err := g.State(b.Context(), th, at)
	if err != nil {
		b.Fatalf("State of %s at %d: %v", th.ID, at, err)
	}
	return s
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
