package main

import (
	"cmp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// option is a configured value that is not a setting of the product: where things are and who speaks.
type option struct {
	name     string
	fallback string
	secret   bool
}

// options lists them all; MNEME_ + upper case is the name in the environment.
func options() []option {
	return []option{
		{name: "dir", fallback: ".mneme"},
		{name: "config"},
		{name: "client", fallback: "default"}, {name: "project"}, {name: "user", fallback: "default"},
		{name: "agent", fallback: state.DefaultAgent}, {name: "agents"}, {name: "session", fallback: "default"},
		{name: "share_users"},
		{name: "model", fallback: "offline"}, {name: "api_key", secret: true}, {name: "api_key_file"}, {name: "base_url"},
		{name: "small_model"}, {name: "small_model_api_key", secret: true}, {name: "small_model_api_key_file"}, {name: "small_model_base_url"}, {name: "answer_tokens"}, {name: "record"},
		{name: "memory_extraction_api_key", secret: true}, {name: "memory_extraction_api_key_file"}, {name: "memory_extraction_base_url"},
		{name: "store", fallback: "embedded"}, {name: "mongo_uri", secret: true},
		{name: "encryption_keys", secret: true},
		{name: "embedder", fallback: "none"}, {name: "embedder_api_key", secret: true}, {name: "embedder_api_key_file"}, {name: "embedder_base_url"}, {name: "embedder_dim"},
		{name: "index", fallback: "local"}, {name: "milvus_addr"}, {name: "milvus_database"}, {name: "milvus_user"},
		{name: "milvus_password", secret: true}, {name: "milvus_token", secret: true}, {name: "milvus_tls"}, {name: "milvus_prefix"},
	}
}

// known lists the names of all options and settings.
func known() []string {
	var names []string
	for _, o := range options() {
		names = append(names, o.name)
	}
	names = append(names, state.SettingNames()...)
	for _, alias := range state.SettingAliases() {
		names = append(names, alias)
	}
	return names
}

func isSetting(name string) bool {
	_, _, err := state.SettingNamed(name)
	return err == nil
}

// place is the flags of every command that opens a store.
type place struct {
	Dir    string            `option:"" help:"Folder of the store (or MNEME_DIR; default ./.mneme)." placeholder:"DIR"`
	Config string            `option:"" help:"File of settings (or MNEME_CONFIG; default DIR/config.yaml, if there is one)." placeholder:"FILE"`
	Set    map[string]string `help:"A setting by its name; may be repeated." placeholder:"NAME=VALUE"`
	Store  string            `option:"" help:"Where documents are kept: embedded or mongo (or MNEME_STORE)." placeholder:"NAME"`
	Mongo  string            `option:"" name:"mongo-uri" help:"Keep documents on this server: mongodb://HOST/DATABASE (or MNEME_MONGO_URI)." placeholder:"URI"`
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
			if name := strings.ReplaceAll(f.Name, "-", "_"); f.Tag.Has("option") && x != "" {
				out[name] = x
			}
		}
	}
	return out
}

// meant is the flags of what lets recall find by meaning.
type meant struct {
	Embedder string `option:"" help:"What makes vectors: none, openai:NAME, ollama:NAME, ark:NAME, dashscope:NAME, a model's folder, hashed (or MNEME_EMBEDDER)." placeholder:"NAME"`
	Index    string `option:"" help:"Where vectors are kept: local or milvus (or MNEME_INDEX)." placeholder:"NAME"`
	Milvus   string `option:"" name:"milvus-addr" help:"Keep vectors on this server (or MNEME_MILVUS_ADDR)." placeholder:"HOST:PORT"`
}

// whose is the flags that say whose memory is meant.
type whose struct {
	Client  string `option:"" help:"Tenant (or MNEME_CLIENT)." placeholder:"ID"`
	User    string `option:"" help:"Whose affairs and records (or MNEME_USER)." placeholder:"ID"`
	Session string `option:"" help:"Which conversation, as mneme sessions lists it (or MNEME_SESSION)." placeholder:"ID"`
}

// keyVariables names every variable that may hold a provider's key.
func keyVariables() []string {
	var names []string
	for _, p := range provider.Known() {
		names = append(names, provider.KeyVariables(p)...)
	}
	for _, p := range batch.Known() {
		names = append(names, batch.KeyVariables(p)...)
	}
	for _, p := range provider.KnownEmbedders() {
		names = append(names, provider.EmbedderKeyVariables(p)...)
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
