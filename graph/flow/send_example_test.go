package flow_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Research is what is to be looked up, where, and what was found.
type Research struct {
	Web   field.Append[string]
	DB    field.Append[string]
	Found field.Append[string]
}

// Fields lists the fields.
func (r *Research) Fields() []field.Named {
	return []field.Named{{Name: "web", Field: &r.Web}, {Name: "db", Field: &r.DB}, {Name: "found", Field: &r.Found}}
}

// LangGraph sends tasks to different nodes, each with an input of its own: [Send("web", q1), Send("web", q2), Send("db", q3)]. Here
// a node puts the tasks of each kind into a list of the state and goes to all kinds at once; the node of a kind works
// through its list. All are tasks of their own, side by side, and what comes behind waits for them.
func Example_sendToDifferentNodes() {
	lookUp := func(name string, tasks func(Research) []string) flow.Node[Research] {
		return flow.Node[Research]{
			Name:  name,
			Items: func(r Research) int { return len(tasks(r)) },
			Run: func(ctx context.Context, r Research) (Research, error) {
				r.Found.Add(name + ": " + tasks(r)[flow.At(ctx).Item-1])
				return r, nil
			},
		}
	}
	b := flow.NewBuilder[Research]("research")
	b.AddNode(flow.Node[Research]{Name: "router", Goto: []string{"web", "db"}, Run: func(ctx context.Context, r Research) (Research, error) {
		r.Web.Add("weather", "trains", "hotels")
		r.DB.Add("orders", "invoices")
		return flow.Goto(ctx, r, "web", "db")
	}})
	b.AddNode(lookUp("web", func(r Research) []string { return r.Web.Items() }))
	b.AddNode(lookUp("db", func(r Research) []string { return r.DB.Items() }))
	b.AddNode(flow.Node[Research]{Name: "join", Run: func(_ context.Context, r Research) (Research, error) {
		fmt.Println(r.Found.Len(), "found:", r.Found.Items())
		return r, nil
	}})
	b.AddEdge(flow.Start, "router")
	b.AddEdge("web", "join")
	b.AddEdge("db", "join")
	b.AddEdge("join", flow.End)

	log := newExampleLog()
	g, err := b.Compile(context.Background(), flow.Config[Research]{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = g.Invoke(context.Background(), state.Thread{Client: "acme", ID: "trip"}, "t1", Research{})
	fmt.Println(err, log.Close())
	// Output:
	// 5 found: [web: weather web: trains web: hotels db: orders db: invoices]
	// <nil> <nil>
}
