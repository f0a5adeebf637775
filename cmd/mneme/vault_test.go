package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lines of memory/README.md: export, edit, diff, import, brain.
func TestVault(t *testing.T) {
	t.Parallel()
	dir, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	vault := func(args ...string) result {
		return mneme(t, "", nil, append(append([]string{"vault"}, args...), "--dir", dir)...)
	}
	if got := vault("import", notes); got.code != 3 || !strings.Contains(got.err, "mneme") {
		t.Errorf("import without a store: %+v", got)
	}
	if got := mneme(t, "I live in Leeds.\nRemember that the hedge is cut in March\n/end\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat: %+v", got)
	}
	if got := vault("import", notes); got.code != 3 || !strings.Contains(got.err, "mneme vault export") {
		t.Errorf("import of nothing: %+v", got)
	}
	if got := vault("export", notes); got.code != 0 || !strings.Contains(got.out, "4 files of 1 agent") {
		t.Fatalf("export: %+v", got)
	}
	brain := filepath.Join(notes, "agents", "main", "memory", "brain.md")
	text, err := os.ReadFile(brain)
	if err != nil || !strings.Contains(string(text), "Leeds") {
		t.Fatalf("%s, %v", text, err)
	}
	write(t, brain, strings.Replace(string(text), "Leeds", "York", 1))
	if got := vault("diff", notes); got.code != 0 || !strings.Contains(got.out, "would correct "+filepath.ToSlash(brain)+":") {
		t.Errorf("diff: %+v", got)
	}
	var line struct {
		What, Text string
		Line       int
		Done       bool
	}
	got := vault("import", notes, "--json")
	if err := json.Unmarshal([]byte(got.out), &line); err != nil || got.code != 0 || line.What != "correct" || line.Text != "address: I live in York" || line.Line == 0 || !line.Done {
		t.Errorf("import: %+v, %v", got, err)
	}
	if got := mneme(t, "", nil, "brain", "--dir", dir); !strings.Contains(got.out, "address: I live in York") || strings.Contains(got.out, "Leeds") {
		t.Errorf("brain: %+v", got)
	}
	if got := vault("import", notes); got.code != 0 || !strings.Contains(got.out, "nothing was edited") {
		t.Errorf("imported again: %+v", got)
	}
	write(t, brain, "---\nmneme: brain\n")
	if got := vault("import", notes); got.code != 2 || !strings.Contains(got.out, "damaged "+filepath.ToSlash(brain)+":2: ") {
		t.Errorf("import of a damaged file: %+v", got)
	}
	if got := vault("export", notes); got.code != 4 || !strings.Contains(got.err, "--force") {
		t.Errorf("export over edits: %+v", got)
	}
	if got := vault("export", "--force", notes); got.code != 0 || !strings.Contains(got.out, "1 written") {
		t.Errorf("export by force: %+v", got)
	}
}

// A conversation in each language goes into its vault and comes back: nothing is edited, and an export behind it writes nothing.
func TestVaultInEveryLanguage(t *testing.T) {
	t.Parallel()
	for lang, talk := range map[string]struct{ said, heading, line, becomes string }{
		"en": {"I live in Leeds.\nRemember that the hedge is cut in March.\n", "## User", "hedge", "fence"},
		"cs": {"Bydlím v Olomouci.\nZapamatuj si, že živý plot se stříhá v březnu.\n", "## Uživatel", "plot", "keř"},
		"pl": {"Mieszkam w Krakowie.\nZapamiętaj, że żywopłot przycina się w marcu.\n", "## Użytkownik", "żywopłot", "krzew"},
		"ru": {"Я живу в Казани.\nЗапомни, что живую изгородь стригут в марте.\n", "## Пользователь", "изгородь", "ограду"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			dir, notes := t.TempDir(), t.TempDir()
			vault := func(args ...string) result {
				return mneme(t, "", nil, append(append([]string{"vault"}, args...), notes, "--dir", dir)...)
			}
			if got := mneme(t, talk.said+"/end\n", nil, "chat", "--dir", dir); got.code != 0 {
				t.Fatalf("chat: %+v", got)
			}
			vault("export")
			if got := vault("import"); got.code != 0 || !strings.Contains(got.out, "nothing was edited") {
				t.Errorf("import: %+v", got)
			}
			if got := vault("export"); got.code != 0 || !strings.Contains(got.out, " 0 written, 0 removed") {
				t.Errorf("export again: %+v", got)
			}
			brain := filepath.Join(notes, "agents", "main", "memory", "brain.md")
			text, err := os.ReadFile(brain)
			if err != nil || !strings.Contains(string(text), talk.heading+"\n") || !strings.Contains(string(text), talk.line) {
				t.Fatalf("%v:\n%s", err, text)
			}
			write(t, brain, strings.Replace(string(text), talk.line, talk.becomes, 1))
			if got := vault("import"); got.code != 0 || !strings.Contains(got.out, "corrected ") {
				t.Errorf("import of an edit: %+v", got)
			}
			if got := mneme(t, "", nil, "brain", "--dir", dir); !strings.Contains(got.out, talk.becomes) || strings.Contains(got.out, talk.line) {
				t.Errorf("brain: %+v", got)
			}
		})
	}
}

// Where memory is not edited without asking the import says how to go on.
func TestVaultSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	dir, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	if got := mneme(t, "Remember that I live in Leeds.\nRemember that the hedge is cut in March.\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	if got := mneme(t, "", nil, "vault", "export", "--dir", dir, notes); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	brain := filepath.Join(notes, "agents", "main", "memory", "brain.md")
	text, err := os.ReadFile(brain)
	must(t, err)
	edited := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("Leeds"), []byte("York")), []byte("hedge"), []byte("fence"))
	must(t, os.WriteFile(brain, edited, 0o600))
	for _, tt := range []struct {
		autonomy string
		code     int
		says     []string
	}{
		{"0", 1, []string{"read-only (autonomy 0)", "--set autonomy=2"}},
		{"1", 1, []string{"approval (autonomy 1)", "mneme suggestions", "--set autonomy=2"}},
		{"2", 0, []string{"corrected", "York"}},
	} {
		got := mneme(t, "", nil, "vault", "import", "--dir", dir, "--set", "autonomy="+tt.autonomy, notes)
		if got.code != tt.code {
			t.Errorf("autonomy %s: exit status %d: %s%s", tt.autonomy, got.code, got.out, got.err)
		}
		for _, want := range tt.says {
			if !strings.Contains(got.out+got.err, want) {
				t.Errorf("autonomy %s: %q is missing in %s%s", tt.autonomy, want, got.out, got.err)
			}
		}
		if waits := strings.Count(got.out, "as suggestion "); tt.autonomy == "1" && waits != 2 {
			t.Errorf("autonomy 1: %d of 2 edits wait: %s%s", waits, got.out, got.err)
		}
	}
}

// An embedding_model that is set for all is opened by the next process; one that cannot be had keeps nobody from memory, and is told of.
func TestEmbedderSetForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(code int, in string, args ...string) string {
		t.Helper()
		got := mneme(t, in, nil, append(args, "--dir", dir)...)
		if got.code != code {
			t.Fatalf("%v: exit status %d, want %d: %s%s", args, got.code, code, got.out, got.err)
		}
		return got.out + got.err
	}
	run(0, "My door code is zx4711q.\n", "chat")
	run(0, "", "settings", "set", "--for", "global", "embedding_model=no-such-model", "--by", "olga")
	if out := run(0, "Hello\n", "chat"); !strings.Contains(out, "embedding_model of the global settings is not used") {
		t.Errorf("chat: %s", out)
	}
	if out := run(0, "", "doctor"); !strings.Contains(out, "embedding_model of the global settings is not used") {
		t.Errorf("doctor: %s", out)
	}
	run(0, "", "settings", "set", "--for", "global", "embedding_provider=ollama", "--by", "olga")
	if out := run(5, "", "doctor"); !strings.Contains(out, "ollama:no-such-model") {
		t.Errorf("doctor with one that could be opened: %s", out)
	}
}
