//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to, one that is silent, and a device that never ends hold no command that is told to end.
func TestReadingIsInterrupted(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	silent := filepath.Join(t.TempDir(), "silent")
	if err := syscall.Mkfifo(silent, 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := os.OpenFile(silent, os.O_RDWR, 0) // a writer that says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()

	for _, line := range []string{"import " + pipe, "import " + silent, "replay " + pipe, "eval mask --data " + silent, "eval retrieval --data " + pipe, "forget --all user"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if got := mneme(t, "Hello.\n", nil, "chat", "--dir", dir); got.code != 0 {
				t.Fatalf("chat = %+v", got)
			}
			args := strings.Fields(line)
			if args[0] == "import" || args[0] == "forget" {
				args = append(args, "--dir", dir)
			}
			in, typing, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			defer typing.Close()
			ctx, cancel := context.WithCancel(t.Context())
			var out, errs bytes.Buffer
			ended := make(chan int)
			go func() { ended <- run(ctx, args, nil, in, &out, &errs) }()
			cancel()
			if code := <-ended; code != 5 || !strings.Contains(errs.String(), "mneme: interrupted: what was finished is kept") || strings.Contains(errs.String(), "store call") {
				t.Errorf("mneme %s = %d, %q, want 5 and interrupted", line, code, errs.String())
			}
		})
	}
}
