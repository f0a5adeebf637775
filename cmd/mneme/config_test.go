package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// resolve is the configuration without asking anybody.
func resolve(flags map[string]string, environ []string) (config, error) {
	c, err := readLayers(flags, environ)
	if err != nil {
		return c, err
	}
	return c, c.finish()
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.yaml"),
		"max_tool_rounds: 3\nswitch_threshold: 0.6\nsession_history_limit: 20\nsearch_cache_ttl: 90s\nuser: filip\nmodel: offline\n")
	environ := []string{
		"SWITCH_THRESHOLD=0.65", "MNEME_SESSION_HISTORY_LIMIT=30", "SESSION_HISTORY_LIMIT=40", "MNEME_SESSION=env",
		"DETECT=nonsense of another program", "MNEME_TEST_ANYTHING=1", "MNEME_PROJECT=", "PATH=/bin",
	}
	c, err := resolve(map[string]string{"dir": dir, "session_history_limit": "50", "client": ""}, environ)
	if err != nil {
		t.Fatalf("resolve = %v, want no error", err)
	}
	file := "file " + filepath.Join(dir, "config.yaml")
	want := map[string]value{
		"max_tool_rounds": {"3", file}, "switch_threshold": {"0.65", "environment SWITCH_THRESHOLD"},
		"session_history_limit": {"50", "flag"}, "search_cache_ttl": {"90s", file}, "user": {"filip", file},
		"session": {"env", "environment MNEME_SESSION"}, "client": {"default", "default"}, "detect": {"hybrid", "default"},
		"project": {"", "default"}, "dir": {dir, "flag"},
	}
	for name, w := range want {
		same(t, name, w, c.values[name], cmp.AllowUnexported(value{}))
	}
	if s := c.settings; s.MaxToolRounds != 3 || s.SwitchThreshold != 0.65 || s.HistoryLimit != 50 {
		t.Errorf("settings = %+v, want 3, 0.65 and 50", s)
	}
}

func TestMnemeNameWinsOverBareName(t *testing.T) {
	t.Parallel()
	for _, environ := range [][]string{{"MNEME_MAX_TOKENS=900", "MAX_TOKENS=800"}, {"MAX_TOKENS=800", "MNEME_MAX_TOKENS=900"}} {
		c, err := resolve(map[string]string{"dir": t.TempDir()}, environ)
		if err != nil || c.settings.MaxTokens != 900 {
			t.Errorf("resolve(%v) = %d, %v, want 900", environ, c.settings.MaxTokens, err)
		}
	}
}

func TestFileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, says string }{
		{"not YAML", "a: [", "not YAML"},
		{"unknown", "max_tokes: 1", `"max_tokens"`},
		{"nested", "max_tokens: {a: 1}", "plain value"},
		{"bad value", "detect: magic", "rules, model, hybrid"},
		{"folder in its own file", "dir: x", "--dir"},
		{"values that do not fit", "max_tokens: 9000\ncontext_window: 8000", "context_window"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			write(t, file, tt.text)
			_, err := resolve(map[string]string{"config": file}, nil)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("resolve = %v, want Invalid saying %q", err, tt.says)
			}
		})
	}
}

func TestKeysOfTheProvider(t *testing.T) {
	t.Parallel()
	environ := []string{"MNEME_MODEL=openai:gpt-4o-mini", "OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL=http://127.0.0.1:9/v1"}
	c, err := resolve(map[string]string{"dir": t.TempDir()}, environ)
	if err != nil {
		t.Fatalf("resolve = %v, want no error", err)
	}
	if c.get("api_key") != "sk-test" || c.get("base_url") != "http://127.0.0.1:9/v1" {
		t.Errorf("key %q, base URL %q, want those of OPENAI_*", c.get("api_key"), c.get("base_url"))
	}
	if _, _, err := c.models(t.Context()); err != nil {
		t.Errorf("models = %v, want them opened", err)
	}
}

func TestWhoJudgesAndHowItIsReached(t *testing.T) {
	t.Parallel()
	const elsewhere = "http://127.0.0.1:9/v1"
	for _, tt := range []struct {
		name    string
		environ string
		judge   string // the beginning of what doctor says
		key     string
		url     string
	}{
		{"nothing is set", "", "none: ", "", ""},
		{"the model itself", "MNEME_MODEL=openai:m OPENAI_API_KEY=sk-1", "openai:m, the model itself", "", ""},
		{"nobody, although there is a model", "MNEME_MODEL=openai:m OPENAI_API_KEY=sk-1 MNEME_SMALL_MODEL=none", "none: ", "", ""},
		{"beside the offline model", "MNEME_SMALL_MODEL=openai:s OPENAI_API_KEY=sk-1", "openai:s; judges", "sk-1", ""},
		{"beside the offline model, as before", "MNEME_SMALL_MODEL=openai:s MNEME_API_KEY=sk-1 MNEME_BASE_URL=" + elsewhere, "openai:s; judges", "sk-1", elsewhere},
		{"of the same provider", "MNEME_MODEL=openai:m MNEME_SMALL_MODEL=openai:s MNEME_API_KEY=sk-1 OPENAI_BASE_URL=" + elsewhere, "openai:s; judges", "sk-1", elsewhere},
		{"of the same provider, with a key of its own", "MNEME_MODEL=openai:m MNEME_SMALL_MODEL=openai:s MNEME_API_KEY=sk-1 MNEME_SMALL_MODEL_API_KEY=sk-2", "openai:s; judges", "sk-2", ""},
		{"of the same provider, elsewhere", "MNEME_MODEL=openai:m MNEME_SMALL_MODEL=openai:s MNEME_API_KEY=sk-1 MNEME_SMALL_MODEL_BASE_URL=" + elsewhere, "openai:s; judges", "", elsewhere},
		{"of another provider", "MNEME_MODEL=openai:m OPENAI_API_KEY=sk-1 OPENAI_BASE_URL=" + elsewhere + " MNEME_SMALL_MODEL=ollama:s", "ollama:s; judges", "", ""},
		{"of another provider with a key", "MNEME_MODEL=ollama:m MNEME_SMALL_MODEL=deepseek:s DEEPSEEK_API_KEY=sk-3", "deepseek:s; judges", "sk-3", ""},
		{"rules decide", "MNEME_MODEL=ollama:m MNEME_DETECT=rules", "ollama:m, the model itself, since small_model is not set; sums up, rules decide", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := resolve(map[string]string{"dir": t.TempDir()}, strings.Fields(tt.environ))
			must(t, err)
			if got := c.judge(); !strings.HasPrefix(got, tt.judge) || c.get("small_model_api_key") != tt.key || c.get("small_model_base_url") != tt.url {
				t.Errorf("judge %q, key %q, base URL %q; want %q, %q, %q", got, c.get("small_model_api_key"), c.get("small_model_base_url"), tt.judge, tt.key, tt.url)
			}
			chat, small, err := c.models(t.Context())
			if err != nil || (small == nil) != strings.HasPrefix(tt.judge, "none") {
				t.Errorf("models = %v, %v, %v", chat, small, err)
			}
		})
	}
}

func TestDoctorMasksSecrets(t *testing.T) {
	t.Parallel()
	environ := []string{
		"MNEME_MODEL=openai:gpt-4o-mini", "OPENAI_API_KEY=sk-live-12345", "MNEME_BASE_URL=http://127.0.0.1:9/v1",
		"MNEME_SMALL_MODEL=ollama:small", "MNEME_SMALL_MODEL_API_KEY=sk-live-6789",
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		got := mneme(t, "", environ, append(args, "--dir", t.TempDir())...)
		if got.code != 0 || strings.Contains(got.out+got.err, "sk-live") {
			t.Errorf("mneme %v = %d, stderr %q; want 0 and no key anywhere", args, got.code, got.err)
		}
		for _, part := range []string{"OPENAI_API_KEY", "set, hidden", "openai:gpt-4o-mini", "double_texting", "o200k"} {
			if !strings.Contains(got.out, part) {
				t.Errorf("mneme %v does not print %q", args, part)
			}
		}
	}
}

func TestDoctorLines(t *testing.T) {
	t.Parallel()
	got := mneme(t, "", nil, "doctor", "--json", "--dir", t.TempDir())
	seen := map[string]int{}
	for line := range strings.Lines(got.out) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		seen[f.Kind]++
	}
	if seen["setting"] != len(state.SettingNames()) || seen["option"] != len(options()) || seen["part"] != 11 || seen["degraded"] != 3 {
		t.Errorf("findings by kind: %v, want every setting and option, 11 parts, 3 degraded", seen)
	}
}

func TestDoctorNamesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "My name is Ann.\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatal(got)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	body, err := bson.Marshal(bson.M{"id": bson.A{1}})
	if err == nil {
		doc := store.Doc{Collection: state.Records, ID: state.Scope{}.Default().Key("broken"), Body: body}
		err = errors.Join(s.Write(t.Context(), doc), s.Close())
	}
	must(t, err)
	got := mneme(t, "", nil, "doctor", "--dir", dir)
	if !strings.Contains(got.out, "records default/default/broken: is damaged") || got.code != 0 {
		t.Errorf("doctor = %+v, want the document named and status 0", got)
	}
	if got := mneme(t, "What is my name?\n", nil, "chat", "--dir", dir, "--trace"); got.code != 0 || !strings.Contains(got.out, ", 1 note (mneme explain --full)") {
		t.Errorf("chat = %+v, want it noted and a reply", got)
	}
	if got := mneme(t, "", nil, "explain", "--full", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "one of the records is left out") {
		t.Errorf("explain = %+v, want the note", got)
	}
}

// Of several models the first is reached as the options say, each other with the key that its provider documents.
func TestChainOfModels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ model, env, want string }{
		{"openai:a,offline", "OPENAI_API_KEY=k", ""},
		{"offline, claude:b", "ANTHROPIC_API_KEY=k", ""},
		{"openai:a,gemini:b", "OPENAI_API_KEY=k", "model gemini:b: has no key; set MNEME_GOOGLE_API_KEY or GEMINI_API_KEY"},
		{"openai:a,", "OPENAI_API_KEY=k", "is not named"},
		{"offline", "MNEME_ANSWER_TOKENS=many", "no number of tokens"},
		{"cassette:nowhere.jsonl", "", "record it first"},
	} {
		c, err := resolve(map[string]string{"model": tc.model}, []string{tc.env})
		if err == nil {
			_, _, err = c.models(t.Context())
		}
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s with %s: got %v, want %q", tc.model, tc.env, err, tc.want)
		}
	}
}

// A variable that is near a known name is a mistake; any other is somebody's own, is said, and keeps no command from working.
func TestUnknownVariable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, says := range map[string]string{
		"MNEME_MODLE": "did you mean MNEME_MODEL?", "MNEME_ENCRYPTION_KEY": "did you mean MNEME_ENCRYPTION_KEYS?", "MNEME_SESS": "did you mean MNEME_SESSION?",
	} {
		if got := mneme(t, "", []string{name + "=1"}, "chat", "--dir", dir); got.code != 2 || !strings.Contains(got.err, says) {
			t.Errorf("%s: %+v, want 2 and %q", name, got, says)
		}
	}
	for _, name := range []string{"MNEME_HOME", "MNEME_FOO"} {
		got := mneme(t, "Hello.\n", []string{name + "=/srv"}, "chat", "--dir", dir)
		if want := "mneme: environment " + name + ": is not known and has no effect; `mneme doctor` lists all names\n"; got.code != 0 || got.err != want {
			t.Errorf("%s: %+v, want 0 and %q", name, got, want)
		}
	}
	if got := mneme(t, "", nil, "settings", "set", "nosuch=1", "--for", "user", "--dir", dir); got.code != 2 || strings.Contains(got.err, "did you mean") {
		t.Errorf("settings set nosuch = %+v, want no guess", got)
	}
}

// Each flag that says an option has a name of the catalogue, whatever command it is of.
func TestFlagsAreOfTheCatalogue(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.BindTo(t.Context(), (*context.Context)(nil)), kong.ExplicitGroups(groups()))
	must(t, err)
	said := 0
	for _, leaf := range parser.Model.Leaves(false) {
		for _, flags := range leaf.AllFlags(false) {
			for _, f := range flags {
				if !f.Tag.Has("option") {
					continue
				}
				name := optionOf(f)
				if said++; !slices.Contains(known(), name) {
					t.Errorf("%s has a flag --%s, which is in no catalogue", leaf.FullPath(), f.Name)
				}
				if _, after, names := strings.Cut(f.Help, "(or MNEME_"); names && !strings.HasPrefix(strings.NewReplacer(";", ")").Replace(after), strings.ToUpper(name)+")") {
					t.Errorf("%s: the help of --%s has another name for the environment: %s", leaf.FullPath(), f.Name, f.Help)
				}
			}
		}
	}
	if said < 300 {
		t.Errorf("%d flags say options, want those of all commands", said)
	}
}
