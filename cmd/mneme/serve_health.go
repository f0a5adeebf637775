package main

import (
	"context"
	"strconv"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/state"
)

// models are those that turns are answered with, as the service shows and tries them.
func (o *opened) models() (out []serve.Model) {
	try := func(m model.BaseChatModel) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := m.Generate(ctx, []*schema.Message{schema.UserMessage("Say OK.")})
			return err
		}
	}
	out = append(out, serve.Model{ModelAt: serve.ModelAt{Role: "chat", Name: o.config.get("model")}, Try: try(o.made.Model)})
	if o.made.SmallModel != nil {
		out = append(out, serve.Model{ModelAt: serve.ModelAt{Role: "small", Name: o.config.smallModel()}, Try: try(o.made.SmallModel)})
	}
	if e := o.made.Embedder; e != nil {
		out = append(out, serve.Model{ModelAt: serve.ModelAt{Role: "embedder", Name: o.config.get("embedder")}, Try: func(ctx context.Context) error {
			_, err := e.Embed(ctx, "OK")
			return err
		}})
	}
	return out
}

// webhooksOf reads which addresses are told what waits for a person.
func webhooksOf(c config) (hooks.Targets, error) {
	inside, err := strconv.ParseBool(c.get("webhooks_inside"))
	if err != nil {
		return hooks.Targets{}, state.Errorf(state.Invalid, c.values["webhooks_inside"].origin, "webhooks_inside is true or false")
	}
	return hooks.Parse(c.get("webhooks"), c.get("webhook_keys"), inside)
}

// notesOf returns what doctor calls degraded, as the service tells it.
func notesOf(degraded [][2]string) (out []serve.Note) {
	for _, x := range degraded {
		out = append(out, serve.Note{Name: x[0], Text: masked(x[1]), Choice: isChoice(x[0])})
	}
	return out
}
