package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chat := filepath.Join(dir, "chat.jsonl")
	lines := `{"op":"turn","session":"monday","id":"1","role":"user","at":"2025-03-03T09:00:00Z","text":"I ordered brake pads, order number 07-14244-53150."}
{"op":"turn","session":"monday","id":"2","role":"assistant","text":"They come on Friday."}
`
	must(t, os.WriteFile(chat, []byte(lines), 0o600))
	memories := filepath.Join(dir, "mem0.json")
	must(t, os.WriteFile(memories, []byte(`[{"id":"a","memory":"Lives in Brno"}]`), 0o600))
	run := func(code int, want string, args ...string) {
		t.Helper()
		got := mneme(t, "", nil, append(args, "--dir", filepath.Join(dir, "memory"))...)
		if text := got.out + got.err; got.code != code || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%v: status %d, want %d with %q:\n%s", args, got.code, code, want, text)
		}
	}
	run(0, "took in 2 messages of 1 session, with 1 affair session monday: 2 messages, affair Brake pads", "import", chat, "--user", "ann")
	run(0, "nothing is new; there already: 2 messages", "import", chat, "--user", "ann")
	run(0, `{"messages":0,"sessions":1,"affairs":1,"present":2,"where":[{"session":"monday","messages":0,"affairs":["Brake pads`, "import", chat, "--user", "ann", "--json")
	run(0, "Brake pads", "affairs", "--user", "ann")
	run(0, "took in 2 messages of 1 session, with 0 affairs session monday: 2 messages, no affair; found by recall 2 of 2 messages", "import", chat, "--user", "bob", "--no-affairs")
	run(0, "took in 1 record: 1 in the brain", "import", memories, "--user", "ann")
	run(0, "Lives in Brno", "brain", "--user", "ann")
	run(0, "took in 6 messages of 2 sessions", "import", "../../graph/importer/testdata/langgraph.sqlite", "--user", "eve")

	// What was exported comes back; what is to be read does not.
	exported := filepath.Join(dir, "exported")
	write := func(args ...string) {
		t.Helper()
		got := mneme(t, "", nil, append(args, "--dir", filepath.Join(dir, "memory"))...)
		if err := os.WriteFile(exported, []byte(got.out), 0o600); err != nil || got.code != 0 {
			t.Fatal(got.err, err)
		}
	}
	write("export", "--session", "monday", "--user", "ann")
	run(0, "there already: 2 messages", "import", exported, "--user", "ann")
	run(0, "session monday: 2 messages, affair Brake pads", "import", exported, "--user", "dan")
	write("export", "--session", "monday", "--user", "ann", "--format", "md")
	run(2, "its md is to be read by people", "import", exported, "--user", "dan")
	run(2, "is not known", "import", chat, "--zone", "Moon/Dark")
	run(3, "is not there", "import", chat+"-missing", "--format", "langgraph")
	run(3, "is not there", "import", chat+"-missing")
	run(2, "line 1", "import", memories, "--format", "turns")
}

// Everything of a user goes into a file and out of it into an empty store, where recall answers the same; a file that was changed is refused.
func TestImportPerson(t *testing.T) {
	t.Parallel()
	dir, to := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "new")
	file, spoilt := filepath.Join(t.TempDir(), "anna.jsonl"), filepath.Join(t.TempDir(), "spoilt.jsonl")
	if got := mneme(t, "Never forget that my locker has number qv9902k.\nI ordered brake pads, order 07-14244-53150.\n", nil, "chat", "--dir", dir, "--user", "anna"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	written := mneme(t, "", nil, "export", "--dir", dir, "--user", "anna", "--format", "person")
	must(t, os.WriteFile(file, []byte(written.out), 0o600))
	must(t, os.WriteFile(spoilt, []byte(strings.Replace(written.out, "qv9902k", "qv9902x", 1)), 0o600))
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"import", "--dir", to, "--user", "anna", spoilt}, 2, "was changed since it was written"},
		{[]string{"import", "--dir", to, "--user", "anna", file}, 0, "took in user anna of client default"},
		{[]string{"import", "--dir", to, "--user", "anna", "--json", file}, 0, `"sha256"`},
		{[]string{"import", "--dir", dir, "--user", "ben", file}, 0, "took in user anna"},
		{[]string{"export", "--dir", dir, "--user", "nobody", "--format", "person"}, 3, "has no memory here"},
	} {
		if got := mneme(t, "", nil, tt.args...); got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("mneme %v = %+v, want %d and %q", tt.args, got, tt.code, tt.says)
		}
	}
	for _, args := range [][]string{{"recall", "--json", "locker number"}, {"brain", "--json"}, {"affairs", "--json"}, {"audit", "--json"}} {
		there, here := mneme(t, "", nil, append(args, "--dir", dir, "--user", "anna")...), mneme(t, "", nil, append(args, "--dir", to, "--user", "anna")...)
		if args[0] == "recall" { // how recent a hit is differs by the moment of asking
			there.out, here.out = textsOf(there.out), textsOf(here.out)
		}
		if there.out != here.out || there.out == "" {
			t.Errorf("mneme %v:\nthere %s\nhere %s", args, there.out, here.out)
		}
	}
	if got := mneme(t, "", nil, "recall", "--json", "locker number", "--dir", dir, "--user", "ben"); !strings.Contains(got.out, "qv9902k") {
		t.Errorf("under another name: %+v", got)
	}
}

// textsOf returns the texts of hits, in their order.
func textsOf(hits string) string {
	return strings.Join(regexp.MustCompile(`"text":"[^"]*"`).FindAllString(hits, -1), "\n")
}
