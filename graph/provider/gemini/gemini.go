package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/cloudwego/eino-ext/components/model/gemini"
	"github.com/cloudwego/eino/components/model"
	"google.golang.org/genai"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// Protocol returns how Gemini models are asked.
func Protocol() provider.Protocol {
	return provider.Protocol{Provider: "gemini", Open: open, Whole: whole, Finished: finished, Lazy: true, Edit: sign}
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
	return gemini.NewChatModel(ctx, &c)
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
