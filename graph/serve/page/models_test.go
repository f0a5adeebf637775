package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// parrot says what it is told: "recall: X" calls a tool with X first, "keep: X" asks to remember X, and the reply is X. Other words it says as they are.
type parrot struct{ model.ToolCallingChatModel }

func (p parrot) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	said, called := lastSaid(in)
	for tool, call := range map[string]struct {
		name string
		args map[string]string
	}{
		"recall: ": {"memory_recall", map[string]string{"scope": "all"}},
		"keep: ":   {"memory_update", map[string]string{"action": "remember"}},
	} {
		text, is := strings.CutPrefix(said, tool)
		if !is {
			continue
		}
		if said = text; called {
			continue
		}
		call.args[map[string]string{"memory_recall": "query", "memory_update": "text"}[call.name]] = text
		args, err := json.Marshal(call.args)
		if err != nil {
			return nil, err
		}
		return offline.Answer(in, "", []state.ToolCall{{ID: fmt.Sprint("call-", len(in)), Name: call.name, Arguments: string(args)}}), nil
	}
	return offline.Answer(in, said, nil), nil
}

func (p parrot) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := p.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return offline.Chunks(out), nil
}

func (p parrot) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return p, nil }

// lastSaid returns what the user said last, and whether a tool has answered since.
func lastSaid(in []*schema.Message) (said string, called bool) {
	for _, m := range in {
		switch m.Role {
		case schema.User:
			said, called = m.Content, false
		case schema.Tool:
			called = true
		}
	}
	return said, called
}

// teller answers some messages in the words of a model, and leaves the others to the offline one. Of what a user likes it asks to remember it.
type teller struct{ model.ToolCallingChatModel }

var told = map[string]string{
	"I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday.":           "Noted: brake pads from eBay, order 07-14244-53150, to arrive on Friday.",
	"I also have to file my application to Unicorn University by 30 March; I still need the transcript.": "Noted: the application is due by 30 March, and the transcript is still missing.",
	"hey, when do the brake pads arrive?":                                             "On **Friday**. The order number is 07-14244-53150.\n\nBack to your application: the transcript is still missing.",
	"Another thing: I'm planning a trip to Porto on 5 May, the hotel costs 240 euro.": "Noted: Porto on 5 May, and a hotel for 240 euro.",
	"The hotel costs 260 euro, not 240.":                                              "Corrected: the hotel in Porto costs 260 euro.",
	likes:                                                                             "Good, I will remember that.",
}

const likes = "In the afternoon I drink nothing but oolong."

func (m teller) answer(in []*schema.Message) *schema.Message {
	said, called := lastSaid(in)
	switch {
	case said == likes && !called:
		return offline.Answer(in, "", []state.ToolCall{{ID: fmt.Sprint("call-", len(in)), Name: "memory_update", Arguments: `{"action":"remember","text":"Drinks oolong in the afternoon"}`}})
	case told[said] != "":
		return offline.Answer(in, told[said], nil)
	}
	return nil
}

func (m teller) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	if out := m.answer(in); out != nil {
		return out, nil
	}
	return m.ToolCallingChatModel.Generate(ctx, in, opts...)
}

func (m teller) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	if out := m.answer(in); out != nil {
		return offline.Chunks(out), nil
	}
	return m.ToolCallingChatModel.Stream(ctx, in, opts...)
}

func (m teller) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	next, err := m.ToolCallingChatModel.WithTools(tools)
	return teller{next}, err
}
