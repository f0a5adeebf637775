package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// maxKeyFile bounds a file that holds a key.
const maxKeyFile = 16 << 10

// finish adds what follows from several values: the embedder, keys and addresses.
func (c *config) finish() error {
	if name := c.settings.EmbeddingModel; name != "" && c.values["embedder"].origin == "default" {
		c.values["embedder"] = value{c.settings.EmbeddingProvider + ":" + name, c.values["embedding_model"].origin}
	}
	if err := c.readKeys(); err != nil {
		return err
	}
	c.findKeys(c.environ)
	return c.settings.Validate()
}

// readKeys reads the keys that stand in files. A key that is given as near as its file wins.
func (c *config) readKeys() error {
	for _, x := range options() {
		name, is := strings.CutSuffix(x.name, "_file")
		file, key := c.values[x.name], c.values[name]
		if !is || file.text == "" || key.text != "" && key.rank() >= file.rank() {
			continue
		}
		data, err := readAll(context.Background(), file.text, maxKeyFile)
		if err != nil {
			return fmt.Errorf("%s_file (%s): %w", name, file.origin, err)
		}
		text := strings.TrimSpace(string(data))
		if text == "" {
			return state.Errorf(state.Invalid, name+"_file ("+file.origin+")", "%s is empty; write the key into it", file.text)
		}
		c.values[name] = value{text, file.origin}
	}
	return nil
}

// findKeys looks for keys and base URLs of the providers of models and embedder under the names the providers document. A
// small model of the same provider as the model is reached as that is, unless it has an address of its own.
func (c *config) findKeys(environ []string) {
	c.withhold("milvus_token", "milvus_addr")
	c.withhold("milvus_password", "milvus_addr")
	c.findKey(environ, "model", "api_key", "base_url", provider.KeyVariables)
	c.findKey(environ, "embedder", "embedder_api_key", "embedder_base_url", provider.EmbedderKeyVariables)
	same := c.get("model") == offline || providerOf(c.get("model")) == providerOf(c.get("small_model"))
	if same && c.get("small_model_base_url") == "" {
		c.inherit("small_model_base_url", "base_url")
		c.inherit("small_model_api_key", "api_key")
	}
	c.findKey(environ, "small_model", "small_model_api_key", "small_model_base_url", provider.KeyVariables)
	if c.settings.Batched() {
		c.findKey(environ, "memory_extraction_provider", "memory_extraction_api_key", "memory_extraction_base_url", batch.KeyVariables)
	}
}

// findKey looks for key and base URL of what an option names.
func (c *config) findKey(environ []string, option, key, url string, variables func(string) []string) {
	named := c.get(option)
	c.fill(environ, key, variables(named)...)
	if providerOf(named) == "openai" {
		c.fill(environ, url, "OPENAI_BASE_URL")
	}
	c.withhold(key, url)
}

// withhold takes a key of the environment from an address out of the file that was found in the store's folder.
func (c *config) withhold(key, address string) {
	variable, env := strings.CutPrefix(c.values[key].origin, "environment ")
	if !env || c.get(key) == "" || !c.found(address) {
		return
	}
	c.values[key] = value{"", "default"}
	text := fmt.Sprintf("%s is not sent to %s, which is the %s of %s; name the file with --config, or set MNEME_%s",
		variable, masked(c.get(address)), address, c.foundFile, strings.ToUpper(address))
	if !slices.Contains(c.withheld, text) {
		c.withheld = append(c.withheld, text)
	}
}

// inherit takes the value of another option for one that is not set.
func (c *config) inherit(option, from string) {
	if c.get(option) == "" && c.get(from) != "" {
		c.values[option] = c.values[from]
	}
}

// providerOf returns the part of a model's name before the colon.
func providerOf(model string) string {
	name, _, _ := strings.Cut(model, ":")
	return name
}

// fill takes the first of the variables that is set for an option that is not.
func (c *config) fill(environ []string, option string, variables ...string) {
	for _, name := range variables {
		if text := lookup(environ, name); text != "" && c.get(option) == "" {
			c.values[option] = value{text, "environment " + name}
		}
	}
}
