package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// entry is a configured value: a setting of the product, or an option, which says where things are and who speaks. MNEME_ + upper case is its
// name in the environment.
type entry struct {
	name, fallback string
	says           string // what it is, for README.md
	secret         bool
	does           string // what a file in the store's folder has done elsewhere by it, "" = nothing
	setting        bool
	alias, idle    string // of a setting: another name, and why it has no effect yet
}

// catalogue lists all that can be configured, the options first. Flags, environment, files, doctor and README.md go by it.
func catalogue() []entry {
	list, defaults := options(), state.DefaultSettings()
	first := len(list)
	for f := range reflect.TypeFor[state.Settings]().Fields() {
		name := f.Tag.Get("yaml")
		list = append(list, entry{name: name, fallback: defaults.Get(name), says: f.Tag.Get("says"), setting: true, alias: f.Tag.Get("alias"), idle: f.Tag.Get("idle")})
	}
	slices.SortFunc(list[first:], func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list
}

// options lists what is no setting of the product.
func options() []entry {
	const asks, sends = "sends what is said and what memory knows to", "sends as a key what is in"
	return []entry{
		{name: "dir", fallback: ".mneme", says: "folder of the store"},
		{name: "config", says: "file of settings; without it `config.yaml` in the folder of the store"},
		{name: "client", fallback: "default", says: "the tenant whose memory it is"},
		{name: "project", says: "the project that a conversation belongs to"},
		{name: "user", fallback: "default", says: "whose memory"},
		{name: "agent", fallback: state.DefaultAgent, says: "which agent answers"},
		{name: "agents", says: "definitions of agents: a file, or a folder of them"},
		{name: "session", fallback: "default", says: "which conversation"},
		{name: "share_users", says: "users, with commas between, who may write what all users of a client know"},

		{name: "model", fallback: offline, says: "`openai:NAME`, `claude:`, `gemini:`, `deepseek:`, `qwen:`, `ark:`, `openrouter:`, `ollama:NAME`, `offline`; `A,B`: B is asked when A fails"},
		{name: "api_key", secret: true, says: "of the model; `OPENAI_API_KEY` and the like work too"},
		{name: "api_key_file", does: sends, says: "a file that holds the key"},
		{name: "base_url", does: asks, says: "address of the model; `OPENAI_BASE_URL` works too"},
		{name: "small_model", says: "judges and sums up; without it the model does, unless that is `offline`. `none`: the rules do"},
		{name: "small_model_api_key", secret: true, says: "of the small model; without it that of the model"},
		{name: "small_model_api_key_file", does: sends, says: "a file that holds that key"},
		{name: "small_model_base_url", does: asks, says: "of the small model; without it that of the model"},
		{name: "answer_tokens", says: "the longest answer of a model; without it as the provider likes"},
		{name: "record", does: "writes all that models are asked and answer to", says: "a file to which all is written that models are asked and answer, keys redacted; the model `cassette:FILE` plays it"},
		{name: "memory_extraction_api_key", secret: true, says: "of what reads finished sessions; the providers' own names of keys work too"},
		{name: "memory_extraction_api_key_file", does: sends, says: "a file that holds that key"},
		{name: "memory_extraction_base_url", does: asks, says: "address of what reads finished sessions"},

		{name: "store", fallback: "embedded", says: "where documents are: `embedded` or `mongo`, which an address says too"},
		{name: "mongo_uri", secret: true, does: "keeps memory at", says: "MongoDB instead of the folder"},
		{name: "encryption_keys", secret: true, says: "keys that encrypt the store, see `mneme keys`"},
		{name: "erasure_ledger", does: "writes down what is erased in", says: "a file, or a database `mongodb://HOST/DATABASE`, that keeps outside of the store what was erased: a backup that is put back does not bring it back"},
		{name: "access_key", secret: true, says: "a key that `mneme serve` knows, with every role"},
		{name: "serve_turns", fallback: "512", says: "turns of `mneme serve` side by side"},
		{name: "serve_rate", fallback: "200", says: "requests a second of one access key"},
		{name: "serve_key_tokens_minute", fallback: "0", says: "tokens of models for one access key within a minute; 0 = any number"},
		{name: "serve_key_tokens_day", fallback: "0", says: "the same within a day"},
		{name: "serve_client_tokens_minute", fallback: "0", says: "tokens of models for all keys of a client within a minute"},
		{name: "serve_client_tokens_day", fallback: "0", says: "the same within a day"},
		{name: "serve_log", fallback: "info", says: "what the log of `mneme serve` has: `debug`, `info`, `warn` or `error`"},
		{name: "webhooks", secret: true, does: "tells what waits for whom to", says: "addresses that `mneme serve` tells of due tasks, questions and suggestions, with blanks between: `https://...`, or `CLIENT=https://...` for one client's"},
		{name: "webhook_keys", secret: true, says: "what their messages are signed with: `whsec_` and the base64 of 24 to 64 bytes; of two, with a blank between, both sign"},
		{name: "webhooks_inside", fallback: "false", says: "`true`: they may be of a private network, and http"},
		{name: "embedder", fallback: none, says: "what makes vectors, see above"},
		{name: "embedder_api_key", secret: true, says: "of the embedder"},
		{name: "embedder_api_key_file", does: sends, says: "a file that holds that key"},
		{name: "embedder_base_url", does: asks, says: "address of the embedder"},
		{name: "embedder_dim", says: "dimensions of its vectors; without it as the model likes"},
		{name: "index", fallback: "local", says: "where vectors are: `local` or `milvus`, which an address says too; `local` turns that off"},
		{name: "milvus_addr", does: "keeps vectors at", says: "`host:19530` or `https://host`: Milvus for the vectors"},
		{name: "milvus_database", says: "the database on the server"},
		{name: "milvus_user", says: "the name by which it is entered"},
		{name: "milvus_password", secret: true, says: "of `milvus_user`"},
		{name: "milvus_token", secret: true, says: "instead of name and password"},
		{name: "milvus_tls", says: "`true` or `false`"},
		{name: "milvus_prefix", says: "what its collections begin with; without it `mneme`"},
	}
}

// Names of models that are none of a provider's, and of no embedder.
const (
	offline = "offline"
	none    = "none"
)

// known lists all names, and behind them the other names of settings.
func known() []string {
	var names, aliases []string
	for _, x := range catalogue() {
		names = append(names, x.name)
		if x.alias != "" {
			aliases = append(aliases, x.alias)
		}
	}
	return append(names, aliases...)
}

func isSetting(name string) bool {
	_, _, err := state.SettingNamed(name)
	return err == nil
}

// place is the flags of every command that opens a store.
type place struct {
	Dir    string            `option:"" group:"whose" help:"Folder of the store (or MNEME_DIR; default ./.mneme)." placeholder:"DIR"`
	Config string            `option:"" group:"store" help:"File of settings (or MNEME_CONFIG; default DIR/config.yaml, if there is one)." placeholder:"FILE"`
	Set    map[string]string `group:"store" help:"A setting by its name; may be repeated." placeholder:"NAME=VALUE"`
	Store  string            `option:"" group:"store" help:"Where documents are kept: embedded or mongo (or MNEME_STORE)." placeholder:"NAME"`
	Mongo  string            `option:"" group:"store" name:"mongo-uri" help:"Keep documents on this server: mongodb://HOST/DATABASE (or MNEME_MONGO_URI)." placeholder:"URI"`
	Ledger string            `option:"erasure_ledger" group:"store" name:"erasure-ledger" help:"Keep outside of the store what is erased: a file or mongodb://HOST/DATABASE (or MNEME_ERASURE_LEDGER)." placeholder:"FILE"`
	meant
}

// readFlags returns what the flags of a command line say, by name of option or setting. A flag is nearer than --set.
func readFlags(flags []*kong.Flag) map[string]string {
	out := map[string]string{}
	for _, f := range flags {
		switch x := f.Target.Interface().(type) {
		case map[string]string:
			for name, text := range x {
				out[name] = cmp.Or(out[name], text)
			}
		case string:
			if f.Tag.Has("option") && x != "" {
				out[optionOf(f)] = x
			}
		}
	}
	return out
}

// optionOf returns the option that a flag says: the one that its tag names, else that of its own name.
func optionOf(f *kong.Flag) string {
	return cmp.Or(f.Tag.Get("option"), strings.ReplaceAll(f.Name, "-", "_"))
}

// meant is the flags of what lets recall find by meaning.
type meant struct {
	Embedder string `option:"" group:"store" help:"What makes vectors: none, openai:NAME, ollama:NAME, ark:NAME, dashscope:NAME, a model's folder, hashed (or MNEME_EMBEDDER)." placeholder:"NAME"`
	Index    string `option:"" group:"store" help:"Where vectors are kept: local or milvus (or MNEME_INDEX)." placeholder:"NAME"`
	Milvus   string `option:"" group:"store" name:"milvus-addr" help:"Keep vectors on this server (or MNEME_MILVUS_ADDR)." placeholder:"HOST:PORT"`
}

// whose is the flags that say whose memory is meant.
type whose struct {
	Client  string `option:"" group:"whose" help:"Tenant (or MNEME_CLIENT)." placeholder:"ID"`
	User    string `option:"" group:"whose" help:"Whose affairs and records (or MNEME_USER)." placeholder:"ID"`
	Session string `option:"" group:"whose" help:"Which conversation, as mneme sessions lists it (or MNEME_SESSION)." placeholder:"ID"`
}

// keyVariables names every variable that may hold a provider's key.
func keyVariables() (names []string) {
	for _, of := range []struct {
		providers []string
		keys      func(string) []string
	}{{provider.Known(), provider.KeyVariables}, {batch.Known(), batch.KeyVariables}, {provider.KnownEmbedders(), provider.EmbedderKeyVariables}} {
		for _, p := range of.providers {
			names = append(names, of.keys(p)...)
		}
	}
	return names
}

// lookup returns the value of a variable, "" when it is not set; the last one counts.
func lookup(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if key, v, _ := strings.Cut(pair, "="); key == name {
			value = v
		}
	}
	return value
}
