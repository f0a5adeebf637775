package flow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Start and End are the virtual first and last node.
const (
	Start = compose.START
	End   = compose.END
)

// State is what a graph's state type must offer: its fields, always in the same order. S is a struct of
// fields, handed around by value; what a field holds must not be changed in place.
type State[S any] interface {
	*S
	Fields() []field.Named
}

// NodeFunc does a node's work: it gets the state, changes fields of its copy and returns it as the patch.
type NodeFunc[S any] func(ctx context.Context, s S) (S, error)

// BranchFunc chooses the node to go to by the state as its node left it. It must have no effects and must
// not wait: no other node of the turn can end meanwhile.
type BranchFunc[S any] func(ctx context.Context, s S) (string, error)

// Node is one node of a graph.
type Node[S any] struct {
	Name string
	Run  NodeFunc[S]
	// Rides lets the node's result be committed with the next commit instead of one of its own: for pure
	// nodes, which may run again after a crash.
	Rides bool
	// Volatile nodes are never logged and run in every attempt: they load what others need. What they set
	// should be volatile fields, and they cannot have branches, whose decisions would not be logged.
	Volatile bool
	// Durability of this node's commits; "" = that of the run.
	Durability Durability
	// Goto are the nodes that Run may send the turn to with flow.Goto. Where it names none, only edges and branches lead on;
	// a node without these must name one.
	Goto []string
	// Items says how many items the node works through, by the state as it is entered; nil = it has no list. Run then runs
	// once for each, side by side, and finds in At(ctx).Item which it is, from 1. Each is a task of its own: committed when
	// it ends, and not done again in a resumed turn. What they leave is merged in the order of the items, and the node
	// has ended when all have. The number is logged with the first; the list itself must stand in the state, in a field
	// that no item changes.
	Items func(s S) int
	// Parallel is how many items run at the same time; 0 = Config.Parallel.
	Parallel int
	// Writes declares the fields that Run changes, by their names; nil = not said. Changing another one is state.ErrInvalid.
	// When nodes (or items) side by side set one Last, all of them must declare it, and the one that stands last in the
	// graph's order counts, whichever ends first; else the second to end fails with state.ErrConflict.
	Writes []string
	// Retry says which errors of Run let it run again at once.
	Retry Retry
	// Timeout is how long Run may take; 0 = no bound. Then its context ends, and its error is state.ErrUnavailable. A Run that
	// does not heed its context is waited for, and what it returns without an error counts.
	Timeout time.Duration
	// Idle is how long Run may be without a sign of life, as Timeout: a Commit, an event (state.Emit), an end of a node of a
	// graph that it calls.
	Idle time.Duration
	// Key names what Run's result depends on; nil or "" = it always runs. A result is kept in memory (Config.Results) under
	// the client, the node and the key, and reused in other turns and threads in place of running the node. One that asked,
	// edited memory or committed from inside is not kept, and none of a state that has fields of your own without Detach.
	Key func(s S) string
}

// Builder collects nodes and edges. All mistakes are reported by Compile. Not safe for concurrent use.
type Builder[S any, P State[S]] struct {
	name     string
	nodes    []Node[S]
	edges    map[string][]string
	branches map[string][]branch[S]
	gotos    map[string][]string
	errs     []error
}

type branch[S any] struct {
	choose  BranchFunc[S]
	targets []string
}

// NewBuilder starts a graph; the name is what tracing handlers see.
func NewBuilder[S any, P State[S]](name string) *Builder[S, P] {
	return &Builder[S, P]{name: name, edges: map[string][]string{}, branches: map[string][]branch[S]{}, gotos: map[string][]string{}}
}

// AddNode adds a node; its name must be new.
func (b *Builder[S, P]) AddNode(n Node[S]) {
	switch {
	case n.Name == "" || n.Name == Start || n.Name == End:
		b.addMistake("node %q: give it a name of its own", n.Name)
	case n.Run == nil:
		b.addMistake("node %s: has no Run", n.Name)
	case b.hasNode(n.Name):
		b.addMistake("node %s: is there twice", n.Name)
	case n.Parallel < 0 || n.Parallel > 0 && n.Items == nil:
		b.addMistake("node %s: Parallel is how many of its Items run at the same time, at least 1", n.Name)
	}
	b.nodes = append(b.nodes, n)
	if len(n.Goto) > 0 {
		b.gotos[n.Name] = n.Goto
	}
}

// AddEdge lets to run after from. A node that several nodes lead to waits for all of them that are under way: while
// another node runs, or is to run, from which a way leads to it. Branches that went elsewhere are not waited for, and in a
// graph with cycles each round is a new one. The end of the turn waits for everything.
func (b *Builder[S, P]) AddEdge(from, to string) {
	b.edges[from] = append(b.edges[from], to)
}

// AddBranch lets choose decide, when from has run, which of the targets runs next. The decision is logged
// with from's result and not taken again in a resumed turn.
func (b *Builder[S, P]) AddBranch(from string, choose BranchFunc[S], targets ...string) {
	if choose == nil || len(targets) == 0 {
		b.addMistake("branch from %s: give it a function and targets", from)
	}
	b.branches[from] = append(b.branches[from], branch[S]{choose, targets})
}

// Durability says when a commit has to be on disk.
type Durability string

// The durabilities, in LangGraph's words and without a type: they fit state.Settings.Durability too.
const (
	Sync  = "sync"  // before the next node starts; the default
	Async = "async" // while the next one runs; before the turn ends, waits for an answer, or reads memory
	Exit  = "exit"  // at the turn's end or failure; steps that edit memory are committed as with Sync
)

// Config says how a graph keeps its steps.
type Config[S any] struct {
	// Log keeps the steps; nil = nothing is kept and nothing can be resumed.
	Log *checkpoint.Log
	// Fresh makes the state a turn starts from out of the one the turn before ended with. It sets (or adds
	// to) every field that is to live on; a field merely copied over is not kept. Nil = the state lives on
	// whole, as a thread's does in LangGraph.
	Fresh func(previous S) S
	// Forgets lets each turn start from an empty state: what the turn before ended with is not even read.
	Forgets bool
	// SnapshotEvery is after how many steps a state that lives on is put into one, so that it need not be
	// rebuilt from the thread's first. Default 64.
	SnapshotEvery int
	// Durability of the commits. Default Sync; ContextWithDurability says otherwise for a run, Node.Durability
	// for a node.
	Durability Durability
	// Migrate changes steps that were written by a graph of another fingerprint as this graph needs them, for
	// example when a node or field was renamed. Nil = they are taken as they are, and refused where that fails.
	Migrate func(fingerprint string, s *checkpoint.Step) error
	// MaxSteps bounds the rounds of a turn in a graph with cycles; in a round every node that is due runs
	// once. Default 100.
	MaxSteps int
	// Parallel is how many items of a node's list run at the same time. Default 8.
	Parallel int
	// Results is how many results of nodes with a Key are kept, whatever their size; those not used for the longest time go first.
	// They are gone with the process. Default 1000.
	Results int
	// After is how retries and timeouts wait. Default time.After.
	After func(time.Duration) <-chan time.Time
	// Now is the clock by which the trace says how long nodes took. Default time.Now.
	Now func() time.Time
	// Logger gets the stacks of nodes that panic. Nil is silent.
	Logger *slog.Logger
	// Show is what callback handlers get as input and output of the graph and of its nodes, made of the state before and
	// after them. It must not wait. Nil = no content: they get the Place.
	Show func(S) any
}

// Compile checks the graph and builds it on eino: a DAG runs each node as soon as its predecessors are
// done, a graph with cycles in supersteps (Pregel). A mistake in the graph is state.ErrInvalid.
func (b *Builder[S, P]) Compile(ctx context.Context, c Config[S]) (*Graph[S, P], error) {
	if err := errors.Join(append(slices.Clone(b.errs), b.check()...)...); err != nil {
		return nil, state.Errorf(state.Invalid, "graph "+b.name, "%w", err)
	}

	// The defaults.
	if c.MaxSteps == 0 {
		c.MaxSteps = 100
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = 64
	}
	if c.Parallel < 1 {
		c.Parallel = 8
	}
	if c.Results < 1 {
		c.Results = 1000
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Durability == "" {
		c.Durability = Sync
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if err := c.Durability.check(); err != nil {
		return nil, err
	}

	// The graph, and eino's.
	g := &Graph[S, P]{name: b.name, config: c, shape: b.makeShape(), nodes: map[string]*node[S, P]{}}
	g.kept.most = c.Results
	if err := b.build(ctx, g); err != nil {
		return nil, state.Errorf(state.Invalid, "graph "+b.name, "%w", err)
	}
	return g, nil
}

func (d Durability) check() error {
	switch d {
	case "", Sync, Async, Exit:
		return nil
	}
	return state.Errorf(state.Invalid, "durability "+string(d), "is not known; choose sync, async or exit")
}

type durabilityKey struct{}

// ContextWithDurability sets the durability of the runs under the context.
func ContextWithDurability(ctx context.Context, d Durability) context.Context {
	return context.WithValue(ctx, durabilityKey{}, d)
}

func (b *Builder[S, P]) hasNode(name string) bool {
	return slices.ContainsFunc(b.nodes, func(n Node[S]) bool { return n.Name == name })
}

func (b *Builder[S, P]) addMistake(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}
