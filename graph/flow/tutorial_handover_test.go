package flow_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Talk is what agents say to each other and to the customer.
type Talk struct{ Said field.Append[string] }

// Fields lists the fields.
func (t *Talk) Fields() []field.Named {
	return []field.Named{{Name: "said", Field: &t.Said}}
}

// agent answers by its model, which may hand the customer over: "-> sales".
func agent(name string, model func(said []string) string, others ...string) flow.Node[Talk] {
	return flow.Node[Talk]{Name: name, Goto: append(others, flow.End), Run: func(ctx context.Context, t Talk) (Talk, error) {
		answer := model(t.Said.Items())
		t.Said.Add(name + ": " + answer)
		if to, ok := strings.CutPrefix(answer, "-> "); ok {
			return flow.Goto(ctx, t, to)
		}
		return flow.Goto(ctx, t, flow.End)
	}}
}

// handedOver lets three agents pass a customer on until one can help.
func handedOver(ctx context.Context, log *checkpoint.Log) (string, error) {
	b := flow.NewBuilder[Talk]("desk")
	b.AddNode(agent("desk", func(said []string) string {
		if strings.Contains(said[len(said)-1], "broken") {
			return "-> repairs"
		}
		return "-> sales"
	}, "sales", "repairs"))
	b.AddNode(agent("sales", func([]string) string { return "the blue one is 20" }, "desk", "repairs"))
	b.AddNode(agent("repairs", func(said []string) string {
		if len(said) < 4 {
			return "-> sales"
		}
		return "bring it on Monday"
	}, "desk", "sales"))
	b.AddEdge(flow.Start, "desk")
	g, err := b.Compile(ctx, flow.Config[Talk]{Log: log})
	if err != nil {
		return "", err
	}
	var input Talk
	input.Said.Add("my kettle is broken, what is a new one?")
	end, err := g.Invoke(ctx, state.Thread{Client: "acme", ID: "desk"}, "t1", input)
	return strings.Join(end.Said.Items()[1:], "; "), err
}

func Example_handOver() {
	fmt.Println(handedOver(context.Background(), newExampleLog()))
	// Output: desk: -> repairs; repairs: -> sales; sales: the blue one is 20 <nil>
}
