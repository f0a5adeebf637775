package flow_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Mail is a letter that a person has to approve.
type Mail struct {
	Draft field.Last[string]
	Log   field.Append[string]
}

// Fields lists the fields.
func (m *Mail) Fields() []field.Named {
	return []field.Named{{Name: "draft", Field: &m.Draft}, {Name: "log", Field: &m.Log}}
}

// approved writes a letter, waits for a person, who may edit it, and sends it. The wait takes no process.
func approved(ctx context.Context, log *checkpoint.Log) (string, error) {
	b := flow.NewBuilder[Mail]("mail")
	b.AddNode(flow.Node[Mail]{Name: "write", Run: func(_ context.Context, m Mail) (Mail, error) {
		m.Draft.Set("Dear Jana, no.")
		return m, nil
	}})
	b.AddNode(flow.Node[Mail]{Name: "approve", Goto: []string{"send", flow.End}, Run: func(ctx context.Context, m Mail) (Mail, error) {
		answer, err := state.AskPerson(ctx, state.Question{Text: "Send this? " + m.Draft.Get()})
		switch {
		case err != nil:
			return m, err
		case answer.Choice == state.Reject:
			return flow.Goto(ctx, m, flow.End)
		case answer.Choice == state.Edit:
			m.Draft.Set(answer.Text())
		}
		return flow.Goto(ctx, m, "send")
	}})
	b.AddNode(flow.Node[Mail]{Name: "send", Run: func(_ context.Context, m Mail) (Mail, error) {
		m.Log.Add("sent " + m.Draft.Get())
		return m, nil
	}})
	b.AddEdge(flow.Start, "write")
	b.AddEdge("write", "approve")
	b.AddEdge("send", flow.End)
	g, err := b.Compile(ctx, flow.Config[Mail]{Log: log})
	if err != nil {
		return "", err
	}

	thread := state.Thread{Client: "acme", ID: "mail"}
	end, err := g.Invoke(ctx, thread, "t1", Mail{})
	var waits *flow.WaitingError
	if errors.As(err, &waits) { // days later, in any process
		end, err = g.Answer(ctx, thread, map[string]state.Answer{waits.Asked[0].ID: {Choice: state.Edit, Value: "Dear Jana, yes."}})
	}
	return fmt.Sprint(end.Log.Items()), err
}

func Example_humanInTheLoop() {
	fmt.Println(approved(context.Background(), newExampleLog()))
	// Output: [sent Dear Jana, yes.] <nil>
}
