package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Joke is a topic and what was made of it.
type Joke struct {
	Topic field.Last[string]
	Text  field.Last[string]
}

// Fields lists the fields.
func (j *Joke) Fields() []field.Named {
	return []field.Named{{Name: "topic", Field: &j.Topic}, {Name: "text", Field: &j.Text}}
}

// travelled tells a joke, goes back to before it was written, in another thread, changes the topic and tells it again.
func travelled(ctx context.Context, log *checkpoint.Log) (string, error) {
	b := flow.NewBuilder[Joke]("joke")
	b.AddNode(flow.Node[Joke]{Name: "topic", Run: func(_ context.Context, j Joke) (Joke, error) {
		j.Topic.Set("socks")
		return j, nil
	}})
	b.AddNode(flow.Node[Joke]{Name: "write", Run: func(_ context.Context, j Joke) (Joke, error) {
		j.Text.Set("Two " + j.Topic.Get() + " meet in a drier.")
		return j, nil
	}})
	b.AddEdge(flow.Start, "topic")
	b.AddEdge("topic", "write")
	b.AddEdge("write", flow.End)
	g, err := b.Compile(ctx, flow.Config[Joke]{Log: log})
	if err != nil {
		return "", err
	}
	first, then := state.Thread{Client: "acme", ID: "joke"}, state.Thread{Client: "acme", ID: "joke-again"}
	end, err := g.Invoke(ctx, first, "t1", Joke{})
	if err != nil {
		return "", err
	}

	// The newest step after which the text was still to be written.
	steps, err := g.History(ctx, first, checkpoint.Which{})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(steps, func(c flow.Checkpoint) bool { return slices.Contains(c.Next, "write") })
	if err := g.Fork(ctx, first, steps[i].Seq, then); err != nil && !errors.Is(err, state.ErrConflict) { // it is there already
		return "", err
	}
	if open, err := g.Unfinished(ctx, then); err == nil && open {
		if err := g.Update(ctx, then, "", Joke{Topic: field.Of("gloves")}, "topic"); err != nil {
			return "", err
		}
		if _, err := g.Resume(ctx, then, nil); err != nil {
			return "", err
		}
	}
	again, err := g.State(ctx, then, 0)
	return end.Text.Get() + " | " + again.State.Text.Get(), err
}

func Example_timeTravel() {
	fmt.Println(travelled(context.Background(), newExampleLog()))
	// Output: Two socks meet in a drier. | Two gloves meet in a drier. <nil>
}
