package flow_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Order is the state of the example's graph.
type Order struct {
	Item  field.Last[string]
	Notes field.Append[string]
}

// Fields lists the fields under their names in the log.
func (o *Order) Fields() []field.Named {
	return []field.Named{{Name: "item", Field: &o.Item}, {Name: "notes", Field: &o.Notes}}
}

// Three nodes; the second fails at first. Resume runs it again, and not the one before it.
func Example() {
	ctx := context.Background()
	n := 0
	log := checkpoint.New(checkpoint.Config{
		Store: ram.New(),
		Now:   time.Now,
		NewID: func() string { n++; return fmt.Sprint("attempt", n) },
	})
	down := true
	b := flow.NewBuilder[Order]("order")
	b.AddNode(flow.Node[Order]{Name: "take", Run: func(_ context.Context, o Order) (Order, error) {
		fmt.Println("take", o.Item.Get())
		o.Notes.Add("taken")
		return o, nil
	}})
	b.AddNode(flow.Node[Order]{Name: "pay", Run: func(_ context.Context, o Order) (Order, error) {
		if down {
			return o, errors.New("the bank does not answer")
		}
		fmt.Println("pay")
		o.Notes.Add("paid")
		return o, nil
	}})
	b.AddNode(flow.Node[Order]{Name: "ship", Run: func(_ context.Context, o Order) (Order, error) {
		fmt.Println("ship", o.Item.Get())
		o.Notes.Add("shipped")
		return o, nil
	}})
	b.AddEdge(flow.Start, "take")
	b.AddEdge("take", "pay")
	b.AddEdge("pay", "ship")
	b.AddEdge("ship", flow.End)
	g, err := b.Compile(ctx, flow.Config[Order]{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}

	thread := state.Thread{Client: "acme", ID: "order-17"}
	_, err = g.Invoke(ctx, thread, "t1", Order{Item: field.Of("wheel")})
	fmt.Println("error:", err)

	down = false // an hour later, perhaps in another process
	done, err := g.Resume(ctx, thread, nil)
	fmt.Println(done.Notes.Items(), err)
	// Output:
	// take wheel
	// error: the bank does not answer
	// pay
	// ship wheel
	// [taken paid shipped] <nil>
}
