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
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Nodes is how many nodes a run visits.
const Nodes = 6

// messageLength is what an average message of a conversation has, in characters.
const messageLength = 230

// perTurn is how many messages a turn leaves: a question, four tool calls with their results, an answer.
const perTurn = 10

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

// New builds the graph over a log; nil = nothing is kept.
func New(ctx context.Context, log *checkpoint.Log) (*flow.Graph[State, *State], error) {
	b := flow.NewBuilder[State]("six")
	from := flow.Start
	for i := range Nodes {
		name := "n" + strconv.Itoa(i+1)
		b.AddNode(flow.Node[State]{Name: name, Run: func(_ context.Context, s State) (State, error) {
			s.Count.Add(1)
			return s, nil
		}})
		b.AddEdge(from, name)
		from = name
	}
	b.AddEdge(from, flow.End)
	return b.Compile(ctx, flow.Config[State]{Log: log})
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
	Store    store.Store      // where the log is kept; nil = no log
	Messages int              // how many messages earlier turns have left, ten each
	Now      func() time.Time // required: the clock of the log
	NewID    func() string    // required: unique ids
}

// Yardstick runs turns of the graph, each on a thread of the same history. Not safe for concurrent use.
type Yardstick struct {
	config  Config
	graph   *flow.Graph[State, *State]
	history []store.Doc // the steps of a thread before the turn
	turns   int         // that the history holds
	thread  state.Thread
}

// Open builds the graph and the history that every thread gets.
func Open(ctx context.Context, c Config) (*Yardstick, error) {
	y := &Yardstick{config: c}
	var log *checkpoint.Log
	if c.Store != nil {
		log = checkpoint.New(checkpoint.Config{Store: c.Store, Now: c.Now, NewID: c.NewID})
		if err := y.remember(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	y.graph, err = New(ctx, log)
	return y, err
}

// remember plays the earlier turns on a store of its own.
func (y *Yardstick) remember(ctx context.Context) error {
	scratch := ram.New()
	g, err := New(ctx, checkpoint.New(checkpoint.Config{Store: scratch, Now: y.config.Now, NewID: y.config.NewID}))
	if err != nil {
		return err
	}
	model := modelThread()
	for left := y.config.Messages; left > 0; left -= perTurn {
		var input State
		for i := range min(left, perTurn) {
			input.Messages.Add(strings.Repeat(string(rune('a'+(left+i)%26)), messageLength))
		}
		if _, err := g.Invoke(ctx, model, y.config.NewID(), input); err != nil {
			return err
		}
		y.turns++
	}
	y.history, err = scratch.Scan(ctx, store.Query{Collection: state.Steps, Prefix: model.StepPrefix()})
	return err
}

func modelThread() state.Thread { return state.Thread{Client: "bench", ID: "model"} }

// Prepare makes a thread with its history for the next Turn. It is not part of what is measured.
func (y *Yardstick) Prepare(ctx context.Context) error {
	y.thread = state.Thread{Client: "bench", ID: y.config.NewID()}
	docs := make([]store.Doc, 0, len(y.history))
	for _, d := range y.history {
		docs = append(docs, store.Doc{Collection: state.Steps, ID: y.thread.StepPrefix() + d.ID[len(modelThread().StepPrefix()):], Body: d.Body})
	}
	if len(docs) == 0 {
		return nil
	}
	return y.config.Store.Write(ctx, docs...)
}

// Turn runs one turn on the prepared thread.
func (y *Yardstick) Turn(ctx context.Context) error {
	s, err := y.graph.Invoke(ctx, y.thread, "t", State{})
	if err != nil {
		return err
	}
	want := Nodes * (y.turns + 1)
	if y.config.Store != nil && (int(s.Count.Get()) != want || s.Messages.Len() != y.config.Messages) {
		return state.Errorf(state.Internal, "six nodes", "counted %d of %d, with %d messages of %d",
			s.Count.Get(), want, s.Messages.Len(), y.config.Messages)
	}
	return nil
}
