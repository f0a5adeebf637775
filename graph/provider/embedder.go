package provider

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/embed/static"
	"github.com/mneme-graph/mneme/state"
)

// Embedders that are no server.
const (
	noneName   = "none"
	hashedName = "hashed"
	staticName = "static"
)

// windowTokens is how much of a text is embedded at once, unless the model sees less.
const windowTokens = 512

// EmbedderConfig says which embedder to open and how to reach it. Only Embedder is required, and APIKey for most
// providers. What Config has too means the same.
type EmbedderConfig struct {
	// Embedder is "none" or "" for none; PROVIDER:MODEL, e.g. "openai:text-embedding-3-small", for one behind a server; a
	// folder with a static model, "static:DIR" or just DIR if it exists or has a path separator in it; or "hashed".
	Embedder string
	APIKey   string // not needed where BaseURL is given
	BaseURL  string // of another endpoint of the same kind; "" = the provider's own
	Dim      int    // of its vectors; asked of openai, ark and dashscope, checked everywhere; 0 = as the model likes
	Window   int    // tokens of a text embedded at once; 0 = 512, or what a static model says if that is less

	Timeout    time.Duration
	Retries    int
	MaxWait    time.Duration
	HTTPClient *http.Client
	Now        func() time.Time
	Sleep      func(ctx context.Context, pause time.Duration) error
}

// KnownEmbedders lists what EmbedderConfig.Embedder can be, or can have before its colon.
func KnownEmbedders() []string {
	names := []string{noneName, hashedName, staticName}
	for _, e := range embedderEndpoints() {
		names = append(names, e.provider)
	}
	return names
}

// EmbedderKeyVariables is KeyVariables for embedders.
func EmbedderKeyVariables(embedder string) []string {
	name, _, _ := strings.Cut(embedder, ":")
	for _, e := range embedderEndpoints() {
		if e.provider == name {
			return e.variables
		}
	}
	return nil
}

// OpenEmbedder returns the embedder that c names, safe for concurrent use, or nil for none. A folder is read; a server is
// sent nothing yet. The error is Invalid and names the way out when the name is not known, a key is missing, the base
// URL cannot be used or a folder holds no model; NotFound when it is not there.
func OpenEmbedder(ctx context.Context, c EmbedderConfig) (*embed.Embedder, error) {
	name, rest, found := strings.Cut(c.Embedder, ":")
	switch {
	case c.Embedder == "" || c.Embedder == noneName:
		return nil, nil
	case c.Embedder == hashedName:
		return c.openHashed()
	case found && name == staticName:
		return c.openStatic(rest)
	case slices.ContainsFunc(embedderEndpoints(), func(e embedderEndpoint) bool { return e.provider == name }):
		return c.openServer(ctx)
	case isFolder(c.Embedder, found):
		return c.openStatic(c.Embedder)
	}
	return nil, state.Errorf(state.Invalid, "embedder "+c.Embedder, "is not known, nor a folder; known are %s; did you mean %q?",
		strings.Join(KnownEmbedders(), ", "), state.Nearest(name, KnownEmbedders()))
}

// isFolder reports whether a name that is no provider means a folder: it is there, or it is written like a path. With a
// colon it has to be there, for "opneai:org/model" is a slip of the pen.
func isFolder(name string, colon bool) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || !colon && strings.ContainsAny(name, `/\`+string(os.PathSeparator))
}

func (c EmbedderConfig) openHashed() (*embed.Embedder, error) {
	m, err := hashed.New(hashed.Config{Dim: c.Dim})
	if err != nil {
		return nil, err
	}
	return embed.New(embed.Config{Model: m, Name: m.Name(), Dim: m.Dim(), Window: c.Window})
}

func (c EmbedderConfig) openStatic(dir string) (*embed.Embedder, error) {
	if dir == "" {
		return nil, state.Errorf(state.Invalid, "embedder "+c.Embedder, "names no folder; give %s:DIR", staticName)
	}
	m, err := static.Open(dir)
	if err != nil {
		return nil, err
	}
	if c.Dim != 0 && c.Dim != m.Dim() {
		return nil, state.Errorf(state.Invalid, "embedder "+c.Embedder, "has %d dimensions, not %d", m.Dim(), c.Dim)
	}
	window := c.Window
	if window == 0 {
		window = windowTokens
		if m.Window() > 0 {
			window = min(window, m.Window())
		}
	}
	return embed.New(embed.Config{Model: m, Name: m.Name(), Dim: m.Dim(), Window: window})
}

// openServer opens an embedder behind HTTP.
func (c EmbedderConfig) openServer(ctx context.Context) (*embed.Embedder, error) {
	var err error
	if c.APIKey, err = sendableKey("embedder "+c.Embedder, c.APIKey); err != nil {
		return nil, err
	}
	at, err := c.resolve()
	if err != nil {
		return nil, err
	}
	model, err := c.dial(ctx, at)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "embedder "+c.Embedder, "%w", err)
	}
	return embed.New(embed.Config{Model: model, Name: c.Embedder, Dim: c.Dim, Window: c.Window, Batch: at.batch})
}
