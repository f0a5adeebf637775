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

// What waits for an answer ends when it is told to end.
func TestReadingIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "Hello.\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	in, typing, err := os.Pipe()
	must(t, err)
	defer in.Close()
	defer typing.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"forget", "--all", "user", "--dir", dir}, nil, in, &out, &errs) }()
	cancel()
	if code := <-ended; code != 5 || !strings.Contains(errs.String(), "mneme: interrupted: what was finished is kept") || strings.Contains(errs.String(), "store call") {
		t.Errorf("forget = %d, %q, want 5 and interrupted", code, errs.String())
	}
}

// To open a pipe waits for a writer, and to read one for what he says: whatever a command reads, a pipe in its place is refused at once, by name.
func TestAPipeIsNoFile(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	pipe := func(names ...string) string {
		path := filepath.Join(append([]string{top}, names...)...)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		return path
	}
	one := pipe("one")
	model, settings, store, log, mark := pipe("model", "tokenizer.json"), pipe("settings", "config.yaml"), pipe("store", "store.db"), pipe("log", "store.db-wal"), pipe("mark", "store.mark")
	tensors, config, consents := pipe("tensors", "model.safetensors"), pipe("config", "config.json"), pipe("home", "mneme", "consents")
	stories, agents, brain := pipe("stories", "a.yaml"), pipe("agents", "a.yaml"), pipe("vault", "agents", "main", "memory", "brain.md")
	write(t, filepath.Join(top, "tensors", "tokenizer.json"), `{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1},"unk_token":"[UNK]"}}`)
	write(t, filepath.Join(top, "home", "config.yaml"), "base_url: http://127.0.0.1:9/v1\n")
	for _, name := range []string{"log", "mark"} {
		write(t, filepath.Join(top, name, "store.db"), "")
	}

	for _, tt := range []struct {
		line, names string
		environ     []string
	}{
		{"doctor --config PIPE", one, nil},
		{"chat --config PIPE", one, nil},
		{"chat --dir PIPE", one, nil},
		{"chat --dir " + filepath.Dir(settings), settings, nil},
		{"chat --dir " + filepath.Dir(store), store, nil},
		{"chat --dir " + filepath.Dir(log), log, nil},
		{"chat --dir " + filepath.Dir(mark), mark, nil},
		{"chat --dir " + filepath.Join(top, "home"), consents, []string{"XDG_CONFIG_HOME=" + filepath.Join(top, "home")}},
		{"chat", one, []string{"MNEME_API_KEY_FILE=" + one}},
		{"chat", one, []string{"MNEME_MODEL=cassette:" + one}},
		{"chat --record PIPE", one, nil},
		{"chat --set embedder=static:PIPE", one, nil},
		{"chat --set embedder=static:" + filepath.Dir(model), model, nil},
		{"chat --set embedder=static:" + filepath.Dir(tensors), tensors, nil},
		{"chat --set embedder=static:" + filepath.Dir(config), config, nil},
		{"chat --agents PIPE", one, nil},
		{"agents --agents " + filepath.Dir(agents), agents, nil},
		{"import PIPE", one, nil},
		{"import --format langgraph PIPE", one, nil},
		{"vault export PIPE", one, nil},
		{"vault import PIPE", one, nil},
		{"vault diff PIPE", one, nil},
		{"vault import " + filepath.Join(top, "vault"), brain, nil},
		{"replay PIPE", one, nil},
		{"replay " + filepath.Dir(stories), stories, nil},
		{"eval commands --data PIPE", one, nil},
		{"eval detect --data PIPE", one, nil},
		{"eval mask --data PIPE", one, nil},
		{"eval retrieval --data PIPE", one, nil},
		{"copy --from PIPE --to " + filepath.Join(top, "new"), one, nil},
		{"copy --skip-damaged --from " + filepath.Dir(store) + " --to " + filepath.Join(top, "new"), store, nil},
		{"copy --skip-damaged --from " + filepath.Dir(log) + " --to " + filepath.Join(top, "new"), log, nil},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if words := strings.Fields(tt.line); words[0] == "vault" || words[0] == "import" {
				if got := mneme(t, "Hello.\n", nil, "chat", "--dir", dir); got.code != 0 {
					t.Fatalf("chat = %+v", got)
				}
			}
			args := strings.Fields(strings.ReplaceAll(tt.line, "PIPE", one))
			if !strings.Contains(tt.line, "--dir") {
				tt.environ = append(tt.environ, "MNEME_DIR="+dir)
			}
			if got := mneme(t, "", tt.environ, args...); got.code != 2 || !strings.Contains(got.out+got.err, tt.names) {
				t.Errorf("mneme %s = %+v, want 2 and %s", strings.Join(args, " "), got, tt.names)
			}
		})
	}
}
