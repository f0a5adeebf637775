package flow_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Jokes are some topics, a joke on each, and the best of them.
type Jokes struct {
	Topics field.Append[string]
	All    field.Append[string]
	Best   field.Last[string]
}

// Fields lists the fields.
func (j *Jokes) Fields() []field.Named {
	return []field.Named{{Name: "topics", Field: &j.Topics}, {Name: "all", Field: &j.All}, {Name: "best", Field: &j.Best}}
}

// mapReduced makes a list of topics, a joke on each, side by side, and chooses one.
func mapReduced(ctx context.Context, log *checkpoint.Log) (string, error) {
	b := flow.NewBuilder[Jokes]("jokes")
	b.AddNode(flow.Node[Jokes]{Name: "topics", Run: func(_ context.Context, j Jokes) (Jokes, error) {
		j.Topics.Add("lions", "elephants", "penguins")
		return j, nil
	}})
	b.AddNode(flow.Node[Jokes]{
		Name:  "joke",
		Items: func(j Jokes) int { return j.Topics.Len() },
		Run: func(ctx context.Context, j Jokes) (Jokes, error) {
			j.All.Add("Why do " + j.Topics.Items()[flow.At(ctx).Item-1] + " queue?")
			return j, nil
		},
	})
	b.AddNode(flow.Node[Jokes]{Name: "best", Run: func(_ context.Context, j Jokes) (Jokes, error) {
		for _, text := range j.All.Items() {
			if len(text) > len(j.Best.Get()) {
				j.Best.Set(text)
			}
		}
		return j, nil
	}})
	b.AddEdge(flow.Start, "topics")
	b.AddEdge("topics", "joke")
	b.AddEdge("joke", "best")
	b.AddEdge("best", flow.End)
	g, err := b.Compile(ctx, flow.Config[Jokes]{Log: log})
	if err != nil {
		return "", err
	}
	end, err := g.Invoke(ctx, state.Thread{Client: "acme", ID: "jokes"}, "t1", Jokes{})
	return fmt.Sprintln(end.All.Items(), "best:", end.Best.Get()), err
}

func Example_mapReduce() {
	fmt.Println(mapReduced(context.Background(), newExampleLog()))
	// Output:
	// [Why do lions queue? Why do elephants queue? Why do penguins queue?] best: Why do elephants queue?
	//  <nil>
}
