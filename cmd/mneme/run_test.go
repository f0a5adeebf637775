package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// result is what a command line came to.
type result struct {
	code     int
	out, err string
}

// mneme runs a command line with an environment of its own.
func mneme(t *testing.T, stdin string, environ []string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, environ, strings.NewReader(stdin), &out, &errs)
	return result{code, out.String(), errs.String()}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, args := range [][]string{
		{"--help"}, {"demo", "--help"}, {"chat", "--help"}, {"replay", "--help"}, {"recall", "--help"}, {"affairs", "--help"}, {"affairs", "show", "--help"},
		{"export", "--help"}, {"vault", "--help"}, {"vault", "import", "--help"},
		{"history", "--help"}, {"explain", "--help"}, {"graph", "--help"}, {"fork", "--help"}, {"resume", "--help"}, {"approve", "--help"}, {"prune", "--help"},
		{"copy", "--help"}, {"backup", "--help"}, {"keys", "--help"}, {"keys", "rotate", "--help"}, {"eval", "detect", "--help"}, {"eval", "retrieval", "--help"}, {"reindex", "--help"}, {"bench", "--help"}, {"doctor", "--help"},
		{"completion", "--help"}, {"settings", "set", "--help"}, {"brain", "--help"}, {"sessions", "--help"}, {"sessions", "end", "--help"}, {"audit", "--help"}, {"forget", "--help"}, {"hold", "--help"}, {"mcp", "--help"},
	} {
		got := mneme(t, "", nil, args...)
		if got.code != 0 || got.err != "" {
			t.Errorf("mneme %v = %d, %q, want 0 and nothing on stderr", args, got.code, got.err)
		}
		fmt.Fprintf(&b, "$ mneme %s\n%s\n", strings.Join(args, " "), got.out)
	}
	const golden = "testdata/help.txt"
	if *update {
		must(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("help (-want +got), rewrite with -update:\n%s", diff)
	}
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	write(t, bad, "turns: [{usr: hi}]")
	tests := []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    []string
	}{
		{"no command", nil, nil, 2, []string{"mneme: usage", "demo"}},
		{"unknown command", nil, []string{"dance"}, 2, []string{"dance"}},
		{"unknown flag", nil, []string{"demo", "--loud"}, 2, []string{"--loud"}},
		{"unknown language", nil, []string{"demo", "--lang", "de"}, 2, []string{"de", "en, cs, pl, ru"}},
		{"unknown setting by flag", nil, []string{"doctor", "--set", "max_tokes=1"}, 2, []string{"flag", `"max_tokens"`}},
		{"bad setting by flag", nil, []string{"doctor", "--set", "detect=magic"}, 2, []string{"detect", "rules, model, hybrid"}},
		{"unknown variable", []string{"MNEME_SWITCH_TRESHOLD=1"}, []string{"doctor"}, 2, []string{"MNEME_SWITCH_THRESHOLD"}},
		{"bad variable", []string{"SESSION_HISTORY_LIMIT=many"}, []string{"doctor"}, 2, []string{"environment SESSION_HISTORY_LIMIT", "many"}},
		{"no such file of settings", nil, []string{"doctor", "--config", "nowhere.yaml"}, 3, []string{"nowhere.yaml", "--config"}},
		{"unknown provider", []string{"MNEME_MODEL=acme:x"}, []string{"affairs", "--dir", dir}, 2, []string{"acme", "openai"}},
		{"no key", []string{"MNEME_MODEL=openai:gpt-4o-mini"}, []string{"affairs", "--dir", dir}, 2, []string{"OPENAI_API_KEY"}},
		{"no server", []string{"MNEME_MONGO_URI=mongodb://u:secret@127.0.0.1:1/x?serverSelectionTimeoutMS=50"}, []string{"affairs", "--dir", dir}, 5, []string{"127.0.0.1:1/x", "does not answer"}},
		{"bad address of a server", []string{"MNEME_MONGO_URI=secret@h"}, []string{"affairs", "--dir", dir}, 2, []string{"MNEME_MONGO_URI", "mongodb://HOST"}},
		{"bad address of Milvus", []string{"MNEME_MILVUS_ADDR=u:secret@h:1"}, []string{"chat", "--dir", dir}, 2, []string{"MNEME_MILVUS_ADDR", "names a user"}},
		{"unknown embedder", []string{"MNEME_EMBEDDER=opneai:x"}, []string{"affairs", "--dir", dir}, 2, []string{"opneai", `"openai"`}},
		{"recall of nothing", nil, []string{"recall", "--dir", dir, "q"}, 3, []string{"holds no store"}},
		{"bad dimension", []string{"MNEME_EMBEDDER_DIM=many", "MNEME_EMBEDDER=hashed"}, []string{"affairs", "--dir", dir}, 2, []string{"MNEME_EMBEDDER_DIM", "many"}},
		{"no embedder's key", []string{"MNEME_EMBEDDER=ark:x"}, []string{"affairs", "--dir", dir}, 2, []string{"ARK_API_KEY"}},
		{"recall of an unknown time", nil, []string{"recall", "--dir", dir, "--as-of", "May", "q"}, 2, []string{"--as-of", "2026-03-01"}},
		{"recall in an unknown scope", nil, []string{"recall", "--dir", dir, "--scope", "everything", "q"}, 2, []string{"--scope", "kb_only"}},
		{"reindex nothing", nil, []string{"reindex", "--dir", dir, "--embedder", "hashed"}, 3, []string{"holds no store"}},
		{"store mongo", nil, []string{"replay", "--store", "mongo", bad}, 2, []string{"MNEME_MONGO_URI"}},
		{"index milvus", nil, []string{"replay", "--index", "milvus", bad}, 2, []string{"MNEME_MILVUS_ADDR"}},
		{"unknown store", nil, []string{"replay", "--store", "paper", bad}, 2, []string{"embedded or mongo"}},
		{"no scenario file", nil, []string{"replay", "nowhere"}, 3, []string{"nowhere"}},
		{"bad scenario file", nil, []string{"replay", bad}, 2, []string{"bad.yaml:1", `"usr"`, `"user"`}},
		{"empty folder", nil, []string{"replay", t.TempDir()}, 3, []string{".yaml"}},
		{"no data", nil, []string{"eval", "detect", "--data", "nowhere.jsonl"}, 3, []string{"nowhere.jsonl"}},
		{"unknown figure", nil, []string{"bench", "--only", "turn.p50"}, 2, []string{"turn.p50_ms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := mneme(t, "", tt.environ, tt.args...)
			if got.code != tt.code || !strings.HasPrefix(got.err, "mneme: ") {
				t.Errorf("exit status %d, stderr %q, want %d and a line that begins with mneme:", got.code, got.err, tt.code)
			}
			for _, part := range tt.says {
				if !strings.Contains(got.err, part) {
					t.Errorf("stderr %q does not say %q", got.err, part)
				}
			}
			if strings.Contains(got.err, "secret") {
				t.Errorf("stderr %q shows a secret", got.err)
			}
		})
	}
}

func TestErrorsAsJSON(t *testing.T) {
	t.Parallel()
	got := mneme(t, "", nil, "affairs", "--json", "--dir", t.TempDir(), "--session", "a/b")
	var line struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(got.err), &line); err != nil {
		t.Fatalf("stderr %q is not JSON: %v", got.err, err)
	}
	if got.code != 2 || line.Error.Code != "invalid" || !strings.Contains(line.Error.Message, "session") || got.out != "" {
		t.Errorf("got %+v, want status 2, code invalid and the id named", got)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	want := map[state.Code]int{
		state.Invalid: 2, state.NotFound: 3, state.Conflict: 4, state.Denied: 1, state.Unavailable: 5, state.Internal: 1,
	}
	for code, exit := range want {
		if got := status(code); got != exit {
			t.Errorf("status(%s) = %d, want %d", code, got, exit)
		}
	}
	var con console
	con.err = new(bytes.Buffer)
	if got := con.fail(printed{state.Errorf(state.Conflict, "x", "y")}, false); got != 4 {
		t.Errorf("status of a printed conflict = %d, want 4", got)
	}
	if got := con.fail(fmt.Errorf("x: %w", errUnmet), true); got != 1 {
		t.Errorf("status of unmet expectations = %d, want 1", got)
	}
	if got := con.fail(errors.New("boom"), false); got != 1 {
		t.Errorf("status of an unknown error = %d, want 1", got)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(text), 0o644))
}
