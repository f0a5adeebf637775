package graph

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// wire builds the pipeline. It is the only place that knows the order of the nodes and where a turn commits:
// after intake, after each step of respond, at the end. What rides goes with the next commit.
func wire(ctx context.Context, c Config, m *memory.Memory, log *checkpoint.Log, work *nodes.Calls, models agentModels) (*flow.Graph[state.Turn, *state.Turn], error) {
	commit := nodes.KeepAccountInside(flow.Commit[state.Turn])
	respond := nodes.RespondConfig{
		Memory: m, Model: c.Model, ModelOf: models.chat, Tools: append(tools.New(m), c.Tools...), System: c.Identity, Agents: c.Agents, Now: c.Now, Commit: commit,
		Approve: askApproval(c, m), Logger: c.Logger, Calls: work,
	}
	b := flow.NewBuilder[state.Turn]("mneme")
	add := func(name string, run nodes.Func, n flow.Node[state.Turn]) {
		if !n.Volatile { // its patch is not kept: the node after it has what happened
			run = nodes.KeepAccount(run)
		}
		n.Name, n.Run = name, announceNode(name, run)
		b.AddNode(n)
	}

	// The nodes.
	add(nodes.IntakeName, nodes.Intake(m), flow.Node[state.Turn]{})
	add(nodes.MemoryLoadName, nodes.MemoryLoad(m), flow.Node[state.Turn]{Volatile: true})
	add(nodes.ContextDetectName, nodes.ContextDetect(m, commit), flow.Node[state.Turn]{Rides: true})
	add(nodes.RespondName, nodes.Respond(respond), flow.Node[state.Turn]{Rides: true})
	add(nodes.MemoryFlushName, nodes.MemoryFlush(m), flow.Node[state.Turn]{Rides: true})
	add(nodes.FinalizeName, nodes.Finalize(), flow.Node[state.Turn]{Rides: true})

	// One after the other.
	b.AddEdge(flow.Start, nodes.IntakeName)
	b.AddEdge(nodes.IntakeName, nodes.MemoryLoadName)
	b.AddEdge(nodes.MemoryLoadName, nodes.ContextDetectName)
	b.AddEdge(nodes.ContextDetectName, nodes.RespondName)
	b.AddEdge(nodes.RespondName, nodes.MemoryFlushName)
	b.AddEdge(nodes.MemoryFlushName, nodes.FinalizeName)
	b.AddEdge(nodes.FinalizeName, flow.End)
	return b.Compile(ctx, flow.Config[state.Turn]{
		Log: log, Forgets: true, Durability: flow.Durability(c.Settings.Durability), Now: c.Now, Logger: c.Logger, Show: showTurn(m),
	})
}

// Exchange is what callback handlers get as input and output of the graph and of its nodes. Secrets are masked.
type Exchange struct {
	Scope    state.Scope `json:"scope"`
	Turn     string      `json:"turn"`
	Message  string      `json:"message,omitempty"` // id of the question, once it is kept
	Decision state.Kind  `json:"decision,omitempty"`
	Affair   string      `json:"affair,omitempty"`   // id of the one that the decision names
	Question string      `json:"question,omitempty"` // left out before intake when it is long
	Answer   string      `json:"answer,omitempty"`   // once it is there
}

// OmitTexts returns what telemetry.OmitTexts tells of it: whose turn it is, and what was decided.
func (e Exchange) OmitTexts() any {
	e.Question, e.Answer = "", ""
	return e
}

// longQuestion is how many bytes a question may have to be masked for handlers before intake does it.
const longQuestion = 8 << 10

// showTurn makes of a turn what handlers get.
func showTurn(m *memory.Memory) func(state.Turn) any {
	return func(t state.Turn) any {
		d := t.Decision.Get()
		e := Exchange{Scope: t.Input.Get().Scope, Turn: t.Input.Get().Turn, Decision: d.Kind, Affair: d.AffairID}
		for _, msg := range t.View.Get().Turn {
			switch {
			case msg.Role == state.RoleUser && msg.Seq > 0:
				e.Message, e.Question = msg.ID, msg.Text
			case msg.Role == state.RoleUser && len(msg.Text) <= longQuestion:
				e.Question = m.Mask(msg.Text)
			case msg.Role == state.RoleAssistant && len(msg.ToolCalls) == 0:
				e.Answer = msg.Text
			}
		}
		return e
	}
}

// askApproval tells which calls a person has to approve: those the host named, and what writes memory when the agent may
// only suggest. What the user orders in his message is carried out as he says it, unless the host named the tool.
func askApproval(c Config, m *memory.Memory) func(ctx context.Context, agent, tool, arguments string) bool {
	return func(ctx context.Context, agent, tool, arguments string) bool {
		set := settings.From(ctx)
		if set == nil {
			set = m.Settings().Known(state.Scope{})
		}
		origin, _ := memory.OriginFrom(ctx)
		autonomy := state.AutonomyOf(c.Agents, agent, set.Autonomy)
		return slices.Contains(c.Approve, tool) || autonomy == 1 && !origin.Ordered && tools.Writes(tool, arguments)
	}
}

// announceNode tells listeners when a node begins and ends.
func announceNode(name string, node nodes.Func) flow.NodeFunc[state.Turn] {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		state.Emit(ctx, state.Event{Name: state.NodeStart, Node: name})
		t, err := node(ctx, t)
		state.Emit(ctx, state.Event{Name: state.NodeEnd, Node: name})
		return t, err
	}
}
