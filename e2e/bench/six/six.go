package six

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// Nodes is how many nodes a run visits.
const Nodes = 6

// messageLength is what an average message of a conversation has, in characters.
const messageLength = 230

// Count is a sum.
type Count int

// Plus adds.
func (c Count) Plus(d Count) Count { return c + d }

// State is what the graph works on: messages that only lie there, and a count that each node raises.
type State struct {
	Messages field.Append[string]
	Count    field.Reduce[Count]
}

// Fields lists the fields.
func (s *State) Fields() []field.Named {
	return []field.Named{{Name: "messages", Field: &s.Messages}, {Name: "count", Field: &s.Count}}
}

// New builds the graph over a log; nil = nothing is kept. Each node works for as long as work takes, nil = not at all.
func New(ctx context.Context, log *checkpoint.Log, mode flow.Durability, work func()) (*flow.Graph[State, *State], error) {
	b := flow.NewBuilder[State]("six")
	from := flow.Start
	for i := range Nodes {
		name := "n" + strconv.Itoa(i+1)
		b.AddNode(flow.Node[State]{Name: name, Run: func(_ context.Context, s State) (State, error) {
			if work != nil {
				work()
			}
			s.Count.Add(1)
			return s, nil
		}})
		b.AddEdge(from, name)
		from = name
	}
	b.AddEdge(from, flow.End)
	return b.Compile(ctx, flow.Config[State]{Log: log, Durability: mode})
}

// Bare builds the same graph on eino alone: what runs through it is the count.
func Bare(ctx context.Context) (compose.Runnable[int, int], error) {
	g := compose.NewGraph[int, int]()
	from := compose.START
	for i := range Nodes {
		name := "n" + strconv.Itoa(i+1)
		add := compose.InvokableLambda(func(_ context.Context, n int) (int, error) { return n + 1, nil })
		if err := g.AddLambdaNode(name, add); err != nil {
			return nil, err
		}
		if err := g.AddEdge(from, name); err != nil {
			return nil, err
		}
		from = name
	}
	if err := g.AddEdge(from, compose.END); err != nil {
		return nil, err
	}
	return g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
}

// Config says what a Yardstick measures.
type Config struct {
	Store      store.Store      // where the log is kept; nil = no log
	Messages   int              // how many messages the input has
	Durability flow.Durability  // default sync
	Work       func()           // what each node does besides; nil = nothing
	Now        func() time.Time // required: the clock of the log
	NewID      func() string    // required: unique ids
}

// Yardstick runs turns of the graph, each on a thread of its own. Not safe for concurrent use; Close it.
type Yardstick struct {
	config Config
	log    *checkpoint.Log
	graph  *flow.Graph[State, *State]
	input  State
}

// Open builds the graph and the input of every turn.
func Open(ctx context.Context, c Config) (*Yardstick, error) {
	y := &Yardstick{config: c}
	if c.Store != nil {
		y.log = checkpoint.New(checkpoint.Config{Store: c.Store, Now: c.Now, NewID: c.NewID})
	}
	for i := range c.Messages {
		y.input.Messages.Add(strings.Repeat(string(rune('a'+i%26)), messageLength))
	}
	var err error
	y.graph, err = New(ctx, y.log, c.Durability, c.Work)
	return y, err
}

// Turn runs one turn on a new thread.
func (y *Yardstick) Turn(ctx context.Context) error {
	s, err := y.graph.Invoke(ctx, state.Thread{Client: "bench", ID: y.config.NewID()}, "t", y.input)
	if err != nil {
		return err
	}
	if s.Count.Get() != Nodes || s.Messages.Len() != y.config.Messages {
		return state.Errorf(state.Internal, "six nodes", "counted %d of %d, with %d messages of %d",
			s.Count.Get(), Nodes, s.Messages.Len(), y.config.Messages)
	}
	return nil
}

// Close waits for what the log does after a turn.
func (y *Yardstick) Close() error {
	if y.log == nil {
		return nil
	}
	return y.log.Close()
}
