package main

import (
	"context"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// opened is a graph with the configuration it was opened from.
type opened struct {
	*embedded.Graph
	config config
	scope  state.Scope
}

// open resolves the configuration and opens the graph it names. The caller closes it.
func (c *console) open(ctx context.Context, flags map[string]string) (*opened, error) {
	resolved, err := resolve(flags, c.environ)
	if err != nil {
		return nil, err
	}
	scope := resolved.scope()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := resolved.drivers(); err != nil {
		return nil, err
	}
	chat, small, err := resolved.models(ctx)
	if err != nil {
		return nil, err
	}
	g, err := embedded.OpenConfig(ctx, resolved.get("dir"), graph.Config{
		Model: chat, SmallModel: small, Settings: resolved.settings,
	})
	if err != nil {
		return nil, err
	}
	return &opened{g, resolved, scope}, nil
}

// drivers refuses what this release has no driver for, so that nobody believes to be on a server.
func (c config) drivers() error {
	const inFolder = "memory is kept in --dir"
	switch store, index := c.get("store"), c.get("index"); {
	case c.get("mongo_uri") != "":
		return state.Errorf(state.Unavailable, "mongo_uri ("+c.values["mongo_uri"].origin+")",
			"this release has no MongoDB driver yet; unset it, then "+inFolder)
	case c.get("milvus_addr") != "":
		return state.Errorf(state.Unavailable, "milvus_addr ("+c.values["milvus_addr"].origin+")",
			"this release has no Milvus driver yet; unset it, then recall goes by words")
	case store == "mongo":
		return state.Errorf(state.Unavailable, "store mongo", "this release has no MongoDB driver yet; use bolt, then "+inFolder)
	case store != "bolt":
		return state.Errorf(state.Invalid, "store "+store, "is not known; it is bolt or mongo")
	case index == "milvus":
		return state.Errorf(state.Unavailable, "index milvus", "this release has no Milvus driver yet; use local")
	case index != "local":
		return state.Errorf(state.Invalid, "index "+index, "is not known; it is local or milvus")
	}
	return nil
}

// models opens the chat model and, if one is named, the small model.
func (c config) models(ctx context.Context) (chat model.ToolCallingChatModel, small model.BaseChatModel, err error) {
	config := provider.Config{Model: c.get("model"), APIKey: c.get("api_key"), BaseURL: c.get("base_url")}
	if chat, err = provider.Open(ctx, config); err != nil {
		return nil, nil, err
	}
	if config.Model = c.get("small_model"); config.Model == "" {
		return chat, nil, nil
	}
	small, err = provider.Open(ctx, config)
	return chat, small, err
}
