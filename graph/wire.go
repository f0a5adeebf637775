package graph

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// wire builds the pipeline. It is the only place that knows the order of the nodes and where a turn commits:
// after intake, after each step of respond, at the end. What rides goes with the next commit.
func wire(ctx context.Context, c Config, m *memory.Memory, log *checkpoint.Log) (*flow.Graph[state.Turn, *state.Turn], error) {
	respond := nodes.RespondConfig{
		Memory: m, Model: c.Model, Tools: append(tools.New(m), c.Tools...), System: c.Identity, Now: c.Now, Commit: flow.Commit[state.Turn],
		Approve: approval(c),
	}
	b := flow.NewBuilder[state.Turn]("mneme")
	add := func(name string, run nodes.Func, n flow.Node[state.Turn]) {
		n.Name, n.Run = name, announced(name, run)
		b.AddNode(n)
	}
	add(nodes.IntakeName, nodes.Intake(m), flow.Node[state.Turn]{})
	add(nodes.MemoryLoadName, nodes.MemoryLoad(m), flow.Node[state.Turn]{Volatile: true})
	add(nodes.ContextDetectName, nodes.ContextDetect(m, flow.Commit[state.Turn]), flow.Node[state.Turn]{Rides: true})
	add(nodes.RespondName, nodes.Respond(respond), flow.Node[state.Turn]{Rides: true})
	add(nodes.MemoryFlushName, nodes.MemoryFlush(m), flow.Node[state.Turn]{Rides: true})
	add(nodes.FinalizeName, nodes.Finalize(c.Logger), flow.Node[state.Turn]{Rides: true})

	b.AddEdge(flow.Start, nodes.IntakeName)
	b.AddEdge(nodes.IntakeName, nodes.MemoryLoadName)
	b.AddEdge(nodes.MemoryLoadName, nodes.ContextDetectName)
	b.AddEdge(nodes.ContextDetectName, nodes.RespondName)
	b.AddEdge(nodes.RespondName, nodes.MemoryFlushName)
	b.AddEdge(nodes.MemoryFlushName, nodes.FinalizeName)
	b.AddEdge(nodes.FinalizeName, flow.End)
	return b.Compile(ctx, flow.Config[state.Turn]{Log: log, Forgets: true, Durability: flow.Durability(c.Settings.Durability), Now: c.Now})
}

// approval tells which calls a person has to approve: those the host named, and what writes memory when the agent may
// only suggest.
func approval(c Config) func(tool string) bool {
	return func(tool string) bool {
		return slices.Contains(c.Approve, tool) || c.Settings.Autonomy == 1 && tools.Writes(tool)
	}
}

// announced tells listeners when a node begins and ends.
func announced(name string, node nodes.Func) flow.NodeFunc[state.Turn] {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		state.Emit(ctx, state.Event{Name: state.NodeStart, Node: name})
		t, err := node(ctx, t)
		state.Emit(ctx, state.Event{Name: state.NodeEnd, Node: name})
		return t, err
	}
}
