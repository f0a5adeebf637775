package e2e_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A module of its own embeds each face by the public packages alone. Its process is killed while the host waits for a person, and another one
// goes on by the host's own means. The tool pays once.
func TestHostsOfAllFaces(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module")
	}
	program := filepath.Join(t.TempDir(), "host")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "host", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	tests := []struct{ face, asked, answered string }{
		{"invoke", "Run pay?", "I have paid 100."},
		{"export", "Run pay?", "I have paid 100."},
		{"agent", "Run pay?", "I have paid 100."},
		{"middleware", "I have paid 100.", "Pay the invoice of 100 for the brake pads. | I have paid 100."},
	}
	for _, tt := range tests {
		t.Run(tt.face, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first := exec.CommandContext(t.Context(), program, tt.face, dir, "ask")
			first.Stderr = os.Stderr
			out, err := first.StdoutPipe()
			must(t, err)
			must(t, first.Start())
			asked, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || strings.TrimSpace(asked) != tt.asked {
				t.Errorf("asked %q, %v", asked, err)
			}
			must(t, first.Process.Kill())
			_ = first.Wait()
			said, err := exec.CommandContext(t.Context(), program, tt.face, dir, "answer").CombinedOutput()
			if err != nil || strings.TrimSpace(string(said)) != tt.answered {
				t.Errorf("answered %q, %v", said, err)
			}
			paid, err := os.ReadFile(filepath.Join(dir, "paid"))
			if err != nil || string(paid) != "100\n" {
				t.Errorf("paid %q, %v", paid, err)
			}
		})
	}
}

// The module's Examples: handlers of other modules hear a turn, over HTTP, and are told no texts unless they are to be.
func TestExamplesOfTheHost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the examples again")
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-C", "host", "./...").CombinedOutput(); err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
}
