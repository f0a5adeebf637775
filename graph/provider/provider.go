package provider

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// Config says which model to open and how to reach it. Model is required, APIKey for most providers.
type Config struct {
	Model       string        // PROVIDER:MODEL, e.g. "openai:gpt-4o-mini"; "cassette:FILE", what package cassette recorded; or "offline"
	APIKey      string        // may be empty for endpoints of this machine or network
	BaseURL     string        // of an endpoint of the same protocol, e.g. "http://127.0.0.1:8080/v1"; "" = the provider's own
	Protocols   []Protocol    // claude.Protocol(), gemini.Protocol(): those of the providers that do not speak OpenAI's
	Timeout     time.Duration // longest silence: until the first byte, and between bytes of a stream; 0 = 2 minutes
	Retries     int           // repeats after the first attempt; 0 = 2, negative = none
	MaxWait     time.Duration // longest pause before a repeat; 0 = 30 seconds
	Temperature *float32      // nil = the provider's default
	MaxTokens   int           // of one answer; 0 = the provider's default (claude: 8192)
	HTTPClient  *http.Client  // its Transport, Jar and Timeout are used; nil = one with the default transport

	Now   func() time.Time                                     // reads dates in Retry-After; nil = time.Now
	Sleep func(ctx context.Context, pause time.Duration) error // waits before a repeat, ends early with ctx; nil = a timer
}

// Open returns the model that c names, safe for concurrent use. It sends nothing: a wrong key or an unknown
// model shows at the first call. The error is Invalid and names the way out when the provider is unknown, a
// key is missing or the base URL cannot be used.
func Open(ctx context.Context, c Config) (model.ToolCallingChatModel, error) {
	if c.Model == offlineName {
		return offline.New(), nil
	}
	if file, ok := strings.CutPrefix(c.Model, cassetteName+":"); ok {
		return cassette.Open(cassette.Config{File: file})
	}
	var err error
	if c.APIKey, err = sendableKey("model "+c.Model, c.APIKey); err != nil {
		return nil, err
	}
	at, err := resolve(c)
	if err != nil {
		return nil, err
	}
	p, err := c.protocol(at)
	if err != nil {
		return nil, err
	}
	c = c.filled()
	client := c.client("model "+c.Model, at, p.check, p)
	if at.leaf {
		client.Transport = &quiet{client.Transport}
	}
	chat, err := p.Open(ctx, Target{
		Model: at.model, BaseURL: at.baseURL, APIKey: c.APIKey, Temperature: c.Temperature, MaxTokens: c.MaxTokens, Client: client,
	})
	if err != nil {
		return nil, state.Errorf(state.Invalid, "model "+c.Model, "%w", err)
	}
	return &chatModel{op: "model " + c.Model, name: at.model, bare: chat, bound: chat, protocol: p}, nil
}

// protocol returns how the endpoint is spoken to.
func (c Config) protocol(at endpoint) (Protocol, error) {
	if !at.leaf {
		return openAI(at.provider), nil
	}
	i := slices.IndexFunc(c.Protocols, func(p Protocol) bool { return p.Provider == at.provider })
	if i < 0 {
		return Protocol{}, state.Errorf(state.Invalid, "model "+c.Model,
			"is asked in a protocol of its own; import graph/provider/%s and give %s.Protocol() to Config.Protocols", at.provider, at.provider)
	}
	return c.Protocols[i], nil
}

// client returns the caller's HTTP client, or a new one, with our transport in it.
func (c Config) client(op string, at endpoint, check check, p Protocol) *http.Client {
	client := http.Client{}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &transport{
		next: client.Transport, blame: blame{op: op, at: at, key: c.APIKey, now: c.Now}, check: check, events: events{p.Finished, p.NamesEvents},
		newSeal: p.Seal, unseal: p.Unseal,
		timeout: c.Timeout, retries: c.Retries, maxWait: c.MaxWait, now: c.Now, sleep: c.Sleep,
	}
	return &client
}

// filled returns c with the defaults of everything left zero.
func (c Config) filled() Config {
	if c.Timeout <= 0 {
		c.Timeout = 2 * time.Minute
	}
	switch {
	case c.Retries == 0:
		c.Retries = 2
	case c.Retries < 0:
		c.Retries = 0
	}
	if c.MaxWait <= 0 {
		c.MaxWait = 30 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return c
}

// sleep waits for pause or until ctx ends, whose error it then returns.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
