package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cloudwego/eino-ext/components/embedding/dashscope"
	"github.com/cloudwego/eino-ext/components/embedding/ollama"
	"github.com/cloudwego/eino-ext/components/embedding/openai"
	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/state"
)

// embedderEndpoint is where embeddings are asked for: a provider's row with the model and base URL of one config.
type embedderEndpoint struct {
	endpoint
	batch int   // texts a call
	check check // reads an answer
	open  func(ctx context.Context, at embedderEndpoint, c EmbedderConfig, client *http.Client) (embedding.Embedder, error)
}

// embedderEndpoints lists the known providers. Ark answers as OpenAI does and goes by its module; doc.go says why.
// DashScope takes ten texts a call.
func embedderEndpoints() []embedderEndpoint {
	return []embedderEndpoint{
		{endpoint{provider: "openai", baseURL: "https://api.openai.com/v1", variables: []string{"MNEME_OPENAI_API_KEY", "OPENAI_API_KEY"}},
			64, checkEmbeddings, openOpenAI},
		{endpoint{provider: "ollama", baseURL: "http://127.0.0.1:11434"}, 64, checkOllama, openOllama},
		{endpoint{provider: "ark", baseURL: "https://ark.cn-beijing.volces.com/api/v3", variables: []string{"MNEME_ARK_API_KEY", "ARK_API_KEY"}},
			64, checkEmbeddings, openOpenAI},
		{endpoint{provider: "dashscope", baseURL: dashscopeURL, variables: []string{"MNEME_DASHSCOPE_API_KEY", "DASHSCOPE_API_KEY"}},
			10, checkEmbeddings, openDashScope},
	}
}

// dashscopeURL is the address written into eino-ext's module, which takes no other.
const dashscopeURL = "https://dashscope.aliyuncs.com/compatible-mode/v1"

// resolve finds the endpoint that c means, or says what is wrong with c.
func (c EmbedderConfig) resolve() (embedderEndpoint, error) {
	op := "embedder " + c.Embedder
	name, model, found := strings.Cut(c.Embedder, ":")
	all := embedderEndpoints()
	at := all[slices.IndexFunc(all, func(e embedderEndpoint) bool { return e.provider == name })]
	if !found || strings.TrimSpace(model) != model || model == "" {
		return at, state.Errorf(state.Invalid, op, "names no model; give %s:MODEL", name)
	}
	at.model = model
	if c.BaseURL != "" {
		at.baseURL = strings.TrimRight(c.BaseURL, "/")
	}
	if name == "ollama" { // its own API is beside the OpenAI-compatible one, whose address people have at hand
		at.baseURL = strings.TrimSuffix(at.baseURL, "/v1")
	}
	if _, err := hostOf(at.baseURL); err != nil {
		return at, state.Errorf(state.Invalid, op, "%w", err)
	}
	if c.APIKey == "" && c.BaseURL == "" && len(at.variables) > 0 {
		return at, state.Errorf(state.Invalid, op, "has no key; set %s", strings.Join(at.variables, " or "))
	}
	return at, nil
}

// dial opens eino-ext's embedder on our transport.
func (c EmbedderConfig) dial(ctx context.Context, at embedderEndpoint) (embedding.Embedder, error) {
	shared := Config{
		APIKey: c.APIKey, Timeout: c.Timeout, Retries: c.Retries, MaxWait: c.MaxWait, HTTPClient: c.HTTPClient, Now: c.Now, Sleep: c.Sleep,
	}.filled()
	client := shared.client("embedder "+c.Embedder, at.endpoint, at.check, Protocol{})
	base, err := url.Parse(at.baseURL)
	if err != nil {
		return nil, err
	}
	client.Transport = &readdressed{next: client.Transport, base: base, from: dashscopeURL, key: c.APIKey}
	model, err := at.open(ctx, at, c, client)
	if err != nil {
		return nil, err
	}
	return &remoteEmbedder{blame: blame{op: "embedder " + c.Embedder, key: c.APIKey}, model: model}, nil
}

func openOpenAI(ctx context.Context, at embedderEndpoint, c EmbedderConfig, client *http.Client) (embedding.Embedder, error) {
	return openai.NewEmbedder(ctx, &openai.EmbeddingConfig{
		APIKey: c.APIKey, BaseURL: at.baseURL, Model: at.model, Dimensions: positive(c.Dim), HTTPClient: client,
	})
}

// openOllama has a text that is too long refused: cutting it silently is the server's default.
func openOllama(ctx context.Context, at embedderEndpoint, _ EmbedderConfig, client *http.Client) (embedding.Embedder, error) {
	truncate := false
	return ollama.NewEmbedder(ctx, &ollama.EmbeddingConfig{BaseURL: at.baseURL, Model: at.model, Truncate: &truncate, HTTPClient: client})
}

func openDashScope(ctx context.Context, at embedderEndpoint, c EmbedderConfig, client *http.Client) (embedding.Embedder, error) {
	return dashscope.NewEmbedder(ctx, &dashscope.EmbeddingConfig{
		APIKey: c.APIKey, Model: at.model, Dimensions: positive(c.Dim), HTTPClient: client,
	})
}

// positive returns what the modules take for a number that may be left out.
func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// readdressed sends requests for an address that a module has written into it to another. The key goes to the host that
// the caller named, and nowhere else.
type readdressed struct {
	next http.RoundTripper
	base *url.URL
	from string
	key  string
}

// RoundTrip sends a request on. Its error, which the modules do not all hand on whole, is noted for the caller.
func (r *readdressed) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	if path, ok := strings.CutPrefix(req.URL.String(), r.from); ok {
		out.URL, out.Host = r.base.JoinPath(path), ""
	}
	out.Header.Del("Authorization")
	if r.key != "" && out.URL.Scheme == r.base.Scheme && out.URL.Host == r.base.Host {
		out.Header.Set("Authorization", "Bearer "+r.key)
	}
	resp, err := r.next.RoundTrip(out)
	if err != nil {
		callFrom(req.Context()).note(err)
	}
	return resp, err
}
