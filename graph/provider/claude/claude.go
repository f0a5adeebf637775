package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/cloudwego/eino-ext/components/model/claude"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
)

// answerTokens is the longest answer where nobody says.
const answerTokens = 8192

// Protocol returns how Claude models are asked.
func Protocol() provider.Protocol {
	return provider.Protocol{Provider: "claude", Open: open, Whole: whole, Finished: finished, NamesEvents: true, Edit: mark, Seal: newThoughts, Unseal: unseal}
}

func open(ctx context.Context, at provider.Target) (model.ToolCallingChatModel, error) {
	base := strings.TrimSuffix(at.BaseURL, "/v1") // the SDK adds it
	client := *at.Client
	client.Transport = gated{client.Transport}
	chat, err := claude.NewChatModel(ctx, &claude.Config{
		APIKey: cmp.Or(at.APIKey, "none"), BaseURL: &base, Model: at.Model, HTTPClient: &client,
		MaxTokens: cmp.Or(at.MaxTokens, answerTokens), Temperature: at.Temperature,
	})
	if err != nil {
		return nil, err
	}
	return &cached{chat}, nil
}

// whole wants a message that ended.
func whole(answer []byte) error {
	var a struct {
		Type    string            `json:"type"`
		Content []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if a.Type != "message" {
		return errors.New("answer is no message")
	}
	if a.Content == nil {
		return errors.New("answer holds no content")
	}
	return nil
}

// finished recognises message_stop.
func finished(event []byte) bool {
	var e struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(event, &e) == nil && e.Type == "message_stop"
}

// cached marks tools as stable, for the provider's cache, and holds streams back: see gate.
type cached struct{ model.ToolCallingChatModel }

// Stream asks for an answer in chunks.
func (c *cached) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	open := make(gate)
	defer close(open)
	return c.ToolCallingChatModel.Stream(context.WithValue(ctx, gateKey{}, open), in, opts...)
}

// WithTools returns a model that offers tools.
func (c *cached) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	if n := len(tools); n > 0 && tools[n-1] != nil {
		tools = slices.Clone(tools)
		tools[n-1] = claude.SetToolInfoCacheControl(tools[n-1], nil)
	}
	bound, err := c.ToolCallingChatModel.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &cached{bound}, nil
}

// GetType names the component for eino's traces.
func (c *cached) GetType() string { return "Claude" }

// IsCallbacksEnabled is true: eino-ext raises the callbacks.
func (c *cached) IsCallbacksEnabled() bool { return true }

// mark marks the last of the system messages that a prompt begins with as stable, for the provider's cache.
func mark(_ string, in []*schema.Message) []*schema.Message {
	last := -1
	for last+1 < len(in) && in[last+1] != nil && in[last+1].Role == schema.System {
		last++
	}
	if last < 0 {
		return in
	}
	out := slices.Clone(in)
	out[last] = claude.SetMessageCacheControl(in[last], nil)
	return out
}

// gate holds the events of a stream back until Stream has returned: eino-ext's module sets Stream's own error variable from the
// goroutine that reads them, which is a data race with its return.
type gate chan struct{}

type gateKey struct{}

// gated puts the gate of a call in front of what it answers.
type gated struct{ next http.RoundTripper }

// RoundTrip sends a request on. A refusal has no gate: Stream reads it itself.
func (g gated) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(req)
	open, streams := req.Context().Value(gateKey{}).(gate)
	if err == nil && streams && resp.StatusCode == http.StatusOK {
		resp.Body = gatedBody{resp.Body, open}
	}
	return resp, err
}

type gatedBody struct {
	io.ReadCloser
	open gate
}

// Read waits for the gate.
func (b gatedBody) Read(p []byte) (int, error) {
	<-b.open
	return b.ReadCloser.Read(p)
}
