package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/cloudwego/eino-ext/components/model/gemini"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"google.golang.org/genai"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// Protocol is how Gemini models are asked.
func Protocol() provider.Protocol {
	return provider.Protocol{Provider: "gemini", Open: open, Whole: whole, Finished: finished}
}

func open(ctx context.Context, at provider.Target) (model.ToolCallingChatModel, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: cmp.Or(at.APIKey, "none"), Backend: genai.BackendGeminiAPI, HTTPClient: at.Client,
		HTTPOptions: genai.HTTPOptions{BaseURL: strings.TrimSuffix(at.BaseURL, "/v1beta")}, // the SDK adds it
	})
	if err != nil {
		return nil, err
	}
	c := gemini.Config{Client: client, Model: at.Model, Temperature: at.Temperature}
	if at.MaxTokens > 0 {
		c.MaxTokens = &at.MaxTokens
	}
	chat, err := gemini.NewChatModel(ctx, &c)
	if err != nil {
		return nil, err
	}
	return &prompt{chat}, nil
}

// answer is what of an answer or event is looked at.
type answer struct {
	Candidates []struct {
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
}

// whole wants a candidate. A prompt that Google does not answer is the caller's.
func whole(body []byte) error {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	switch {
	case a.Feedback.BlockReason != "":
		return state.Errorf(state.Invalid, "", "the prompt was blocked (%s); say it otherwise", a.Feedback.BlockReason)
	case len(a.Candidates) == 0:
		return errors.New("answer holds no candidate")
	}
	return nil
}

// finished looks for a reason to finish.
func finished(event []byte) bool {
	var a answer
	return json.Unmarshal(event, &a) == nil && len(a.Candidates) > 0 && a.Candidates[0].FinishReason != ""
}

// prompt is a model that begins to ask when it is told to.
type prompt struct{ model.ToolCallingChatModel }

// Stream returns once the first chunk has arrived. Closing the reader ends the call.
func (p *prompt) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	ctx, cancel := context.WithCancel(ctx)
	from, err := p.ToolCallingChatModel.Stream(ctx, in, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	first, err := from.Recv()
	if err != nil {
		cancel()
		from.Close()
		if errors.Is(err, io.EOF) { // the transport has noted why
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	out, to := schema.Pipe[*schema.Message](1)
	go func() {
		defer cancel()
		defer to.Close()
		closed := to.Send(first, nil)
		for {
			if closed { // what is left is read, or the module's goroutine would wait for its reader
				cancel()
			}
			chunk, err := from.Recv()
			if errors.Is(err, io.EOF) {
				return
			}
			closed = to.Send(chunk, err)
			if err != nil {
				return
			}
		}
	}()
	return out, nil
}

// WithTools returns a model that offers tools.
func (p *prompt) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound, err := p.ToolCallingChatModel.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &prompt{bound}, nil
}

// GetType names the component for eino's traces.
func (p *prompt) GetType() string { return "Gemini" }

// IsCallbacksEnabled is true: eino-ext raises the callbacks.
func (p *prompt) IsCallbacksEnabled() bool { return true }
