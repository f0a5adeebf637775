package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

// planted are texts with secrets of four languages, of which each secret is one that the masker knows.
func planted(t *testing.T, m *memory.Memory) (texts, secrets []string) {
	t.Helper()
	names, err := filepath.Glob("../memory/score/testdata/mask/*-dev.jsonl")
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		file, err := os.Open(name)
		must(t, err)
		defer file.Close()
		n := 0
		for lines := bufio.NewScanner(file); lines.Scan() && n < 12; {
			var l struct {
				Text    string
				Secrets []string
			}
			must(t, json.Unmarshal(lines.Bytes(), &l))
			masked := m.Mask(l.Text)
			for _, s := range l.Secrets {
				if len(s) < 8 || strings.Contains(masked, s) {
					continue
				}
				secrets = append(secrets, s)
				if texts == nil || texts[len(texts)-1] != l.Text {
					texts = append(texts, l.Text)
					n++
				}
			}
		}
	}
	return texts, secrets
}

// TestNoSecretIsLeft says secrets as a user, a model and a tool do, and looks for them in everything that the run left: files, documents,
// the log, the conversation, what recall finds.
func TestNoSecretIsLeft(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	var log, accounts bytes.Buffer
	n := 0
	leaf, err := hashed.New(hashed.Config{})
	must(t, err)
	embedder, err := embed.New(embed.Config{Name: "hashed", Model: leaf})
	must(t, err)
	g, err := embedded.OpenConfig(t.Context(), dir, graph.Config{
		Model: offline.New(), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now: clockAt(at), NewID: func() string { n++; return fmt.Sprintf("id-%d", n) },
		Embedder: embedder, Unfolded: true,
	})
	must(t, err)
	defer g.Close()
	texts, secrets := planted(t, g.Memory())
	if len(secrets) < 40 {
		t.Fatalf("%d secrets in %d texts: want more", len(secrets), len(texts))
	}

	// Every text is said, put into metadata and a file, repeated by the model, and stored by it.
	for i, text := range texts {
		args, err := json.Marshal(map[string]string{"subject": "what was said", "content": text, "category": "fact"})
		must(t, err)
		store, scope := i%2 == 0, goldenScope(fmt.Sprintf("s%d", i%4))
		r, err := g.Invoke(t.Context(), graph.Request{
			Scope: scope, Text: text, Metadata: map[string]string{"subject": text[:min(len(text), 200)]},
			Attachments: []state.Attachment{{Name: "note.txt", Text: text}},
			StyleNotes:  text, PreferenceScope: []state.PreferenceScope{state.GlobalPreference, state.SessionPreference}[i%2],
			ExtraContext: state.ExtraContext{
				Files: []state.Attachment{{Name: "more.txt", Text: text}}, Notes: []string{text}, Paths: []string{"notes about: " + text},
				Links: []string{"https://ann:" + url.PathEscape(secrets[i%len(secrets)]) + "@files.example/x"},
			},
			StoreKnowledge: &store,
			Model:          scripted.New([]scripted.Step{scripted.Call("memory_store", string(args)), scripted.Say("You said: " + text)}, nil),
		})
		must(t, err)
		if _, err := g.Memory().Sessions().Edit(t.Context(), scope, sessions.Change{Title: text, End: i%6 == 5}); err != nil {
			t.Fatal(err)
		}
		account, err := g.Explain(t.Context(), scope, r.Turn)
		must(t, err)
		must(t, account.Explain(&accounts))
	}
	must(t, g.Memory().Vectors().Settle(t.Context(), goldenScope("s0")))

	// What is left of it.
	left := map[string][]byte{"the log": log.Bytes(), "the accounts": accounts.Bytes()}
	for _, c := range store.Collections() {
		for after := ""; ; {
			docs, err := g.Store().Scan(t.Context(), store.Query{Collection: c, After: after, Limit: 100})
			must(t, err)
			if len(docs) == 0 {
				break
			}
			for _, d := range docs {
				left[string(c)] = append(left[string(c)], d.Body...)
				after = d.ID
			}
		}
	}
	hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: goldenScope("s0"), Text: "password key token", Limit: 50})
	if err != nil || len(hits) == 0 {
		t.Fatal(hits, err)
	}
	left["what recall finds"] = fmt.Append(nil, hits)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		left[path], err = os.ReadFile(path)
		return err
	})
	must(t, err)
	if said := "You said: "; !bytes.Contains(left[string(state.Messages)], []byte(said)) {
		t.Errorf("the messages hold no %q: nothing was looked at", said)
	}
	for where, raw := range left {
		for _, s := range secrets {
			if bytes.Contains(raw, []byte(s)) {
				t.Errorf("%s holds %q", where, s)
			}
		}
	}
}

var must, same = statetest.Must, statetest.Same
