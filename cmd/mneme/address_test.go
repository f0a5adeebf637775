package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMasked(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		".mneme":         ".mneme",
		"/home/a@b/c?d":  "/home/a@b/c?d",
		`C:\mneme`:       `C:\mneme`,
		"mongodb://h/db": "mongodb://h/db",
		"mongodb://user:s@cret@h1:1,h2:2/db?x=secret":   "mongodb://h1:1,h2:2/db",
		"mongodb+srv://u@h":                             "mongodb+srv://h",
		"mongodb://u:secret%zz":                         "mongodb://...",
		"http://u:secret@h:8080/v1":                     "http://h:8080/v1",
		"https://h/v1?key=secret":                       "https://h/v1",
		"https://h/v1#secret":                           "https://h/v1",
		"http://u:se?secret@h/v1":                       "http://...",
		"http://h/v1?mail=a@secret":                     "http://...",
		"mongo:/u:secret@h/x":                           "mongo:/h/x",
		`Get "http://u:secret@h/x?k=secret": no answer`: `Get "http://h/x": no answer`,
		"source: mongo://u:secret@h/x: is none":         "source: mongo://h/x: is none",
	} {
		if got := masked(address); got != want {
			t.Errorf("masked(%q) = %q, want %q", address, got, want)
		}
	}
	if got := maskedHost("u:secret@h:19530"); got != "h:19530" {
		t.Errorf("maskedHost = %q, want the host", got)
	}
}

// Whatever an address is put into, its user, password and options are not printed.
func TestNoCommandShowsAddressSecrets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		environ string
		args    string
		code    int
	}{
		{"base URL", "MNEME_BASE_URL=http://someone:secret@h/v1?key=secret", "doctor --dir DIR", 0},
		{"base URL, asked", "MNEME_BASE_URL=http://someone:secret@h/v1", "doctor --dir DIR --set model=openai:m --set small_model=openai:m", 2},
		{"base URL in JSON", "MNEME_BASE_URL=http://someone:secret@h/v1?key=secret", "doctor --json --dir DIR", 0},
		{"base URL of the embedder", "MNEME_EMBEDDER_BASE_URL=http://someone:secret@h/v1?key=secret", "doctor --dir DIR", 0},
		{"base URL of the embedder, asked", "MNEME_EMBEDDER_BASE_URL=http://someone:secret@h/v1", "doctor --dir DIR --embedder ollama:m", 2},
		{"base URL by a provider's name", "OPENAI_BASE_URL=http://someone:secret@h/v1", "doctor --dir DIR --set model=openai:m", 2},
		{"server", "MNEME_MONGO_URI=mongodb://someone:secret@127.0.0.1:1/x?serverSelectionTimeoutMS=50", "doctor", 5},
		{"server with a bad address", "MNEME_MONGO_URI=mongodb://someone:secret@127.0.0.1:1:1/x?y=secret", "doctor", 2},
		{"Milvus", "MNEME_MILVUS_ADDR=someone:secret@h:1", "doctor --dir DIR", 2},
		{"copy from", "", "copy --from mongo://someone:secret@h/x --to DIR", 2},
		{"copy to", "", "copy --from DIR --to mongodb:/someone:secret@h/x", 2},
		{"copy in JSON", "", "copy --json --from mongo://someone:secret@h/x --to DIR", 2},
		{"folder", "", "chat --dir mongo://someone:secret@h/x", 2},
		{"folder looked at", "", "doctor --dir mongo://someone:secret@h/x", 2},
		{"folder to read", "", "affairs --dir postgres://someone:secret@h/x", 2},
		{"folder to back up", "", "backup --dir mongo://someone:secret@h/x DIR/b", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if got := mneme(t, "Hello!\n", nil, "chat", "--dir", dir); got.code != 0 {
				t.Fatalf("chat = %+v", got)
			}
			var environ []string
			if tt.environ != "" {
				environ = []string{tt.environ}
			}
			got := mneme(t, "", environ, strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))...)
			if shown := got.out + got.err; got.code != tt.code || strings.Contains(shown, "secret") || strings.Contains(shown, "someone") {
				t.Errorf("mneme %s = %d and %s%s\nwant %d, without user, password and options", tt.args, got.code, got.out, got.err, tt.code)
			}
		})
	}
	if made, _ := filepath.Glob("*:"); len(made) > 0 {
		t.Errorf("folders were made: %q", made)
	}
}
