package graph

import (
	"cmp"
	"context"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/state"
)

// agentModels are the models that definitions of agents name, opened, by the agent.
type agentModels map[string]openedModels

// openedModels are those of one agent, nil where its definition names none.
type openedModels struct {
	chat  model.ToolCallingChatModel
	small model.BaseChatModel
}

// openModels opens what the definitions name, each name once.
func (c Config) openModels(ctx context.Context) (agentModels, error) {
	byName, out := map[string]model.ToolCallingChatModel{}, agentModels{}
	for _, a := range c.Agents {
		for _, name := range []string{a.Models.Chat, a.Models.Small} {
			if _, known := byName[name]; known || name == "" {
				continue
			}
			opened, err := c.openModel(ctx, name)
			if err != nil {
				return nil, state.Errorf(cmp.Or(state.CodeOf(err), state.Invalid), "agent "+a.Name, "%w", err)
			}
			byName[name] = opened
		}

		var of openedModels
		if m := byName[a.Models.Chat]; m != nil {
			of.chat = m
		}
		if m := byName[a.Models.Small]; m != nil {
			of.small = m
		}
		out[a.Name] = of
	}
	return out, nil
}

// openModel opens one.
func (c Config) openModel(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
	if c.OpenModel == nil {
		return nil, state.Errorf(state.Invalid, "model "+name, "is named by a definition, and Config.OpenModel, which opens it, is not set")
	}
	opened, err := c.OpenModel(ctx, name)
	if err == nil && opened == nil {
		err = state.Errorf(state.Invalid, "model "+name, "was not opened: Config.OpenModel returned none")
	}
	return opened, err
}

// chat returns the model that an agent answers with, nil for that of the Config.
func (m agentModels) chat(agent string) model.ToolCallingChatModel { return m[agent].chat }

// small is the small model of an agent, nil for that of the Config.
func (m agentModels) small(agent string) model.BaseChatModel { return m[agent].small }
