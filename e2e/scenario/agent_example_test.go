package scenario_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/e2e/scenario"
)

// clerk is a team's own model: it looks up the parcel that it is asked about, and answers with what the tool said.
type clerk struct{}

func (c clerk) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	last := in[len(in)-1]
	switch {
	case last.Role == schema.Tool:
		return schema.AssistantMessage("Your parcel "+last.Content+".", nil), nil
	case strings.Contains(last.Content, "parcel"):
		call := schema.ToolCall{ID: "c1", Function: schema.FunctionCall{Name: "track", Arguments: `{"parcel":"CZ-17"}`}}
		return schema.AssistantMessage("", []schema.ToolCall{call}), nil
	}
	return schema.AssistantMessage("How can I help?", nil), nil
}

func (c clerk) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := c.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{m}), err
}

func (c clerk) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return c, nil }

type parcel struct {
	Parcel string `json:"parcel" jsonschema:"description=number of the parcel"`
}

// A team tests its own agent: its model, its tools and what a person has to approve. The last turn is scripted, to see what
// the agent does when its model calls a tool that costs money.
func Example_ownAgent() {
	track, err := utils.InferTool("track", "Where a parcel is.", func(_ context.Context, p parcel) (string, error) {
		return p.Parcel + " arrives on Friday", nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	refund, err := utils.InferTool("refund", "Pays a parcel back.", func(_ context.Context, p parcel) (string, error) {
		return p.Parcel + " is paid back", nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	stories, err := scenario.Parse("clerk.yaml", []byte(`
name: a parcel is found, and paid back only with a person's yes
turns:
  - user: "Where is my parcel?"
    expect: {tools: [track], reply_contains: [CZ-17 arrives on Friday]}
  - user: "It is broken."
    model:
      - {call: refund, args: {parcel: CZ-17}}
      - {say: "You get your money back."}
    expect: {pending_approval: 1}
  - approve: yes
    expect: {tools: [refund], reply_contains: [money back], context_contains: [is paid back]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := scenario.Run(context.Background(), stories[0], scenario.Config{
		Model: clerk{}, Tools: []tool.InvokableTool{track, refund}, Approve: []string{"refund"},
		Identity: "You are the clerk of a parcel service.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Name+":", result.OK)
	for _, f := range result.Failures {
		fmt.Println(f)
	}
	// Output:
	// a parcel is found, and paid back only with a person's yes: true
}
