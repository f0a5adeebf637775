package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(file, []byte("name: dana\nrole: a cook\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a table", []string{"agents", "--agents", dir}, 0, "dana"},
		{"as JSON", []string{"agents", "--agents", file, "--json"}, 0, `"core_tokens":`},
		{"not said", []string{"agents"}, 2, "MNEME_AGENTS"},
		{"not there", []string{"agents", "--agents", filepath.Join(dir, "none")}, 3, "name a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if got := run(t.Context(), tt.args, nil, strings.NewReader(""), &out, &out); got != tt.status || !strings.Contains(out.String(), tt.says) {
				t.Errorf("status %d, printed %q; want %d and %q", got, out.String(), tt.status, tt.says)
			}
		})
	}
}
