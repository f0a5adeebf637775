package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// value is a configured text and where it comes from: "flag", "environment NAME", "file PATH" or "default".
type value struct{ text, origin string }

// rank orders origins: flag over environment over file over default.
func (v value) rank() int {
	kind, _, _ := strings.Cut(v.origin, " ")
	return slices.Index([]string{"default", "file", "environment", "flag"}, kind)
}

// config is everything resolved: options and settings by name.
type config struct {
	values   map[string]value
	settings state.Settings
	environ  []string
	without  string // what is set for all and cannot be had, "" = nothing

	foundFile string   // the config.yaml that was found in the store's folder, "" = none, or it was named
	ignored   []string // variables of the environment that look like ours and are not known
	withheld  []string // keys of the environment that an address out of it is not sent
}

// starting returns the configuration of a process that starts with settings of a store: an embedding_model that is set for all is the embedder where
// nobody nearer says one.
func (c config) starting(start state.Settings) config {
	if name := start.EmbeddingModel; name != "" && c.values["embedder"].origin == "default" {
		c.values = maps.Clone(c.values)
		c.values["embedder"] = value{start.EmbeddingProvider + ":" + name, string(settings.ForAll)}
	}
	return c
}

// noEmbedder says that an embedding_model that is set for all cannot be used.
func noEmbedder(err error) string {
	return "embedding_model of the global settings is not used, recall goes by words alone: " + err.Error() + "; mneme settings set --for global sets another"
}

// get returns the value of an option or setting.
func (c config) get(name string) string { return c.values[name].text }

// scope returns whose memory the command works on.
func (c config) scope() state.Scope {
	return state.Scope{
		Client: c.get("client"), Project: c.get("project"), User: c.get("user"),
		Agent: c.get("agent"), Session: c.get("session"),
	}
}

// readLayers puts flags over environment over file over defaults. Unknown names and bad values are Invalid.
func readLayers(flags map[string]string, environ []string) (config, error) {
	// Defaults first: they are also the list of names that are known.
	c := config{values: map[string]value{}, settings: state.DefaultSettings(), environ: environ}
	for _, x := range catalogue() {
		c.values[x.name] = value{x.fallback, "default"}
	}

	// The environment is read before the file, because it may say where the file is.
	fromEnv, ignored, err := readEnvironment(environ)
	if err != nil {
		return c, err
	}
	c.ignored = ignored
	fromFile, found, err := readFile(flags, fromEnv)
	if err != nil {
		return c, err
	}
	c.foundFile = found

	// The nearer layer comes later and wins; names are sorted, so that the first error is always the same.
	fromFlags := map[string]value{}
	for name, text := range flags {
		if text != "" {
			fromFlags[name] = value{text, "flag"}
		}
	}
	for _, layer := range []map[string]value{fromFile, fromEnv, fromFlags} {
		for _, name := range slices.Sorted(maps.Keys(layer)) {
			if err := c.take(name, layer[name]); err != nil {
				return c, err
			}
		}
	}

	return c, nil
}

// take sets one value; the error names its origin.
func (c *config) take(name string, v value) error {
	if all := known(); !slices.Contains(all, name) {
		return state.Errorf(state.Invalid, v.origin, "setting %q is not known%s; `mneme doctor` lists all", name, state.DidYouMean(name, all))
	}
	if canonical, _, err := state.SettingNamed(name); err == nil {
		name = canonical
		if err := c.settings.Set(name, v.text); err != nil {
			return fmt.Errorf("%s: %w", v.origin, err)
		}
	}
	c.values[name] = v
	return nil
}

// readEnvironment reads MNEME_ names and the bare upper-case names of settings of more than one word. MNEME_
// wins over bare; an empty value is as good as none; MNEME_TEST_ names belong to tests. An unknown name of ours that is near one that is known
// is Invalid, since a value would be missed; another one is ignored, and returned.
func readEnvironment(environ []string) (out map[string]value, ignored []string, err error) {
	out = map[string]value{}
	all, keys := known(), keyVariables()
	for _, pair := range environ {
		key, text, _ := strings.Cut(pair, "=")
		name, ours := strings.CutPrefix(key, "MNEME_")
		name = strings.ToLower(name)

		// Names that are ours are known; bare ones may be anybody's, so only those of settings count.
		switch {
		case text == "" || strings.HasPrefix(key, "MNEME_TEST_") || slices.Contains(keys, key):
		case ours && !slices.Contains(all, name):
			near := state.Near(name, all)
			if near != "" {
				return nil, nil, state.Errorf(state.Invalid, "environment "+key, "is not known; did you mean MNEME_%s? `mneme doctor` lists all", strings.ToUpper(near))
			}
			ignored = append(ignored, key)
		case ours:
			out[name] = value{text, "environment " + key}
		case key == strings.ToUpper(key) && strings.Contains(name, "_") && isSetting(name):
			if _, set := out[name]; !set {
				out[name] = value{text, "environment " + key}
			}
		}
	}
	return out, ignored, nil
}

// readFile reads the file of settings: the one named by flag or environment, else config.yaml in the store's
// folder if it is there, whose path is then returned too.
func readFile(flags map[string]string, env map[string]value) (values map[string]value, found string, err error) {
	// Anybody may have made the folder, with a link or a pipe in it.
	path, dir := cmp.Or(flags["config"], env["config"].text), cmp.Or(flags["dir"], env["dir"].text, ".mneme")
	var data []byte
	if path != "" {
		data, err = readAll(context.Background(), path, tree.MaxBytes)
	} else {
		found = filepath.Join(dir, "config.yaml")
		data, err = tree.ReadIn(dir, "config.yaml")
	}
	switch {
	case found != "" && (errors.Is(err, state.ErrNotFound) || err != nil && !isFolder(dir)):
		return nil, "", nil // the store says what is wrong with the folder
	case errors.Is(err, state.ErrNotFound):
		return nil, "", state.Errorf(state.NotFound, "file "+path, "is not there; name another with --config")
	case err != nil:
		return nil, "", fmt.Errorf("file %w", err)
	}
	values, err = parseFile(cmp.Or(path, found), data)
	if _, keys := values["encryption_keys"]; keys && found != "" {
		return nil, "", state.Errorf(state.Invalid, "file "+found, "holds encryption_keys beside what they encrypt; set MNEME_ENCRYPTION_KEYS instead")
	}
	return values, found, err
}

// parseFile reads a flat list of names and values.
func parseFile(path string, data []byte) (map[string]value, error) {
	if _, err := tree.Parse("file "+path, data); err != nil {
		return nil, err
	}

	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, state.Errorf(state.Invalid, "file "+path, "is not YAML: %s", yaml.FormatError(err, false, false))
	}

	out := map[string]value{}
	for name, v := range raw {
		switch v.(type) {
		case map[string]any, []any:
			return nil, state.Errorf(state.Invalid, "file "+path, "%s must be a plain value", name)
		}
		if name == "dir" || name == "config" {
			return nil, state.Errorf(state.Invalid, "file "+path, "%s cannot stand in the file that it leads to; use --%s", name, name)
		}
		out[name] = value{fmt.Sprint(v), "file " + path}
	}
	return out, nil
}

// isFolder reports whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// found reports whether a value is out of the config.yaml that was found in the store's folder, which anybody may have made.
func (c config) found(name string) bool {
	return c.foundFile != "" && c.values[name].origin == "file "+c.foundFile
}

// fixed returns the settings that flag, environment or file say, by name.
func (c config) fixed() map[string]string {
	out := map[string]string{}
	for _, name := range state.SettingNames() {
		if v := c.values[name]; v.origin != settings.Default {
			out[name] = v.origin
		}
	}
	return out
}
