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
	log := newExampleLog()
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

// A node with an effect outside hands on its idempotency key: the node runs twice, the money goes out once.
func ExampleAt() {
	ctx := context.Background()
	booked := map[string]bool{}
	down := true
	b := flow.NewBuilder[Order]("order")
	b.AddNode(flow.Node[Order]{Name: "take", Run: func(_ context.Context, o Order) (Order, error) { return o, nil }})
	b.AddNode(flow.Node[Order]{Name: "pay", Run: func(ctx context.Context, o Order) (Order, error) {
		at := flow.At(ctx)
		fmt.Println(at.Turn, at.Node, at.Visit)
		booked[state.IdempotencyKey(ctx)] = true
		if down {
			return o, errors.New("the process dies before the node has ended")
		}
		return o, nil
	}})
	b.AddEdge(flow.Start, "take")
	b.AddEdge("take", "pay")
	b.AddEdge("pay", flow.End)
	g, err := b.Compile(ctx, flow.Config[Order]{Log: newExampleLog()})
	if err != nil {
		fmt.Println(err)
		return
	}
	thread := state.Thread{Client: "acme", ID: "order-17"}
	_, err = g.Invoke(ctx, thread, "t1", Order{})
	fmt.Println(err)
	down = false
	_, err = g.Resume(ctx, thread, nil)
	fmt.Println(booked, err)
	// Output:
	// t1 pay 1
	// the process dies before the node has ended
	// t1 pay 1
	// map[acme/order-17/t1/pay#1:true] <nil>
}

// A node calls a graph that asks a person. Both threads wait, the question is answered at the inner one, and the outer one
// goes on with its end.
func ExampleCall() {
	ctx, log := context.Background(), newExampleLog()
	inner := flow.NewBuilder[Order]("approval")
	inner.AddNode(flow.Node[Order]{Name: "confirm", Run: func(ctx context.Context, o Order) (Order, error) {
		answer, err := state.AskPerson(ctx, state.Question{Text: "Pay for the " + o.Item.Get() + "?"})
		o.Notes.Add(string(answer.Choice))
		return o, err
	}})
	inner.AddEdge(flow.Start, "confirm")
	inner.AddEdge("confirm", flow.End)
	approval, err := inner.Compile(ctx, flow.Config[Order]{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	outer := flow.NewBuilder[Order]("order")
	outer.AddNode(flow.Node[Order]{Name: "pay", Run: func(ctx context.Context, o Order) (Order, error) {
		end, err := flow.Call(ctx, approval, "approval", Order{Item: field.Of(o.Item.Get())})
		o.Notes.Add(end.Notes.Items()...)
		return o, err
	}})
	outer.AddEdge(flow.Start, "pay")
	outer.AddEdge("pay", flow.End)
	order, err := outer.Compile(ctx, flow.Config[Order]{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}

	thread := state.Thread{Client: "acme", ID: "order-17"}
	_, err = order.Invoke(ctx, thread, "t1", Order{Item: field.Of("wheel")})
	var waits *flow.WaitingError
	if !errors.As(err, &waits) {
		fmt.Println(err)
		return
	}
	asked := waits.Asked[0]
	fmt.Println(asked.Thread, "asks:", asked.Question.Text)

	yes := map[string]state.Answer{asked.ID: {Choice: state.Approve}}
	_, err = approval.Answer(ctx, state.Thread{Client: "acme", ID: asked.Thread}, yes) // or order.Answer(ctx, thread, yes)
	fmt.Println("error:", err)
	done, err := order.Resume(ctx, thread, nil)
	fmt.Println(done.Notes.Items(), err)
	// Output:
	// order-17/approval asks: Pay for the wheel?
	// error: <nil>
	// [approve] <nil>
}

// newExampleLog keeps what the examples do in memory.
func newExampleLog() *checkpoint.Log {
	n := 0
	return checkpoint.New(checkpoint.Config{Store: ram.New(), Now: time.Now, NewID: func() string { n++; return fmt.Sprint("attempt", n) }})
}
