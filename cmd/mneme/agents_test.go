package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	must(t, os.WriteFile(file, []byte("name: dana\nrole: a cook\n"), 0o600))
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	must(t, os.WriteFile(bad, []byte("name: emil\nrole: a reader\nmodels: {chat: nobody:x, small: openai:y}\n"), 0o600))
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a table", []string{"agents", "--agents", dir}, 0, "dana"},
		{"as JSON", []string{"agents", "--agents", file, "--json"}, 0, `"core_tokens":`},
		{"models that cannot be opened", []string{"agents", "--agents", bad}, 2, `unknown provider "nobody"`},
		{"all of them", []string{"agents", "--agents", bad}, 2, "agent emil: model openai:y: has no key"},
		{"doctor says it", []string{"doctor", "--dir", dir + "/none", "--agents", bad}, 2, "agent emil: model nobody:x"},
		{"no turn begins", []string{"chat", "--dir", dir + "/store", "--agents", bad, "--agent", "emil"}, 2, "agent emil: model nobody:x"},
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

// TestKeysOfAgentsModels makes sure that each model is reached with the key of its provider.
func TestKeysOfAgentsModels(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Get("Authorization"))
		http.Error(w, "no", http.StatusBadRequest)
	}))
	t.Cleanup(at.Close)
	c, err := resolve(map[string]string{"config": "", "dir": t.TempDir()}, []string{
		"MNEME_MODEL=openai:a", "OPENAI_API_KEY=k-openai", "MNEME_BASE_URL=" + at.URL,
		"MNEME_SMALL_MODEL=ollama:b", "MNEME_SMALL_MODEL_API_KEY=k-ollama", "MNEME_SMALL_MODEL_BASE_URL=" + at.URL, "DEEPSEEK_API_KEY=k-deepseek",
	})
	must(t, err)
	for _, name := range []string{"openai:other", "ollama:b", "ollama:other"} {
		m, err := c.openModel(t.Context(), name)
		must(t, err)
		if _, err := m.Generate(t.Context(), []*schema.Message{schema.UserMessage("hi")}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if want := []string{"Bearer k-openai", "Bearer k-ollama", "Bearer k-ollama"}; !slices.Equal(seen, want) {
		t.Errorf("keys %v, want %v", seen, want)
	}
	if _, err := c.openModel(t.Context(), "deepseek:x"); err != nil {
		t.Errorf("a provider that neither model has: %v", err)
	}
	if _, err := c.openModel(t.Context(), "openrouter:x"); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("one without a key: error %v", err)
	}
}

// What a flag of chat does not do is said, beside the replies.
func TestChatSaysWhatHasNoEffect(t *testing.T) {
	t.Parallel()
	got := mneme(t, "The parcel arrives on Friday.\n", nil, "chat", "--dir", t.TempDir(), "--agent", "nosuch", "--preferred-language", "pl")
	if got.code != 0 || !strings.Contains(got.err, "agent nosuch: is not defined") || !strings.Contains(got.err, "--preferred-language: ") {
		t.Errorf("chat = %+v, want both said", got)
	}
	if got := mneme(t, "The parcel arrives on Friday.\n", nil, "chat", "--dir", t.TempDir()); got.err != "" {
		t.Errorf("chat says %q, want nothing", got.err)
	}
}
