package flow_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Chat is what a chatbot with tools works on.
type Chat struct {
	Messages field.Append[*schema.Message]
	Calls    field.Last[[]schema.ToolCall] // of the model's last answer
}

// Fields lists the fields.
func (c *Chat) Fields() []field.Named {
	return []field.Named{{Name: "messages", Field: &c.Messages}, {Name: "calls", Field: &c.Calls}}
}

// chatbot asks the model, runs the tools that it calls, each as a durable task, and asks it again.
func chatbot(ctx context.Context, log *checkpoint.Log) (string, error) {
	b := flow.NewBuilder[Chat]("chatbot")
	b.AddNode(flow.Node[Chat]{Name: "model", Run: func(ctx context.Context, s Chat) (Chat, error) {
		answer, err := weatherModel(ctx, s.Messages.Items())
		if err != nil {
			return s, err
		}
		s.Messages.Add(answer)
		s.Calls.Set(answer.ToolCalls)
		return s, nil
	}})
	b.AddNode(flow.Node[Chat]{Name: "tools", Items: func(s Chat) int { return len(s.Calls.Get()) }, Run: func(ctx context.Context, s Chat) (Chat, error) {
		call := s.Calls.Get()[flow.At(ctx).Item-1]
		s.Messages.Add(schema.ToolMessage("sunny in "+call.Function.Arguments, call.ID))
		return s, nil
	}})
	b.AddEdge(flow.Start, "model")
	b.AddBranch("model", func(_ context.Context, s Chat) (string, error) {
		if len(s.Calls.Get()) > 0 {
			return "tools", nil
		}
		return flow.End, nil
	}, "tools", flow.End)
	b.AddEdge("tools", "model")
	g, err := b.Compile(ctx, flow.Config[Chat]{Log: log})
	if err != nil {
		return "", err
	}
	var input Chat
	input.Messages.Add(schema.UserMessage("How is the weather in Brno and Kraków?"))
	end, err := g.Invoke(ctx, state.Thread{Client: "acme", ID: "chat"}, "t1", input)
	if err != nil {
		return "", err
	}
	all := end.Messages.Items()
	return fmt.Sprintf("%d messages, the last: %s", len(all), all[len(all)-1].Content), nil
}

// weatherModel stands for a model: it calls a tool for each town, and then says what they told.
func weatherModel(_ context.Context, in []*schema.Message) (*schema.Message, error) {
	if in[len(in)-1].Role != schema.Tool {
		call := func(id, town string) schema.ToolCall {
			return schema.ToolCall{ID: id, Function: schema.FunctionCall{Name: "weather", Arguments: town}}
		}
		return schema.AssistantMessage("", []schema.ToolCall{call("1", "Brno"), call("2", "Kraków")}), nil
	}
	return schema.AssistantMessage(in[len(in)-2].Content+", "+in[len(in)-1].Content, nil), nil
}

func Example_chatbotWithTools() {
	fmt.Println(chatbot(context.Background(), newExampleLog()))
	// Output: 5 messages, the last: sunny in Brno, sunny in Kraków <nil>
}
