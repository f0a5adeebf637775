package provider_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/state"
)

// servers are the providers behind HTTP.
func servers() []string {
	return []string{"openai:m-1", "ollama:m:7b", "ark:ep-1", "dashscope:text-embedding-v4"}
}

func TestOpenEmbedderNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "none"} {
		if e, err := provider.OpenEmbedder(t.Context(), provider.EmbedderConfig{Embedder: name}); e != nil || err != nil {
			t.Errorf("%q: got %v, %v", name, e, err)
		}
	}
}

func TestOpenEmbedderRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give provider.EmbedderConfig
		want string // part of the message
	}{
		{"unknown", provider.EmbedderConfig{Embedder: "opnai:m"}, `known are none, hashed, static, openai, ollama, ark, dashscope; did you mean "openai"?`},
		{"unknown with a slash", provider.EmbedderConfig{Embedder: "olama:org/m"}, `did you mean "ollama"?`},
		{"a word", provider.EmbedderConfig{Embedder: "hash"}, `did you mean "hashed"?`},
		{"no model", provider.EmbedderConfig{Embedder: "openai:", APIKey: testKey}, "give openai:MODEL"},
		{"no colon", provider.EmbedderConfig{Embedder: "ark", APIKey: testKey}, "give ark:MODEL"},
		{"space", provider.EmbedderConfig{Embedder: "ollama: m"}, "give ollama:MODEL"},
		{"no key", provider.EmbedderConfig{Embedder: "openai:m"}, "set MNEME_OPENAI_API_KEY or OPENAI_API_KEY"},
		{"no key of ark", provider.EmbedderConfig{Embedder: "ark:m"}, "or ARK_API_KEY"},
		{"no key of dashscope", provider.EmbedderConfig{Embedder: "dashscope:m"}, "or DASHSCOPE_API_KEY"},
		{"base without scheme", provider.EmbedderConfig{Embedder: "ollama:m", BaseURL: "localhost:11434"}, "http(s)://"},
		{"base with a password", provider.EmbedderConfig{Embedder: "openai:m", BaseURL: "http://u:" + testKey + "@h/v1"}, "must hold no user"},
		{"no folder", provider.EmbedderConfig{Embedder: "static:"}, "give static:DIR"},
		{"dimensions", provider.EmbedderConfig{Embedder: "hashed", Dim: -5}, "-5 dimensions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := provider.OpenEmbedder(t.Context(), tt.give)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), testKey) {
				t.Errorf("got %v, want Invalid that says %q and no key", err, tt.want)
			}
		})
	}
}

func TestEmbedderKeyVariables(t *testing.T) {
	t.Parallel()
	for give, want := range map[string][]string{
		"openai:m": {"MNEME_OPENAI_API_KEY", "OPENAI_API_KEY"}, "ark:m": {"MNEME_ARK_API_KEY", "ARK_API_KEY"},
		"dashscope:m": {"MNEME_DASHSCOPE_API_KEY", "DASHSCOPE_API_KEY"}, "ollama:m": nil, "none": nil, "hashed": nil, "./dir": nil,
	} {
		if got := provider.EmbedderKeyVariables(give); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", give, got, want)
		}
	}
}

// Vectors come in the order of the texts, whatever order the server gives them in; requests say what they should.
func TestEmbedderAnswers(t *testing.T) {
	t.Parallel()
	wants := map[string]vectorRequest{
		"openai:m-1":                  {Path: "/v1/embeddings", Model: "m-1", Dimensions: 3, Format: "float"},
		"ollama:m:7b":                 {Path: "/api/embed", Model: "m:7b", Truncate: new(bool)},
		"ark:ep-1":                    {Path: "/v1/embeddings", Model: "ep-1", Dimensions: 3, Format: "float"},
		"dashscope:text-embedding-v4": {Path: "/v1/embeddings", Model: "text-embedding-v4", Dimensions: 3, Format: "float"},
	}
	for _, name := range servers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveVectors(t)
			c := s.config(name)
			c.Dim = 3
			e := openEmbedder(t, c)
			texts := []string{"a", "bb", "ccc", "žluť"}
			got, err := e.Embed(t.Context(), texts...)
			must(t, err)
			wantVectors(t, got, texts...)
			requests, _ := s.seen()
			want := wants[name]
			want.Auth, want.Input = "Bearer "+testKey, texts
			if diff := cmp.Diff([]vectorRequest{want}, requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(e.String(), name+",") {
				t.Errorf("it is %q", e)
			}
		})
	}
}

// Without a key none is sent, not even a made-up one; without a dimension only DashScope's module asks for one.
func TestEmbedderDefaults(t *testing.T) {
	t.Parallel()
	for _, name := range servers() {
		s := serveVectors(t)
		c := s.config(name)
		c.APIKey = ""
		if strings.HasPrefix(name, "ollama:") {
			c.BaseURL += "/v1/" // of the OpenAI-compatible side
		}
		if _, err := openEmbedder(t, c).Embed(t.Context(), "a"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		requests, _ := s.seen()
		dim := 0
		if strings.HasPrefix(name, "dashscope:") {
			dim = 1024
		}
		if requests[0].Auth != "" || requests[0].Dimensions != dim {
			t.Errorf("%s: sent key %q, dimensions %d", name, requests[0].Auth, requests[0].Dimensions)
		}
	}
}

func TestEmbedderBatches(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"openai:m": 64, "ollama:m": 64, "ark:ep-1": 64, "dashscope:m": 10} {
		s := serveVectors(t)
		var texts []string
		for i := range 130 {
			texts = append(texts, strings.Repeat("x", i+1))
		}
		got, err := openEmbedder(t, s.config(name)).Embed(t.Context(), texts...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantVectors(t, got, texts...)
		requests, _ := s.seen()
		if len(requests) != (130+size-1)/size || len(requests[0].Input) != size {
			t.Errorf("%s: %d requests, the first of %d texts", name, len(requests), len(requests[0].Input))
		}
	}
}

// Every provider behaves alike under failure.
func TestEmbedderFailures(t *testing.T) {
	t.Parallel()
	fine := http.HandlerFunc(nil)
	quota := body(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "3")
	down := body(500, `{"error":{"message":"broken `+testKey+`"}}`)
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "500")
		_, _ = w.Write([]byte(`{"data":[`))
		drop(w)
	}
	tests := []struct {
		name    string
		replies []http.HandlerFunc
		want    error // nil = it works in the end
		says    string
		pauses  []time.Duration
	}{
		{"429, then fine", []http.HandlerFunc{quota, fine}, nil, "", []time.Duration{3 * time.Second}},
		{"500 for ever", []http.HandlerFunc{down, down, down, down}, state.ErrUnavailable, "does not answer (500)", []time.Duration{time.Second / 2, time.Second}},
		{"garbage, then fine", []http.HandlerFunc{body(200, "<html>"), fine}, nil, "", []time.Duration{time.Second / 2}},
		{"garbage for ever", []http.HandlerFunc{body(200, "{"), body(200, "[]"), body(200, `""`)}, state.ErrUnavailable, "holds no embeddings", []time.Duration{time.Second / 2, time.Second}},
		{"nothing in it", []http.HandlerFunc{body(200, `{}`), body(200, `{"data":[],"embeddings":[]}`), body(200, `null`)}, state.ErrUnavailable, "holds no embeddings", []time.Duration{time.Second / 2, time.Second}},
		{"an error with status 200", []http.HandlerFunc{body(200, `{"error":{"message":"no such key `+testKey+`","code":"401"}}`)}, state.ErrDenied, "401", nil},
		{"a key that is refused", []http.HandlerFunc{body(401, `{"error":"bad `+testKey+`"}`)}, state.ErrDenied, "refused the key (401)", nil},
		{"no such model", []http.HandlerFunc{body(404, `{"error":"model \"m\" not found, try pulling it first"}`)}, state.ErrInvalid, "try pulling it first", nil},
		{"cut, then fine", []http.HandlerFunc{cut, fine}, nil, "", []time.Duration{time.Second / 2}},
		{"too few vectors", []http.HandlerFunc{body(200, `{"data":[{"index":0,"embedding":[1,2,3]}],"embeddings":[[1,2,3]]}`)}, state.ErrUnavailable, "1 vectors for 2 texts", nil},
		{"numbers that are none", []http.HandlerFunc{body(200, `{"data":[{"index":0,"embedding":["a"]}],"embeddings":[["a"]]}`), fine}, errAny, "", nil},
	}
	for _, tt := range tests {
		for _, name := range servers() {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := serveVectors(t, tt.replies...)
				got, err := openEmbedder(t, s.config(name)).Embed(t.Context(), "a", "bb")
				if err != nil && strings.Contains(err.Error(), testKey) {
					t.Errorf("the key is in the error: %v", err)
				}
				_, pauses := s.seen()
				switch {
				case errors.Is(tt.want, errAny):
					if err != nil && !errors.Is(err, state.ErrUnavailable) {
						t.Errorf("got %v, want vectors or Unavailable", err)
					}
				case tt.want != nil:
					if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
						t.Errorf("got %v, want %v that says %q", err, tt.want, tt.says)
					}
				case err != nil:
					t.Error(err)
				default:
					wantVectors(t, got, "a", "bb")
				}
				if !errors.Is(tt.want, errAny) && !slices.Equal(pauses, tt.pauses) {
					t.Errorf("pauses %v, want %v", pauses, tt.pauses)
				}
			})
		}
	}
}

// errAny stands for an answer that one module notices and another repeats.
var errAny = errors.New("any")

// Answers that number their vectors in ways that cannot be are asked for again; none at all is taken as it comes.
func TestEmbedderIndex(t *testing.T) {
	t.Parallel()
	const a, b = `"embedding":[1,97,1]`, `"embedding":[2,98,1]`
	tests := []struct {
		name, data string
		again      bool
	}{
		{"in order", `{"index":0,` + a + `},{"index":1,` + b + `}`, false},
		{"out of order", `{` + b + `,"index":1},{"index":0,` + a + `}`, false},
		{"without", `{` + a + `},{` + b + `}`, false},
		{"all zero", `{"index":0,` + a + `},{"index":0,` + b + `}`, true},
		{"from one", `{"index":1,` + a + `},{"index":2,` + b + `}`, true},
		{"negative", `{"index":-1,` + a + `},{"index":0,` + b + `}`, true},
		{"some", `{` + a + `},{"index":1,` + b + `}`, true},
		{"no vector", `{"index":0},{"index":1,` + b + `}`, true},
		{"base64", `{"index":0,"embedding":"AACAPw=="},{"index":1,` + b + `}`, true},
		{"no object", `1,2`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serveVectors(t, body(200, `{"data":[`+tt.data+`]}`))
			got, err := openEmbedder(t, s.config("openai:m")).Embed(t.Context(), "a", "bb")
			must(t, err)
			wantVectors(t, got, "a", "bb")
			if requests, _ := s.seen(); (len(requests) == 2) != tt.again {
				t.Errorf("%d requests", len(requests))
			}
		})
	}
}

// A server that takes its time is given up by the caller's deadline, one that is silent by Timeout.
func TestEmbedderSlowServer(t *testing.T) {
	t.Parallel()
	for _, name := range servers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			s := serveVectors(t, hang, hang, nil)
			c := s.config(name)
			c.Now, c.Timeout = nil, time.Minute
			e := openEmbedder(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			_, err := e.Embed(ctx, "a")
			if !errors.Is(err, state.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want Unavailable because of the deadline", err)
			}
			c.Timeout = 200 * time.Millisecond
			got, err := openEmbedder(t, c).Embed(t.Context(), "a")
			if err != nil {
				t.Fatalf("after silence: %v", err)
			}
			wantVectors(t, got, "a")
			if _, pauses := s.seen(); len(pauses) == 0 {
				t.Error("the silent server was not asked again")
			}
		})
	}
}

// A long text is pooled of windows; one that the model still finds too long is asked for in halves, in the words of each server.
func TestEmbedderLongText(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("slovo ", 900))
	refusals := map[string]http.HandlerFunc{
		"nothing":  nil,
		"openai":   body(400, `{"error":{"message":"This model's maximum context length is 256 tokens, however you requested 400 tokens","code":400}}`),
		"ollama":   body(400, `{"error":"the input length exceeds the context length"}`),
		"tei":      body(413, `{"error":"Input validation error: inputs must have less than 512 tokens. Given: 700","error_type":"Validation"}`),
		"llamacpp": body(500, `{"error":{"code":500,"message":"input is too large to process. increase the physical batch size"}}`),
	}
	for name, refusal := range refusals {
		for _, model := range servers() {
			t.Run(name+"/"+model, func(t *testing.T) {
				t.Parallel()
				s := serveVectors(t, refusal)
				c := s.config(model)
				c.Retries = -1
				got, err := openEmbedder(t, c).Embed(t.Context(), long)
				must(t, err)
				requests, _ := s.seen()
				if len(got) != 1 || len(got[0]) != 3 || len(requests[0].Input) < 2 {
					t.Errorf("%v of %d windows", got, len(requests[0].Input))
				}
				if want := 1; refusal != nil && len(requests) <= want {
					t.Errorf("%d requests", len(requests))
				}
			})
		}
	}
	s := serveVectors(t, slices.Repeat([]http.HandlerFunc{refusals["ollama"]}, 50)...)
	_, err := openEmbedder(t, s.config("ollama:m")).Embed(t.Context(), "short")
	if !errors.Is(err, state.ErrInvalid) || !errors.Is(err, embed.ErrTooLong) {
		t.Errorf("a refusal for ever: %v", err)
	}
}

// A redirect takes neither key nor text to another host.
func TestEmbedderRedirect(t *testing.T) {
	t.Parallel()
	for _, name := range servers() {
		other := serveVectors(t)
		s := serveVectors(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusTemporaryRedirect)
		})
		if _, err := openEmbedder(t, s.config(name)).Embed(t.Context(), "a"); state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%s: %v, want invalid", name, err)
		}
		if requests, _ := other.seen(); len(requests) != 0 {
			t.Errorf("%s: the other host was sent %+v", name, requests)
		}
	}
}

func TestEmbedderConcurrent(t *testing.T) {
	t.Parallel()
	for _, name := range servers() {
		s := serveVectors(t)
		e := openEmbedder(t, s.config(name))
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 10 {
					texts := []string{strings.Repeat("x", 1+g*10+i), "same"}
					got, err := e.Embed(t.Context(), texts...)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					wantVectors(t, got, texts...)
				}
			})
		}
		wg.Wait()
	}
}

func TestOpenEmbedderHashed(t *testing.T) {
	t.Parallel()
	e := openEmbedder(t, provider.EmbedderConfig{Embedder: "hashed", Dim: 128})
	space, err := e.Space(t.Context())
	if err != nil || space.Model != "hashed-128" || space.Dim != 128 {
		t.Fatalf("%v, %v", space, err)
	}
	v, err := e.Embed(t.Context(), "invoices", "invoice", "horse")
	if err != nil || dot(v[0], v[1]) < dot(v[0], v[2])+0.2 {
		t.Errorf("%v: %g and %g", err, dot(v[0], v[1]), dot(v[0], v[2]))
	}
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A folder is a model by any way of naming it.
func TestOpenEmbedderFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "two")
	must(t, os.Mkdir(dir, 0o700))
	header := `{"embeddings":{"dtype":"I8","shape":[3,2],"data_offsets":[0,6]}}`
	files := map[string]string{
		"tokenizer.json":    `{"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1,"b":2}}}`,
		"config.json":       `{"normalize":true,"seq_length":64}`,
		"model.safetensors": string([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}) + header + string([]byte{9, 9, 3, 4, 4, 0xfd}), // -3
	}
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for _, name := range []string{dir, "static:" + dir, dir + "/"} {
		e := openEmbedder(t, provider.EmbedderConfig{Embedder: name, Dim: 2})
		v, err := e.Embed(t.Context(), "a", "b zebra", "a b")
		if err != nil || math.Abs(dot(v[0], v[1])) > 1e-6 || math.Abs(dot(v[0], v[2])-math.Sqrt(0.5)) > 1e-6 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if !strings.HasPrefix(e.String(), "static:two@") || !strings.Contains(e.String(), "windows of 64 tokens") {
			t.Errorf("%s is %s", name, e)
		}
	}
	_, err := provider.OpenEmbedder(t.Context(), provider.EmbedderConfig{Embedder: dir, Dim: 3})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "has 2 dimensions, not 3") {
		t.Errorf("another dimension: %v", err)
	}
	_, err = provider.OpenEmbedder(t.Context(), provider.EmbedderConfig{Embedder: filepath.Join(dir, "nowhere")})
	if !errors.Is(err, state.ErrNotFound) {
		t.Errorf("no folder: %v", err)
	}
	_, err = provider.OpenEmbedder(t.Context(), provider.EmbedderConfig{Embedder: t.TempDir()})
	if !errors.Is(err, state.ErrNotFound) || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Errorf("an empty folder: %v", err)
	}
}

// Any embedder takes the same call: one that needs no server, here.
func ExampleOpenEmbedder() {
	ctx := context.Background()
	e, err := provider.OpenEmbedder(ctx, provider.EmbedderConfig{Embedder: "hashed"})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := e.Embed(ctx, "the invoice of May", "invoices in May", "a horse")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e, dot(v[0], v[1]) > dot(v[0], v[2]))

	_, err = provider.OpenEmbedder(ctx, provider.EmbedderConfig{Embedder: "openai:text-embedding-3-small"})
	fmt.Println(err)
	// Output:
	// hashed-384, windows of 512 tokens true
	// embedder openai:text-embedding-3-small: has no key; set MNEME_OPENAI_API_KEY or OPENAI_API_KEY
}

// What our side costs for a batch of 64 texts with 1536 numbers each, the server's own time included.
func BenchmarkEmbedderBatch(b *testing.B) {
	var answer strings.Builder
	answer.WriteString(`{"object":"list","data":[`)
	for i := 63; i >= 0; i-- {
		fmt.Fprintf(&answer, `{"object":"embedding","index":%d,"embedding":[0.0123456`, i)
		answer.WriteString(strings.Repeat(",-0.01234567", 1535))
		answer.WriteString("]}")
		if i > 0 {
			answer.WriteByte(',')
		}
	}
	answer.WriteString(`],"usage":{"prompt_tokens":1,"total_tokens":1}}`)
	s := httptest.NewServer(body(200, answer.String()))
	defer s.Close()
	e, err := provider.OpenEmbedder(b.Context(), provider.EmbedderConfig{Embedder: "openai:m", BaseURL: s.URL})
	must(b, err)
	n := 0
	for b.Loop() {
		texts := make([]string, 64)
		for i := range texts {
			n++
			texts[i] = fmt.Sprint("text ", n)
		}
		if _, err := e.Embed(b.Context(), texts...); err != nil {
			b.Fatal(err)
		}
	}
}
