package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// opened is a graph with its store and the configuration it was opened from.
type opened struct {
	*graph.Graph
	store  *keeping
	config config
	scope  state.Scope
	made   graph.Config // what the graph was made of
}

// Close ends the graph and closes its store.
func (o *opened) Close() error { return errors.Join(o.Graph.Close(), o.store.close()) }

// where is the store's address as it may be printed.
func (o *opened) where() string { return masked(o.config.address()) }

// with opens a graph, does a command's work with it and closes it. Open is one of the four below.
func with(ctx context.Context, open func(context.Context) (*opened, error), do func(*opened) error) (err error) {
	g, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return do(g)
}

// open resolves the configuration and opens the graph it names. It makes the store where there is none.
func (c *console) open(ctx context.Context) (*opened, error) {
	resolved, err := c.resolve()
	if err != nil {
		return nil, err
	}
	return resolved.open(ctx, true)
}

// openThere opens the graph for what makes no store: where there is none it is NotFound.
func (c *console) openThere(ctx context.Context) (*opened, error) {
	resolved, err := c.resolve()
	if err != nil {
		return nil, err
	}
	return resolved.open(ctx, false)
}

// openNamed is openThere, with the session that a flag names by its number, title or the beginning of its id.
func (c *console) openNamed(ctx context.Context) (*opened, error) {
	return c.openFor(ctx, (*opened).takeNamed)
}

// openLog is openNamed for what works on the log of the session: the graph asks about what its unfinished turn has asked about.
func (c *console) openLog(ctx context.Context) (*opened, error) {
	return c.openFor(ctx, (*opened).takeNamed, (*opened).keepAsking)
}

// openFor is openThere and what is to be done before the command's work.
func (c *console) openFor(ctx context.Context, before ...func(*opened, context.Context) error) (*opened, error) {
	g, err := c.openThere(ctx)
	if err != nil {
		return nil, err
	}
	for _, do := range before {
		if err := do(g, ctx); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// open opens the graph. A store that is not there is made, or NotFound.
func (c config) open(ctx context.Context, makes bool) (*opened, error) {
	// What the configuration alone can tell is refused first, before a store is opened or made.
	scope := c.scope()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := c.drivers(); err != nil {
		return nil, err
	}
	chat, small, err := c.models(ctx)
	if err != nil {
		return nil, err
	}
	embedder, shelf, err := c.meaning(ctx, nil)
	if err != nil {
		return nil, err
	}
	defined, err := c.agents()
	if err != nil {
		return nil, err
	}

	// Commands that only look back make no store.
	if !makes {
		if err := mustHoldStore(c.address(), "name another with --dir"); err != nil {
			return nil, err
		}
	}
	s, err := openStore(ctx, c.address(), c.get("encryption_keys"))
	if err != nil {
		return nil, err
	}

	// What is set in the store for all holds too, where no flag or variable is nearer.
	start, fixed, err := settings.New(settings.Config{Store: s.Store, Operator: c.settings, Fixed: c.fixed()}).AtStart(ctx)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if set := c.starting(start); set.get("embedder") != c.get("embedder") {
		c = set
		if embedder, shelf, err = c.meaning(ctx, nil); err != nil { // what is set for all must not keep anybody from setting it anew
			c.without = noEmbedder(err)
			embedder, shelf = nil, nil
		}
	}

	// The graph does not close the store: who opened it does, also after an error.
	made := graph.Config{Store: s.Store, Model: chat, SmallModel: small, Settings: start, Fixed: fixed, Embedder: embedder, Shelf: shelf, Agents: defined, OpenModel: c.openModel, MayShare: c.mayShare, OwnTurns: true}
	g, err := graph.New(ctx, made)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return &opened{g, s, c, scope, made}, nil
}

// keepAsking lets the graph ask about the tools that the session's unfinished turn has asked about, whatever the settings
// are by now: what a person was asked is not done without the answer, nor against it.
func (o *opened) keepAsking(ctx context.Context) error {
	// A turn that is over asks nothing.
	last, err := o.History(ctx, o.scope, checkpoint.Which{Limit: 1})
	if err != nil || len(last) == 0 || last[0].Done {
		return err
	}
	steps, err := o.History(ctx, o.scope, checkpoint.Which{Turn: last[0].Turn})
	if err != nil {
		return err
	}

	// Only our own tools can be asked about here: a host's are not there.
	var there []string // a host's own tools are not
	for _, t := range tools.New(o.Memory()) {
		info, err := t.Info(ctx)
		if err != nil {
			return err
		}
		there = append(there, info.Name)
	}
	for _, s := range steps {
		for _, a := range s.Asked {
			if name := tools.Canonical(a.Question.Tool); slices.Contains(there, name) {
				o.made.Approve = append(o.made.Approve, name)
			}
		}
	}
	if o.made.Approve == nil {
		return nil
	}

	// The graph is made anew on the same store, and the other one closed.
	g, err := graph.New(ctx, o.made)
	if err != nil {
		return err
	}
	before := o.Graph
	o.Graph = g
	return before.Close()
}

// onServer reports whether documents are kept on a server: its address is all it takes, unless the store is said to be
// embedded at least as near (flag, environment, file).
func (c config) onServer() bool {
	uri, store := c.values["mongo_uri"], c.values["store"]
	return uri.text != "" && (store.text != "embedded" || store.rank() < uri.rank())
}

// address is where the store is: the server's, or the folder.
func (c config) address() string {
	if c.onServer() {
		return c.get("mongo_uri")
	}
	return c.get("dir")
}

// drivers refuses a store or an index that is not known or not named whole, so that nobody believes to be on a server.
func (c config) drivers() error {
	uri := c.values["mongo_uri"]
	switch store, index := c.get("store"), c.get("index"); {
	case store != "embedded" && store != "mongo":
		return state.Errorf(state.Invalid, "store "+store, "is not known; it is embedded or mongo")
	case store == "mongo" && uri.text == "":
		return state.Errorf(state.Invalid, "store mongo", "has no address; set MNEME_MONGO_URI=mongodb://HOST/DATABASE or --mongo-uri")
	case c.onServer() && !isServer(uri.text):
		return state.Errorf(state.Invalid, "mongo_uri ("+uri.origin+")", "is no address of a server; it is mongodb://HOST/DATABASE")
	case index != "local" && index != "milvus":
		return state.Errorf(state.Invalid, "index "+index, "is not known; it is local or milvus")
	case index == "milvus" && c.get("milvus_addr") == "":
		return state.Errorf(state.Invalid, "index milvus", "has no address; set MNEME_MILVUS_ADDR=HOST:19530 or --milvus-addr")
	case c.onMilvus():
		_, err := c.milvus()
		return err
	}
	return mustBeAddress(c.address())
}

// Names of models that are none of a provider's.
const (
	offline = "offline"
	none    = "none"
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

	var chain []provider.Config
	for i, name := range strings.Split(names, ",") {
		if name = strings.TrimSpace(name); i > 0 {
			key, url = c.reach(name)
		}
		spoken, err := protocols(name)
		if err != nil {
			return nil, err
		}
		chain = append(chain, provider.Config{Model: name, APIKey: key, BaseURL: url, MaxTokens: longest, Protocols: spoken, Timeout: c.silence()})
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

// silence is how long a server may say nothing: as long as the longest of the settings lets a model.
func (c config) silence() time.Duration {
	return max(c.settings.ModelTimeout, c.settings.SmallModelTimeout, c.settings.DetectTimeout)
}

// openChain opens the chat model and those behind it.
var openChain = provider.OpenChain //nolint:gochecknoglobals // tests answer with a model that stores

// openModel opens a model that the definition of an agent names.
func (c config) openModel(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
	key, url := c.reach(name)
	return c.dial(ctx, name, key, url)
}

// reach is key and address of a model that is neither model nor small_model. It is reached as they are if it is of their provider,
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
