package main

import (
	"maps"
	"strings"

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
	Dir    string            `help:"Folder of the store (or MNEME_DIR; default ./.mneme)." placeholder:"DIR"`
	Config string            `help:"File of settings (or MNEME_CONFIG; default DIR/config.yaml, if there is one)." placeholder:"FILE"`
	Set    map[string]string `help:"A setting by its name; may be repeated." placeholder:"NAME=VALUE"`
	Store  string            `help:"Where documents are kept: embedded or mongo (or MNEME_STORE)." placeholder:"NAME"`
	Mongo  string            `name:"mongo-uri" help:"Keep documents on this server: mongodb://HOST/DATABASE (or MNEME_MONGO_URI)." placeholder:"URI"`
	meant
}

// flags returns what was given, by name of option or setting.
func (p place) flags() map[string]string {
	given := maps.Clone(p.Set)
	if given == nil {
		given = map[string]string{}
	}
	return p.meant.flags(give(given, map[string]string{"dir": p.Dir, "config": p.Config, "store": p.Store, "mongo_uri": p.Mongo}))
}

// give adds flags to what was given. One that was left out leaves what --set says.
func give(given, flags map[string]string) map[string]string {
	for name, text := range flags {
		if text != "" {
			given[name] = text
		}
	}
	return given
}

// meant is the flags of what lets recall find by meaning.
type meant struct {
	Embedder string `help:"What makes vectors: none, openai:NAME, ollama:NAME, ark:NAME, dashscope:NAME, a model's folder, hashed (or MNEME_EMBEDDER)." placeholder:"NAME"`
	Index    string `help:"Where vectors are kept: local or milvus (or MNEME_INDEX)." placeholder:"NAME"`
	Milvus   string `name:"milvus-addr" help:"Keep vectors on this server (or MNEME_MILVUS_ADDR)." placeholder:"HOST:PORT"`
}

// flags adds what was given.
func (m meant) flags(given map[string]string) map[string]string {
	return give(given, map[string]string{"embedder": m.Embedder, "index": m.Index, "milvus_addr": m.Milvus})
}

// whose is the flags that say whose memory is meant.
type whose struct {
	Client  string `help:"Tenant (or MNEME_CLIENT)." placeholder:"ID"`
	User    string `help:"Whose affairs and records (or MNEME_USER)." placeholder:"ID"`
	Session string `help:"Which conversation, as mneme sessions lists it (or MNEME_SESSION)." placeholder:"ID"`
}

// flags adds what was given.
func (w whose) flags(given map[string]string) map[string]string {
	return give(given, map[string]string{"client": w.Client, "user": w.User, "session": w.Session})
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
