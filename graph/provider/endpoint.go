package provider

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Models that are no provider's.
const (
	offlineName  = "offline"
	cassetteName = "cassette"
)

// endpoint is where a model is asked: a provider's row with the model and base URL of one Config.
type endpoint struct {
	provider  string
	model     string
	baseURL   string
	variables []string // environment variables that may hold the key, first wins; none = no key is needed
	leaf      bool     // has a protocol of its own, in the package of its name below this one
}

// endpoints lists the known providers. All speak OpenAI's chat completions but those with a leaf.
func endpoints() []endpoint {
	return []endpoint{
		{provider: "openai", baseURL: "https://api.openai.com/v1", variables: []string{"MNEME_OPENAI_API_KEY", "OPENAI_API_KEY"}},
		{provider: "claude", baseURL: "https://api.anthropic.com", variables: []string{"MNEME_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"}, leaf: true},
		{provider: "gemini", baseURL: "https://generativelanguage.googleapis.com", variables: []string{"MNEME_GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}, leaf: true},
		{provider: "deepseek", baseURL: "https://api.deepseek.com/v1", variables: []string{"MNEME_DEEPSEEK_API_KEY", "DEEPSEEK_API_KEY"}},
		{provider: "qwen", baseURL: dashscopeURL, variables: []string{"MNEME_DASHSCOPE_API_KEY", "DASHSCOPE_API_KEY"}},
		{provider: "ark", baseURL: "https://ark.cn-beijing.volces.com/api/v3", variables: []string{"MNEME_ARK_API_KEY", "ARK_API_KEY"}},
		{provider: "openrouter", baseURL: "https://openrouter.ai/api/v1", variables: []string{"MNEME_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"}},
		{provider: "ollama", baseURL: "http://127.0.0.1:11434/v1"},
	}
}

// Known lists what may stand before the colon of a model's name, and "offline", which stands alone.
func Known() []string {
	var names []string
	for _, e := range endpoints() {
		names = append(names, e.provider)
	}
	return append(names, cassetteName, offlineName)
}

// KeyVariables names the environment variables that may hold the key of a model such as
// "openai:gpt-4o-mini", in order of preference. None for models that need no key and for unknown ones.
func KeyVariables(model string) []string {
	name, _, _ := strings.Cut(model, ":")
	for _, e := range endpoints() {
		if e.provider == name {
			return e.variables
		}
	}
	return nil
}

// resolve finds the endpoint that c means, or says what is wrong with c.
func resolve(c Config) (endpoint, error) {
	op := "model " + c.Model
	name, model, found := strings.Cut(c.Model, ":")
	at := slices.IndexFunc(endpoints(), func(e endpoint) bool { return e.provider == name })
	switch {
	case c.Model == "":
		return endpoint{}, state.Errorf(state.Invalid, "model", "is not named; give PROVIDER:MODEL, e.g. openai:gpt-4o-mini, or offline")
	case at < 0:
		return endpoint{}, state.Errorf(state.Invalid, op, "unknown provider %q; known are %s", name, strings.Join(Known(), ", "))
	case !found || strings.TrimSpace(model) != model || model == "":
		return endpoint{}, state.Errorf(state.Invalid, op, "names no model; give %s:MODEL", name)
	}
	e := endpoints()[at]
	e.model = model
	if c.BaseURL != "" {
		e.baseURL = strings.TrimRight(c.BaseURL, "/")
	}
	host, err := hostOf(e.baseURL)
	if err != nil {
		return endpoint{}, state.Errorf(state.Invalid, op, "%w", err)
	}
	if c.APIKey == "" && len(e.variables) > 0 && !local(host) {
		return endpoint{}, state.Errorf(state.Invalid, op, "has no key; set %s", strings.Join(e.variables, " or "))
	}
	return e, nil
}

// sendableKey returns a key without the white space around it, which files and shells leave there.
func sendableKey(op, key string) (string, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", state.Errorf(state.Invalid, op, "the API key holds a line break or another character that no key has; give the key alone")
	}
	return key, nil
}

// hostOf checks a base URL and returns its host. A URL that carries credentials is refused, because URLs
// end up in errors and logs; it is not repeated in the error for the same reason.
func hostOf(base string) (string, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return "", state.Errorf(state.Invalid, "base URL", "is not http(s)://HOST/PATH, e.g. http://127.0.0.1:8080/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", state.Errorf(state.Invalid, "base URL", "must hold no user, password or query; give the key as the API key")
	}
	return u.Hostname(), nil
}

// local reports whether a host is of this machine or network: a loopback, private or link-local address,
// localhost, a .local or .internal name or a name without a dot (a neighbour container).
func local(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") ||
		strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
}
