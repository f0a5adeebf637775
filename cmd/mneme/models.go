package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph/agents"
	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// models opens the chat model and the small model, nil for none.
func (c config) models(ctx context.Context) (chat model.ToolCallingChatModel, small model.BaseChatModel, err error) {
	if chat, err = c.dial(ctx, c.get("model"), c.get("api_key"), c.get("base_url")); err != nil {
		return nil, nil, err
	}
	switch name := c.smallModel(); {
	case name == "":
		return chat, nil, nil
	case c.get("small_model") == "":
		return chat, chat, nil
	default:
		small, err = c.dial(ctx, name, c.get("small_model_api_key"), c.get("small_model_base_url"))
		return chat, small, err
	}
}

// dial opens a model in whatever protocol it is asked. Of several with a comma between them each next one is asked when the one
// before it fails; key and address are those of the first. All are recorded on one tape if there is to be one.
func (c config) dial(ctx context.Context, names, key, url string) (model.ToolCallingChatModel, error) {
	longest, err := strconv.Atoi(cmp.Or(c.get("answer_tokens"), "0"))
	if err != nil || longest < 0 {
		return nil, state.Errorf(state.Invalid, "answer_tokens", "%q is no number of tokens", c.get("answer_tokens"))
	}

	// A server may say nothing as long as the longest of the settings lets a model.
	silence := max(c.settings.ModelTimeout, c.settings.SmallModelTimeout, c.settings.DetectTimeout)
	var chain []provider.Config
	for i, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); i > 0 {
			key, url = c.reach(name)
		}
		spoken, err := protocols(name)
		if err != nil {
			return nil, err
		}
		chain = append(chain, provider.Config{Model: name, APIKey: key, BaseURL: url, MaxTokens: longest, Protocols: spoken, Timeout: silence})
	}

	m, err := openChain(ctx, chain...)
	if err != nil && c.withheld != nil {
		err = fmt.Errorf("%w; %s", err, strings.Join(c.withheld, "; "))
	}
	if file := c.get("record"); err == nil && file != "" {
		return cassette.Open(cassette.Config{File: file, Model: m})
	}
	return m, err
}

// openChain opens the chat model and those behind it.
var openChain = provider.OpenChain //nolint:gochecknoglobals // tests answer with a model that stores

// openModel opens a model that the definition of an agent names.
func (c config) openModel(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
	key, url := c.reach(name)
	return c.dial(ctx, name, key, url)
}

// reach returns key and address of a model that is neither model nor small_model. It is reached as they are if it is of their provider,
// else with the key under the name that its provider documents.
func (c config) reach(name string) (key, url string) {
	of := func(option string) bool { return providerOf(c.get(option)) == providerOf(name) }
	as := config{values: maps.Clone(c.values), foundFile: c.foundFile}
	as.values["model"] = value{text: name}
	switch {
	case name == c.get("small_model") || of("small_model") && !of("model"):
		as.values["api_key"], as.values["base_url"] = c.values["small_model_api_key"], c.values["small_model_base_url"]
	case !of("model") && c.get("model") != offline:
		as.values["api_key"], as.values["base_url"] = value{}, value{}
	}
	as.findKey(c.environ, "model", "api_key", "base_url", provider.KeyVariables)
	return as.get("api_key"), as.get("base_url")
}

// smallModel names what judges and sums up: the small model, else the model itself unless that is offline; "" for none.
func (c config) smallModel() string {
	switch name := c.get("small_model"); {
	case name == none, name == "" && c.get("model") == offline:
		return ""
	default:
		return cmp.Or(name, c.get("model"))
	}
}

// agents loads the definitions that are configured, nil if none are.
func (c config) agents() ([]state.Agent, error) {
	if c.get("agents") == "" {
		return nil, nil
	}
	return agents.Load(c.get("agents"))
}
