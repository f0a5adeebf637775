package flow_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// gated is a store whose writes wait, from a certain one on, until they are let through or refused.
type gated struct {
	*ram.Store
	mu     sync.Mutex
	writes int
	from   int
	begun  chan int   // the number of a write that waits
	let    chan error // what becomes of it
}

func newGated(from int) *gated {
	return &gated{Store: ram.New(), from: from, begun: make(chan int, 100), let: make(chan error, 100)}
}

func (g *gated) Write(ctx context.Context, docs ...store.Doc) error {
	g.mu.Lock()
	g.writes++
	n := g.writes
	g.mu.Unlock()
	if n < g.from {
		return g.Store.Write(ctx, docs...)
	}
	g.begun <- n
	if err := <-g.let; err != nil {
		return err
	}
	return g.Store.Write(ctx, docs...)
}

func (g *gated) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writes
}

var errDown = state.Errorf(state.Unavailable, "store call", "is down")

// stored is how many steps a thread has.
func stored(t *testing.T, s store.Store) int {
	t.Helper()
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Steps, Prefix: thread("x").StepPrefix()})
	wantErr(t, "Scan", err, nil)
	return len(docs)
}

// With Async the next node runs while a commit is under way; the turn does not end before all are done, in order.
func TestAsync(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"graph", "run", "node"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var did tally
			s := newGated(1)
			reached := make(chan struct{})
			last := mark(&did, "c")
			run := last.Run
			last.Run = func(ctx context.Context, s trip) (trip, error) { close(reached); return run(ctx, s) }
			nodes := []flow.Node[trip]{mark(&did, "a"), mark(&did, "b"), last}
			c, ctx := flow.Config[trip]{Log: newLog(s)}, t.Context()
			switch how {
			case "graph":
				c.Durability = flow.Async
			case "run":
				ctx = flow.ContextWithDurability(ctx, flow.Async)
			case "node":
				nodes[0].Durability, nodes[1].Durability = flow.Async, flow.Async
			}
			g := compile(t, chain(nodes...), c)
			done := make(chan error, 1)
			go func() { _, err := g.Invoke(ctx, thread("x"), "t1", trip{}); done <- err }()
			<-reached // while the first write waits
			same(t, "steps", 0, stored(t, s.Store))
			select {
			case err := <-done:
				t.Fatalf("the turn ended before its commits: %v", err)
			default:
			}
			for n := 1; n <= 3; n++ {
				same(t, "write", n, <-s.begun)
				s.let <- nil
			}
			wantErr(t, "Invoke", <-done, nil)
			same(t, "state", seen{[]string{"a", "b", "c"}, 3, ""}, at(t, compile(t, line(&did), flow.Config[trip]{Log: newLog(s.Store)}), "x", 0))
		})
	}
}

// A save in the background that fails ends the turn with its error, and what had been saved is gone on with.
func TestAsyncFails(t *testing.T) {
	t.Parallel()
	var did tally
	s := newGated(2)
	hold := mark(&did, "c")
	run := hold.Run
	hold.Run = func(ctx context.Context, st trip) (trip, error) {
		if did.all()["c"] == 0 {
			<-s.begun
			s.let <- errDown
		}
		return run(ctx, st)
	}
	nodes := chain(mark(&did, "a"), mark(&did, "b"), hold, mark(&did, "d"))
	g := compile(t, nodes, flow.Config[trip]{Log: newLog(s), Durability: flow.Async})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrUnavailable)
	wantErr(t, "Invoke", err, errDown)
	same(t, "steps", 1, stored(t, s.Store))
	end, err := compile(t, nodes, flow.Config[trip]{Log: newLog(s.Store)}).Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "state", seen{[]string{"a", "b", "c", "d"}, 4, ""}, view(end))
	if n := did.all()["a"]; n != 1 {
		t.Errorf("a ran %d times", n)
	}
}

// Settle waits for the commits under way: whoever reads memory in a node sees what the turn has written.
func TestAsyncSettles(t *testing.T) {
	t.Parallel()
	var did tally
	s := newGated(1)
	settled := make(chan struct{})
	g := compile(t, chain(mark(&did, "a"), flow.Node[trip]{Name: "b", Run: func(ctx context.Context, st trip) (trip, error) {
		go func() { <-s.begun; s.let <- nil }()
		if err := state.EffectsFrom(ctx).Settle(); err != nil {
			return st, err
		}
		if stored(t, s.Store) != 1 {
			return st, errors.New("the step of a is not stored")
		}
		close(settled)
		return st, nil
	}}), flow.Config[trip]{Log: newLog(s), Durability: flow.Async})
	done := make(chan error, 1)
	go func() { _, err := g.Invoke(t.Context(), thread("x"), "t1", trip{}); done <- err }()
	select {
	case <-settled:
	case err := <-done:
		t.Fatalf("the turn ended: %v", err)
	}
	<-s.begun
	s.let <- nil
	wantErr(t, "Invoke", <-done, nil)
}

// With Exit a turn is one commit; a failure commits what was done, and effects are committed at once.
func TestExit(t *testing.T) {
	t.Parallel()
	exit := func(n flow.Node[trip]) flow.Node[trip] { n.Durability = flow.Exit; return n }
	paying := func(n flow.Node[trip]) flow.Node[trip] {
		run := n.Run
		n.Run = func(ctx context.Context, s trip) (trip, error) { pay(ctx, n.Name); return run(ctx, s) }
		return n
	}
	for _, tt := range []struct {
		name   string
		nodes  func(did *tally) *builder
		config flow.Config[trip]
		writes int // of the turn, until it ended or failed
		fails  bool
		runs   map[string]int // after Resume
	}{
		{"the graph", func(d *tally) *builder { return chain(mark(d, "a"), mark(d, "b"), mark(d, "c")) }, flow.Config[trip]{Durability: flow.Exit}, 1, false, map[string]int{"a": 1, "b": 1, "c": 1}},
		{"two nodes", func(d *tally) *builder { return chain(exit(mark(d, "a")), exit(mark(d, "b")), mark(d, "c")) }, flow.Config[trip]{}, 1, false, map[string]int{"a": 1, "b": 1, "c": 1}},
		{"a failure", func(d *tally) *builder { return chain(mark(d, "a"), mark(d, "b"), failing(d, "c", 1)) }, flow.Config[trip]{Durability: flow.Exit}, 1, true, map[string]int{"a": 1, "b": 1, "c": 2}},
		{"a failure behind such a node", func(d *tally) *builder { return chain(exit(mark(d, "a")), failing(d, "b", 1), mark(d, "c")) }, flow.Config[trip]{}, 1, true, map[string]int{"a": 1, "b": 2, "c": 1}},
		{"a failure at once", func(d *tally) *builder { return chain(failing(d, "a", 1), mark(d, "b"), mark(d, "c")) }, flow.Config[trip]{Durability: flow.Exit}, 0, true, map[string]int{"a": 2, "b": 1, "c": 1}},
		{"effects", func(d *tally) *builder { return chain(mark(d, "a"), paying(mark(d, "b")), mark(d, "c")) }, flow.Config[trip]{Durability: flow.Exit}, 2, false, map[string]int{"a": 1, "b": 1, "c": 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			s := newGated(1000)
			tt.config.Log = newLog(s)
			_, err := compile(t, tt.nodes(&did), tt.config).Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("hi")})
			if (err != nil) != tt.fails {
				t.Fatalf("Invoke = %v", err)
			}
			same(t, "writes", tt.writes, s.count())
			tt.config.Log = newLog(s)
			got, err := resumeInner(t.Context(), compile(t, tt.nodes(&did), tt.config), trip{Note: field.Of("hi")})
			wantErr(t, "going on", err, nil)
			same(t, "state", seen{[]string{"a", "b", "c"}, 3, "hi"}, view(got))
			same(t, "runs", tt.runs, did.all())
		})
	}
}

// A question makes everything durable, whatever the durability.
func TestExitAsks(t *testing.T) {
	t.Parallel()
	for _, d := range []flow.Durability{flow.Exit, flow.Async} {
		var did tally
		s := ram.New()
		nodes := func() *builder {
			return chain(mark(&did, "a"), questioning(&did, "b", state.Question{Text: "pay?"}), mark(&did, "c"))
		}
		_, err := compile(t, nodes(), flow.Config[trip]{Log: newLog(s), Durability: d}).Invoke(t.Context(), thread("x"), "t1", trip{})
		id := waiting(t, err).Asked[0].ID
		end, err := compile(t, nodes(), flow.Config[trip]{Log: newLog(s), Durability: d}).Answer(t.Context(), thread("x"), answers(id, "approve"))
		wantErr(t, "Answer", err, nil)
		same(t, "state", seen{[]string{"a", "b:approve", "c"}, 2, ""}, view(end))
		same(t, "runs", map[string]int{"a": 1, "b": 2, "c": 1}, did.all())
	}
}

func TestDurabilityOfNoKind(t *testing.T) {
	t.Parallel()
	var did tally
	_, err := line(&did).Compile(t.Context(), flow.Config[trip]{Durability: "never"})
	wantErr(t, "Compile", err, state.ErrInvalid)
	g := compile(t, line(&did), flow.Config[trip]{Log: newLog(ram.New())})
	_, err = g.Invoke(flow.ContextWithDurability(t.Context(), "never"), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrInvalid)
}
