package flow_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A queue delivers a message twice. Its id is the turn's, so what was done is not done again, and the answer is the same.
func ExampleGraph_Invoke_twice() {
	ctx := context.Background()
	n := 0
	log := checkpoint.New(checkpoint.Config{Store: ram.New(), Now: time.Now, NewID: func() string { n++; return fmt.Sprint("attempt", n) }})
	b := flow.NewBuilder[Order]("order")
	b.AddNode(flow.Node[Order]{Name: "pay", Run: func(_ context.Context, o Order) (Order, error) {
		fmt.Println("pay", o.Item.Get())
		o.Notes.Add("paid " + o.Item.Get())
		return o, nil
	}})
	b.AddEdge(flow.Start, "pay")
	b.AddEdge("pay", flow.End)
	g, err := b.Compile(ctx, flow.Config[Order]{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, message := range []struct{ id, item string }{{"queue-17", "brake pads"}, {"queue-18", "tyres"}, {"queue-17", "brake pads"}} {
		end, err := g.Invoke(ctx, state.Thread{Client: "acme", ID: "anna"}, message.id, Order{Item: field.Of(message.item)})
		fmt.Println(end.Notes.Items(), err)
	}
	// Output:
	// pay brake pads
	// [paid brake pads] <nil>
	// pay tyres
	// [paid brake pads paid tyres] <nil>
	// [paid brake pads] <nil>
}
