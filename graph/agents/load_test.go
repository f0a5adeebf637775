package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/agents"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

const singer = `name: jaskier
role: a travelling singer
persona: |
  Vain, witty,
  brave when it counts.
style: Talks in short, colourful sentences
language: pl
rules: ["always name the price", "never sing for free"]
models: {chat: openai:gpt-4o-mini, small: ollama:qwen3}
autonomy: 0
`

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"b.yaml": singer, "a.yml": "name: dana\nrole: an accountant\n---\nname: emil\nrole: a cook\nrules: never shout\n", "notes.txt": "no YAML: [",
	})
	got, err := agents.Load(dir)
	must(t, err)
	readOnly := 0
	want := []state.Agent{
		{Name: "dana", Role: "an accountant"},
		{Name: "emil", Role: "a cook", Rules: []string{"never shout"}},
		{
			Name: "jaskier", Role: "a travelling singer", Persona: "Vain, witty,\nbrave when it counts.", Style: "Talks in short, colourful sentences", Language: "pl",
			Rules:  []string{"always name the price", "never sing for free"},
			Models: state.AgentModels{Chat: "openai:gpt-4o-mini", Small: "ollama:qwen3"}, Autonomy: &readOnly,
		},
	}
	same(t, "Load", want, got)
	one, err := agents.Load(filepath.Join(dir, "b.yaml"))
	must(t, err)
	same(t, "Load of a file", want[2:], one)
}

func TestLoadNothing(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"no path": filepath.Join(t.TempDir(), "none"), "an empty folder": t.TempDir()} {
		if _, err := agents.Load(path); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("%s: error %v, want not found", name, err)
		}
	}
}

func TestLoadTwice(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.yaml": "name: dana\nrole: a cook\n", "b.yaml": "role: a singer\nname: dana\n"})
	_, err := agents.Load(dir)
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), `b.yaml:2:7: name "dana" is taken already, at `) || !strings.Contains(err.Error(), "a.yaml:1") {
		t.Errorf("error %v", err)
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, says string }{
		{"nothing", "", "f.yaml:1:1: holds no definition"},
		{"a list", "- name: a\n", "f.yaml:1:1: an agent must be an object"},
		{"no YAML", "name: [a\n", "f.yaml: is not YAML: [1:7]"},
		{"unknown key", "name: a\nrole: b\nlangauge: cs\n", `f.yaml:3:1: an agent has no key "langauge"; did you mean "language"?`},
		{"unknown model", "name: a\nrole: b\nmodels: {chatt: x}\n", `f.yaml:3:10: models has no key "chatt"`},
		{"key twice", "name: a\nrole: b\nrole: c\n", `"role"`},
		{"no role", "name: a\n", "an agent needs the keys name and role"},
		{"empty role", "name: a\nrole: ''\n", "f.yaml:2:7: role is empty"},
		{"long role", "name: a\nrole: |\n  b\n  c\n", "has several lines"},
		{"no id", "name: a/b\nrole: c\n", `f.yaml:1:7: name: agent id "a/b"`},
		{"no language", "name: a\nrole: b\nlanguage: čeština\n", `f.yaml:3:11: language "čeština" is not a BCP-47 tag`},
		{"autonomy", "name: a\nrole: b\nautonomy: 4\n", `f.yaml:3:11: autonomy does not accept "4"`},
		{"autonomy in words", "name: a\nrole: b\nautonomy: full\n", `f.yaml:3:11: autonomy does not accept "full"`},
		{"empty rule", "name: a\nrole: b\nrules: [' ']\n", "f.yaml:3:9: an item of rules is empty"},
		{"rules of another form", "name: a\nrole: b\nrules: {x: y}\n", "rules must be a list"},
		{"too long", "name: a\nrole: b\npersona: " + strings.Repeat("brave ", 200) + "\n", "f.yaml:1:7: agent a: has an identity core of 322 tokens, at most 200 are allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := agents.Parse("f.yaml", []byte(tt.text))
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
		})
	}
}

// Whatever is read is a definition that turns can be made with; what is not is said to be invalid.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{singer, "", "name: a\nrole: b\n---\nname: a\nrole: b", "a: &a {b: *a}", "name: !!binary x\nrole: [", "? x\n: y", "<<: {name: a}\nrole: b"} {
		f.Add(seed)
	}
	tokens := token.New()
	f.Fuzz(func(t *testing.T, text string) {
		all, err := agents.Parse("f.yaml", []byte(text))
		if err != nil {
			if !errors.Is(err, state.ErrInvalid) || !strings.HasPrefix(err.Error(), "f.yaml") {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := compose.CheckCores(tokens, all); err != nil || len(all) == 0 {
			t.Fatalf("%d definitions, error %v", len(all), err)
		}
	})
}

// A folder may be handed over by anybody: nothing outside of it is read, nor shown in an error.
func TestLinksOutOfTheFolder(t *testing.T) {
	t.Parallel()
	outside := write(t, map[string]string{"secret": "root:*:20228:0:99999\n", "whole.yaml": singer})
	for name, c := range map[string]struct {
		target, says string
	}{
		"to a file":     {filepath.Join(outside, "secret"), "leads out of its folder"},
		"to agents":     {filepath.Join(outside, "whole.yaml"), "leads out of its folder"},
		"to a device":   {os.DevNull, "leads out of its folder"},
		"to its folder": {".", "is no file"},
		"to nothing":    {"none.yaml", "is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Symlink(c.target, filepath.Join(dir, "a.yaml")))
			_, err := agents.Load(dir)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "root:") {
				t.Errorf("%v, want %q and no word of the target", err, c.says)
			}
		})
	}
}

// Kubernetes mounts the files of a folder as links to a folder in it; and who names a link means what it leads to.
func TestLinksThatAreMeant(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "..1"), 0o700), os.WriteFile(filepath.Join(dir, "..1", "a.yaml"), []byte(singer), 0o600),
		os.Symlink("..1", filepath.Join(dir, "..data")), os.Symlink("..data/a.yaml", filepath.Join(dir, "a.yaml")))
	named := filepath.Join(t.TempDir(), "named.yaml")
	must(t, errors.Join(err, os.Symlink(filepath.Join(dir, "a.yaml"), named)))
	for _, path := range []string{dir, named} {
		if got, err := agents.Load(path); err != nil || len(got) != 1 || got[0].Name != "jaskier" {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
}

var must, same = statetest.Must, statetest.Same
