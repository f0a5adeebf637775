package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// elsewhere is a server that somebody's config.yaml names; it notes what it is sent.
type elsewhere struct {
	*httptest.Server
	mu   sync.Mutex
	got  []string // keys
	said string   // bodies
}

func listen(t *testing.T) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.got, e.said = append(e.got, r.Header.Get("Authorization")), e.said+string(body)
		e.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(e.Close)
	return e
}

// sent is what the server got since the last call: keys, and whether there was anything.
func (e *elsewhere) sent() (keys string, asked bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	keys, asked = strings.Join(e.got, ""), e.said != "" || e.got != nil
	e.got, e.said = nil, ""
	return keys, asked
}

// A folder that was handed over sends nothing to an address of its own, and no key of the environment ever; a person is asked once.
func TestConfigOfAFolderNeedsConsent(t *testing.T) {
	t.Parallel()
	server, dir := listen(t), t.TempDir()
	text := "model: openai:gpt-test\nbase_url: " + server.URL + "/v1\n"
	write(t, filepath.Join(dir, "config.yaml"), text)
	environ := []string{"OPENAI_API_KEY=sk-REAL0123456789", "XDG_CONFIG_HOME=" + t.TempDir()}
	chat := func(args ...string) result {
		return mneme(t, "hello\n", environ, append([]string{"chat", "--dir", dir}, args...)...)
	}

	// Nobody can be asked: refused, with the way out.
	got := chat()
	if _, asked := server.sent(); asked || got.code != 1 || !strings.Contains(got.err, "base_url sends") || !strings.Contains(got.err, "--config") {
		t.Errorf("without consent %+v, sent %v", got, asked)
	}
	asks := func(answer string) (string, error) {
		var out, errs bytes.Buffer
		con := &console{in: strings.NewReader(answer), out: &out, err: &errs, environ: environ, flags: map[string]string{"dir": dir}, answers: true, now: time.Now}
		_, err := con.resolve()
		return out.String() + errs.String(), err
	}

	// No is no, and is asked again; yes is asked once, for this folder and this address.
	for range 2 {
		if said, err := asks("n\n"); !errors.Is(err, state.ErrDenied) || !strings.Contains(said, server.URL) {
			t.Errorf("no: %q, %v", said, err)
		}
	}
	if _, err := asks("y\n"); err != nil {
		t.Error(err)
	}
	got = chat()
	if keys, asked := server.sent(); !asked || keys != "" || got.code != 0 || !strings.Contains(got.err, "OPENAI_API_KEY is not sent to "+server.URL) {
		t.Errorf("with consent %+v, sent %v, keys %q", got, asked, keys)
	}
	write(t, filepath.Join(dir, "config.yaml"), strings.ReplaceAll(text, "/v1", "/v2"))
	if got := chat(); got.code != 1 {
		t.Errorf("another address: %+v", got)
	}
	other := t.TempDir()
	write(t, filepath.Join(other, "config.yaml"), text)
	if got := mneme(t, "hello\n", environ, "chat", "--dir", other); got.code != 1 {
		t.Errorf("another folder: %+v", got)
	}

	// A file that is named is the user's own.
	write(t, filepath.Join(dir, "config.yaml"), text)
	got = chat("--config", filepath.Join(dir, "config.yaml"))
	if keys, _ := server.sent(); !strings.HasPrefix(keys, "Bearer sk-REAL0123456789") || got.code != 0 {
		t.Errorf("a named file %+v, keys %q", got, keys)
	}
}

// All that leads out of the folder is asked about; what stays in it, and what is nearer than the file, is not.
func TestWhatNeedsConsent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		environ    []string
		asks       string // "" = nothing
	}{
		{"nothing that leads out", "max_tokens: 900\nuser: anna\nmodel: openai:gpt-test\n", nil, ""},
		{"the model", "base_url: http://h/v1", nil, "base_url"},
		{"the small model", "small_model_base_url: http://h/v1", nil, "small_model_base_url"},
		{"the embedder", "embedder_base_url: http://h/v1", nil, "embedder_base_url"},
		{"batches", "memory_extraction_base_url: http://h/v1", nil, "memory_extraction_base_url"},
		{"the store", "mongo_uri: mongodb://u:geheim@h/db", nil, "mongo_uri keeps memory at mongodb://h/db"},
		{"vectors", "milvus_addr: h:19530", nil, "milvus_addr"},
		{"a recording", "record: /tmp/x", nil, "record"},
		{"a key's file", "api_key_file: /etc/passwd", nil, "api_key_file"},
		{"a variable is nearer", "base_url: http://h/v1", []string{"MNEME_BASE_URL=http://mine/v1"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "config.yaml"), tt.text)
			con := &console{in: strings.NewReader(""), environ: append(tt.environ, "XDG_CONFIG_HOME="+t.TempDir()), flags: map[string]string{"dir": dir}}
			_, err := con.resolve()
			switch {
			case tt.asks == "" && err != nil:
				t.Errorf("%v, want no question", err)
			case tt.asks != "" && (!errors.Is(err, state.ErrDenied) || !strings.Contains(err.Error(), tt.asks) || strings.Contains(err.Error(), "geheim")):
				t.Errorf("%v, want denied and %q", err, tt.asks)
			}
		})
	}
}

// No key of the environment goes to an address out of the folder's file, whichever model it is of.
func TestKeysAreWithheld(t *testing.T) {
	t.Parallel()
	const env = "OPENAI_API_KEY=sk-1 MNEME_API_KEY=sk-2 MNEME_SMALL_MODEL_API_KEY=sk-3 MNEME_EMBEDDER_API_KEY=sk-4 MNEME_MILVUS_TOKEN=sk-5 MNEME_MILVUS_PASSWORD=sk-6 ANTHROPIC_API_KEY=sk-7"
	for _, tt := range []struct{ name, text, key, want string }{
		{"own address", "model: openai:m", "api_key", "sk-2"},
		{"the model", "model: openai:m\nbase_url: http://h", "api_key", ""},
		{"the small model as the model", "model: openai:m\nsmall_model: openai:s\nbase_url: http://h", "small_model_api_key", ""},
		{"the small model", "small_model: claude:s\nsmall_model_base_url: http://h", "small_model_api_key", ""},
		{"the embedder", "embedder: openai:e\nembedder_base_url: http://h", "embedder_api_key", ""},
		{"the embedder's own", "embedder: openai:e", "embedder_api_key", "sk-4"},
		{"batches", "memory_extraction_provider: anthropic\nmemory_extraction_model: m\nmemory_extraction_base_url: http://h", "memory_extraction_api_key", ""},
		{"milvus", "milvus_addr: h:1", "milvus_token", ""},
		{"milvus, password", "milvus_addr: h:1", "milvus_password", ""},
		{"a key beside the address", "model: openai:m\nbase_url: http://h\napi_key: sk-file", "api_key", ""},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "config.yaml"), tt.text)
		c, err := resolve(map[string]string{"dir": dir}, strings.Fields(env))
		if err != nil || c.get(tt.key) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, c.get(tt.key), err, tt.want)
		}
		if key, _ := c.reach("openai:other"); tt.name == "the model" && key != "" {
			t.Errorf("%s: another model of the provider is sent %q", tt.name, key)
		}
	}
}

// A key may stand in a file; doctor does not show it, and a key that is nearer wins.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	file, empty := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "empty")
	write(t, file, "sk-FILE0123456789\n")
	write(t, empty, "\n")
	for _, tt := range []struct {
		name, environ string
		want          string
		code          state.Code
	}{
		{"a variable", "MNEME_API_KEY_FILE=" + file, "sk-FILE0123456789", ""},
		{"before what the provider documents", "MNEME_API_KEY_FILE=" + file + " OPENAI_API_KEY=sk-1", "sk-FILE0123456789", ""},
		{"behind the key itself", "MNEME_API_KEY_FILE=" + file + " MNEME_API_KEY=sk-1", "sk-1", ""},
		{"nothing in it", "MNEME_API_KEY_FILE=" + empty, "", state.Invalid},
		{"not there", "MNEME_API_KEY_FILE=" + file + "x", "", state.NotFound},
		{"without end", "MNEME_API_KEY_FILE=/dev/zero", "", state.Invalid},
	} {
		c, err := resolve(map[string]string{"dir": t.TempDir(), "model": "openai:m"}, strings.Fields(tt.environ))
		if state.CodeOf(err) != tt.code || err == nil && c.get("api_key") != tt.want {
			t.Errorf("%s: %q, %v, want %q, %q", tt.name, c.get("api_key"), err, tt.want, tt.code)
		}
	}
	got := mneme(t, "", []string{"MNEME_API_KEY_FILE=" + file}, "doctor", "--dir", t.TempDir())
	if got.code != 0 || strings.Contains(got.out, "sk-FILE") || !strings.Contains(got.out, "set, hidden") || !strings.Contains(got.out, file) {
		t.Errorf("%+v", got)
	}
}

// A config.yaml in the store's folder that is a link out of it is not read.
func TestConfigOfAFolderIsNoLink(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	write(t, file, "root:*:20228")
	must(t, os.Symlink(file, filepath.Join(dir, "config.yaml")))
	if got := mneme(t, "", nil, "doctor", "--dir", dir); got.code != 2 || strings.Contains(got.err, "root:") || !strings.Contains(got.err, "leads out of its folder") {
		t.Errorf("%+v", got)
	}
}
