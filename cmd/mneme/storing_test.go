package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
	plain "github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// openStoring opens models as the commands do; the offline one stores what the user says that he ordered, as a real model would.
func openStoring(ctx context.Context, chain ...provider.Config) (model.ToolCallingChatModel, error) {
	m, err := provider.OpenChain(ctx, chain...)
	if bare, ok := m.(*plain.Model); ok {
		return storing{bare}, err
	}
	return m, err
}

// storing is the offline model that stores orders by memory_store.
type storing struct{ *plain.Model }

func (s storing) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, err := s.Model.WithTools(tools)
	return storing{m.(*plain.Model)}, err
}

func (s storing) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	last := in[len(in)-1]
	switch {
	case last.Role == schema.User && strings.HasPrefix(last.Content, "I ordered"):
		args, err := json.Marshal(map[string]string{"subject": "order number", "content": last.Content, "category": "order"})
		if err != nil {
			return nil, err
		}
		return plain.Answer(in, "", []state.ToolCall{{Name: "memory_store", Arguments: string(args)}}), nil
	case last.Role == schema.Tool && last.ToolName == "memory_store":
		said := "Stored: order number 07-14244-53150."
		if !strings.Contains(last.Content, "stored ") {
			said = "Not kept: " + last.Content
		}
		return plain.Answer(in, said, nil), nil
	}
	return s.Model.Generate(ctx, in, opts...)
}

func (s storing) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := s.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return plain.Chunks(out), nil
}
