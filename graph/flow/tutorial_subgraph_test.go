package flow_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Report is what the outer graph works on, and Search the inner one.
type Report struct{ Lines field.Append[string] }

// Fields lists the fields.
func (r *Report) Fields() []field.Named {
	return []field.Named{{Name: "lines", Field: &r.Lines}}
}

// Search is a question and what was found.
type Search struct {
	Question field.Last[string]
	Found    field.Append[string]
}

// Fields lists the fields.
func (s *Search) Fields() []field.Named {
	return []field.Named{{Name: "question", Field: &s.Question}, {Name: "found", Field: &s.Found}}
}

// nested writes a report, for which a node calls a graph of its own state, on a thread of its own.
func nested(ctx context.Context, log *checkpoint.Log) (string, error) {
	in := flow.NewBuilder[Search]("search")
	for i, place := range []string{"books", "letters"} {
		in.AddNode(flow.Node[Search]{Name: place, Run: func(_ context.Context, s Search) (Search, error) {
			s.Found.Add(s.Question.Get() + " in " + place)
			return s, nil
		}})
		in.AddEdge([]string{flow.Start, "books"}[i], place)
	}
	in.AddEdge("letters", flow.End)
	search, err := in.Compile(ctx, flow.Config[Search]{Log: log})
	if err != nil {
		return "", err
	}
	b := flow.NewBuilder[Report]("report")
	b.AddNode(flow.Node[Report]{Name: "research", Run: func(ctx context.Context, r Report) (Report, error) {
		end, err := flow.Call(ctx, search, "search", Search{Question: field.Of("dragons")})
		r.Lines.Add(end.Found.Items()...)
		return r, err
	}})
	b.AddNode(flow.Node[Report]{Name: "sign", Run: func(_ context.Context, r Report) (Report, error) {
		r.Lines.Add("signed")
		return r, nil
	}})
	b.AddEdge(flow.Start, "research")
	b.AddEdge("research", "sign")
	b.AddEdge("sign", flow.End)
	g, err := b.Compile(ctx, flow.Config[Report]{Log: log})
	if err != nil {
		return "", err
	}
	end, err := g.Invoke(ctx, state.Thread{Client: "acme", ID: "report"}, "t1", Report{})
	return fmt.Sprintf("%q", end.Lines.Items()), err
}

func Example_subgraph() {
	fmt.Println(nested(context.Background(), newExampleLog()))
	// Output: ["dragons in books" "dragons in letters" "signed"] <nil>
}
