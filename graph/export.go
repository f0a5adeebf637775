package graph

import (
	"context"
	"encoding/json"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/state"
)

// Export returns the graph as a node of a host's eino graph, with a Request as input and a Reply as output, and the options to add it with:
//
//	node, opts := g.Export()
//	err := host.AddGraphNode("memory", node, opts...)
//
// Each call returns a node of its own; one graph may have several, of one Graph or of many. A turn that has to ask a person interrupts the
// host's graph as compose.StatefulInterrupt does, so the host needs a checkpoint store. The interrupt's Info is []Question. The host resumes
// with compose.ResumeWithData and a state.Answer for all questions, or a map[string]state.Answer by their ids. The turn itself is in
// the log of the Graph, the host's checkpoint only says which session it is of: a host that resumes twice gets the same Reply twice.
func (g *Graph) Export() (compose.AnyGraph, []compose.GraphAddNodeOpt) {
	chain := compose.NewChain[Request, Reply]().AppendLambda(compose.InvokableLambda(g.serveNode), compose.WithNodeName("turn"))
	return chain, []compose.GraphAddNodeOpt{compose.WithNodeName("mneme")}
}

// serveNode runs a turn as a node of a host's graph, or goes on with one.
func (g *Graph) serveNode(ctx context.Context, req Request) (Reply, error) {
	was, _, saved := compose.GetInterruptState[string](ctx)
	var reply Reply
	var err error
	if was {
		target, _, data := compose.GetResumeContext[any](ctx)
		reply, err = g.goOnForHost(ctx, saved, target, data)
	} else {
		reply, err = g.Invoke(ctx, req)
		saved = turnForHost(req.scope(), reply)
	}
	if err != nil || len(reply.Waits) == 0 {
		return reply, err
	}
	return Reply{}, compose.StatefulInterrupt(ctx, reply.Waits, saved)
}

// heldTurn is what a host's checkpoint keeps of a turn that waits, as JSON: eino writes a string without knowing more types.
type heldTurn struct {
	Scope state.Scope `json:"scope"`
	Turn  string      `json:"turn"`
}

func turnForHost(scope state.Scope, r Reply) string {
	text, err := json.Marshal(heldTurn{scope, r.Turn})
	if err != nil { // strings only
		panic(err)
	}
	return string(text)
}

// heldForHost returns what turnForHost wrote; of another text it has no Turn.
func heldForHost(saved string) (held heldTurn) {
	if json.Unmarshal([]byte(saved), &held) != nil {
		return heldTurn{}
	}
	return held
}

// goOnForHost goes on with a turn that a host's checkpoint waits for. A host that resumes something else gets its questions again.
func (g *Graph) goOnForHost(ctx context.Context, saved string, target bool, data any) (Reply, error) {
	held := heldForHost(saved)
	if held.Turn == "" {
		return Reply{}, state.Errorf(state.Internal, "checkpoint of the host", "names no turn of a session")
	}
	asked, err := g.Waits(ctx, held.Scope)
	if err != nil {
		return Reply{}, err
	}
	answers, err := answersOf(asked, data)
	switch {
	case err != nil:
		return Reply{}, err
	case !target && len(asked) > 0:
		return Reply{Turn: held.Turn, Waits: asked}, nil
	}
	return g.Answer(ctx, held.Scope, answers)
}

// answersOf returns the answers that a host resumes with.
func answersOf(asked []Question, data any) (map[string]state.Answer, error) {
	switch data := data.(type) {
	case map[string]state.Answer:
		return data, nil
	case state.Answer:
		answers := map[string]state.Answer{}
		for _, q := range asked {
			answers[q.ID] = data
		}
		return answers, nil
	case state.Choice:
		return answersOf(asked, state.Answer{Choice: data})
	case string:
		return answersOf(asked, state.Choice(data))
	case nil:
		return nil, nil
	}
	return nil, state.Errorf(state.Invalid, "answer", "is a %T; resume with a state.Answer, a state.Choice, or a map[string]state.Answer by the ids of the questions", data)
}
