package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// shelfOpener opens where vectors are kept.
type shelfOpener = func(ctx context.Context) (index.Shelf, error)

// meaning is what lets recall find by meaning, as configured: the embedder, nil for none, and where its vectors are kept,
// which is asked nothing yet. A nil store is for those who have it filled in by the graph.
func (c config) meaning(ctx context.Context, s store.Store) (*embed.Embedder, shelfOpener, error) {
	e, err := c.embedder(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.onMilvus() {
		at, err := c.milvus()
		return e, func(ctx context.Context) (index.Shelf, error) { return openMilvus(ctx, at) }, err
	}
	if s == nil {
		return e, nil, nil
	}
	return e, func(context.Context) (index.Shelf, error) { return local.New(local.Config{Store: s}) }, nil
}

// embedder opens the embedder; nil for none.
func (c config) embedder(ctx context.Context) (*embed.Embedder, error) {
	made := provider.EmbedderConfig{Embedder: c.get("embedder"), APIKey: c.get("embedder_api_key"), BaseURL: c.get("embedder_base_url")}
	if text := c.get("embedder_dim"); text != "" {
		var err error
		if made.Dim, err = strconv.Atoi(text); err != nil || made.Dim < 0 {
			return nil, state.Errorf(state.Invalid, "embedder_dim ("+c.values["embedder_dim"].origin+")",
				"does not accept %q; it takes a whole number, 0 = as the model likes", text)
		}
	}
	if c.values["transformer_max_seq_len"].origin != "default" {
		made.Window = c.settings.TransformerMaxSeqLen
	}
	return provider.OpenEmbedder(ctx, made)
}

// onMilvus reports whether vectors are kept on a Milvus server: its address is all it takes, unless the index is said to
// be local at least as near (flag, environment, file).
func (c config) onMilvus() bool {
	address, index := c.values["milvus_addr"], c.values["index"]
	return address.text != "" && (index.text != "local" || index.rank() < address.rank())
}

// connectWithin bounds how long a command waits for a server that does not answer; the library tries until then.
const connectWithin = 5 * time.Second

// milvusShelf is where vectors are kept on a server.
type milvusShelf interface {
	index.Shelf
	Clear(ctx context.Context) error
}

// milvus is where the server is and as whom it is spoken to.
func (c config) milvus() (milvusConfig, error) {
	made := milvusConfig{
		Address: c.get("milvus_addr"), Database: c.get("milvus_database"), Username: c.get("milvus_user"), Password: c.get("milvus_password"),
		APIKey: c.get("milvus_token"), Prefix: c.get("milvus_prefix"), ConnectTimeout: connectWithin,
	}
	if text := c.get("milvus_tls"); text != "" {
		var err error
		if made.EnableTLS, err = strconv.ParseBool(text); err != nil {
			return made, state.Errorf(state.Invalid, "milvus_tls ("+c.values["milvus_tls"].origin+")", "does not accept %q; it takes true or false", text)
		}
	}
	if err := made.Validate(); err != nil {
		return made, fmt.Errorf("milvus_addr (%s): %w", c.values["milvus_addr"].origin, err)
	}
	return made, nil
}

// unused says that a server is configured for vectors and nobody makes any, "" when it is not so.
func (c config) unused() string {
	if !c.onMilvus() || c.hasEmbedder() {
		return ""
	}
	return "Milvus is set but there is no embedder: nothing is kept there; set MNEME_EMBEDDER=openai:NAME, ollama:NAME, ark:NAME, dashscope:NAME or a model's folder"
}

func (c config) hasEmbedder() bool { return c.get("embedder") != "" && c.get("embedder") != "none" }

// warn says on stderr, once a command, what is configured in vain.
func (c *console) warn(resolved config) {
	for _, text := range append([]string{resolved.unused(), resolved.without}, resolved.withheld...) {
		if text != "" {
			fmt.Fprintln(c.err, "mneme: "+text)
		}
	}
}

// keptIn names where vectors are kept.
func (c config) keptIn() string {
	if !c.onMilvus() {
		return "local, in the store"
	}
	return "milvus at " + maskedHost(c.get("milvus_addr"))
}

// trial is the configuration with a part of the server of its own, for what is measured or played and thrown away. The
// local index needs none: it goes with the store.
func (c config) trial() config {
	if !c.onMilvus() {
		return c
	}
	values := maps.Clone(c.values)
	values["milvus_prefix"] = value{"mneme_trial_" + strings.ReplaceAll(uuid.NewString(), "-", ""), "flag"}
	c.values = values
	return c
}

// discard deletes what a trial left on the server.
func (c config) discard(ctx context.Context) error {
	if !c.onMilvus() || !c.hasEmbedder() {
		return nil
	}
	at, err := c.milvus()
	if err != nil {
		return err
	}

	s, err := openMilvus(ctx, at)
	if err == nil {
		err = errors.Join(s.Clear(ctx), s.Close())
	}
	if err != nil {
		return fmt.Errorf("collections %s_* stay behind: %w", at.Prefix, err)
	}
	return nil
}

// patience bounds how long a command waits at its beginning or end for vectors that are still being made.
const patience = 10 * time.Second

// settle waits a while until all vectors of the user are made, and says on stderr when they are not.
func (c *console) settle(ctx context.Context, g *opened) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := g.Memory().Vectors().Settle(waiting, g.scope); err != nil && ctx.Err() == nil {
		c.complain(fmt.Errorf("not all vectors are made, words go on alone: %w", err))
	}
}
