//go:build unix

package agents_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-graph/mneme/graph/agents"
	"github.com/mneme-graph/mneme/state"
)

// To open a pipe would wait for ever.
func TestAPipeIsNoDefinition(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "a.yaml")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{dir, pipe} {
		if _, err := agents.Load(path); state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "is no file") {
			t.Errorf("%s: %v, want invalid", path, err)
		}
	}
}
