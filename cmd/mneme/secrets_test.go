package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsTellNoSecret types secrets into a chat and looks for them in all that the commands print of it, in the store and in its
// backup.
func TestCommandsTellNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, copied := filepath.Join(dir, "store"), filepath.Join(dir, "copy")
	const key, password, card = "sk-live-9fQ2LmX7vT4bR8zK1wYp", "Hm7!rakov-Tisza", "4556 7375 8689 9855"
	said := strings.Join([]string{
		"I ordered brake pads, order 07-14244-53150, paid with card " + card,
		"here is my api key " + key, "heslo k wifi je " + password,
		"```\nAPI_KEY=" + key + "\n" + strings.Repeat("line of a log, nothing to see\n", 60) + "```", "/why", "/rename The " + key, "/end", "What is my order number?", "",
	}, "\n")
	talk := mneme(t, said, nil, "chat", "--session", "s1", "--style-notes", "sign with "+key, "--trace", "--dir", store)
	outputs := map[string]string{"chat": talk.out + talk.err}
	for _, args := range [][]string{
		{"export", "--session", "s1"}, {"export", "--session", "s1", "--format", "md"}, {"explain", "--session", "s1"}, {"explain", "--session", "s1", "--json"},
		{"sessions", "--json"}, {"affairs", "--json"}, {"affairs", "show", "Brake pads", "--all", "--json"}, {"history", "--session", "s1", "--json"},
		{"recall", "api key", "--json"}, {"recall", "heslo k wifi", "--json"}, {"backup", copied},
	} {
		got := mneme(t, "", nil, append(args, "--dir", store)...)
		if got.code != 0 {
			t.Errorf("%q: %+v", args, got)
		}
		outputs[strings.Join(args, " ")] = got.out + got.err
	}
	if page := outputs["export --session s1 --format md"]; !strings.Contains(page, "07-14244-53150") || strings.Count(page, "[masked ") < 4 {
		t.Errorf("what is no secret is gone, or what is one left no placeholder: %s", page)
	}
	for _, root := range []string{store, copied} {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			outputs[name] = string(bytes.ToLower(data))
			return err
		})
		must(t, err)
	}
	for name, text := range outputs {
		for _, secret := range []string{key, password, card, strings.ReplaceAll(card, " ", "")} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
	}
}
