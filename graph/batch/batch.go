package batch

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// Config says which service to open and how to reach it. Provider is required, APIKey for all but local, Small for local.
type Config struct {
	Provider   string              // openai, anthropic, google or local
	APIKey     string              // may be empty where BaseURL is given
	BaseURL    string              // of another endpoint of the same kind; "" = the provider's own
	Small      model.BaseChatModel // whom local asks
	MaxTokens  int                 // of an answer, where the provider wants to be told; 0 = 4000
	Timeout    time.Duration       // of one call; 0 = 1 minute
	Retries    int                 // repeats of what may be repeated; 0 = 2, negative = none
	MaxWait    time.Duration       // longest pause before a repeat; 0 = 30 seconds
	HTTPClient *http.Client        // its Transport is used; nil = the default one

	Now   func() time.Time                                     // reads dates in Retry-After; nil = time.Now
	Sleep func(ctx context.Context, pause time.Duration) error // waits before a repeat, ends early with ctx; nil = a timer
}

// vendor is a provider's row.
type vendor struct {
	name      string
	baseURL   string
	variables []string // environment variables that may hold the key, the first wins
	open      func(*client) extraction.Service
}

func vendors() []vendor {
	return []vendor{
		{"openai", "https://api.openai.com/v1", []string{"MNEME_OPENAI_API_KEY", "OPENAI_API_KEY"}, func(c *client) extraction.Service { return &openai{c} }},
		{"anthropic", "https://api.anthropic.com", []string{"MNEME_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"}, func(c *client) extraction.Service { return &anthropic{c} }},
		{"google", "https://generativelanguage.googleapis.com", []string{"MNEME_GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}, func(c *client) extraction.Service { return &google{c} }},
	}
}

// Known lists the providers.
func Known() (names []string) {
	for _, v := range vendors() {
		names = append(names, v.name)
	}
	return append(names, state.LocalProvider)
}

// KeyVariables names the environment variables that may hold a provider's key, in order of preference.
func KeyVariables(provider string) []string {
	for _, v := range vendors() {
		if v.name == provider {
			return v.variables
		}
	}
	return nil
}

// Open returns the service that c names. It sends nothing: a wrong key shows at the first call. The error is Invalid and names the way out.
func Open(c Config) (extraction.Service, error) {
	op := "batch " + c.Provider

	if c.Provider == state.LocalProvider {
		if c.Small == nil {
			return nil, state.Errorf(state.Invalid, op, "there is no small model to ask; set MNEME_SMALL_MODEL")
		}
		return newLocal(c.Small, c.Timeout), nil
	}

	at := slices.IndexFunc(vendors(), func(v vendor) bool { return v.name == c.Provider })
	if at < 0 {
		return nil, state.Errorf(state.Invalid, op, "is not known; known are %s", strings.Join(Known(), ", "))
	}
	v := vendors()[at]
	if c.APIKey == "" && c.BaseURL == "" {
		return nil, state.Errorf(state.Invalid, op, "has no key; set %s", strings.Join(v.variables, " or "))
	}

	base := v.baseURL
	if c.BaseURL != "" {
		base = strings.TrimRight(c.BaseURL, "/")
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, state.Errorf(state.Invalid, op, "the base URL is not http(s)://HOST/PATH without user and query") // it may hold a secret
	}
	return v.open(newClient(c, base, v)), nil
}
