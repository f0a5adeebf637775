package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// Protocol is how the models of a provider are asked that does not speak OpenAI's. Packages claude and gemini have one
// each, for Config.Protocols: who does not import them does not build their SDKs.
type Protocol struct {
	Provider string // as it stands before the colon of a model's name
	Open     func(ctx context.Context, at Target) (model.ToolCallingChatModel, error)

	// Whole says what a plain answer, which is JSON and no error, lacks: a *state.Error is final, for any other the
	// question is put again.
	Whole       func(answer []byte) error
	Finished    func(event []byte) bool // an event of a stream, which is JSON, says that the answer is whole
	NamesEvents bool                    // the SDK wants events named by their type
	Lazy        bool                    // the model asks only when its stream is read, and wants it read to its end

	// Edit is a prompt as a model is to be sent it; the messages given are not changed. Nil = as it is.
	Edit func(model string, in []*schema.Message) []*schema.Message

	// Seal takes from an answer with calls what the provider wants back with them and eino-ext does not keep; Unseal puts it into a
	// request, by the id of the first call. Nil = there is nothing.
	Seal   func() Seal
	Unseal func(request []byte, back map[string]string) ([]byte, error)
}

// Target is the model that a Protocol opens. Client brings every request to an end: it repeats what may be repeated, and what
// it answers is whole.
type Target struct {
	Model       string
	BaseURL     string // without / at its end
	APIKey      string // "" = the endpoint needs none
	Temperature *float32
	MaxTokens   int // of one answer; 0 = the provider's default
	Client      *http.Client
}

// openAI returns the protocol of every provider without a leaf.
func openAI(provider string) Protocol {
	finish := regexp.MustCompile(`"finish_reason"\s*:\s*"`) // a quoted one inside a text has a backslash and does not match
	return Protocol{
		Provider: provider, Whole: wholeOpenAI, Finished: finish.Match,
		Seal: func() Seal { return &details{} }, Unseal: unsealDetails,
		Open: func(ctx context.Context, at Target) (model.ToolCallingChatModel, error) {
			c := openai.ChatModelConfig{
				APIKey: at.APIKey, BaseURL: at.BaseURL, Model: at.Model, Temperature: at.Temperature, HTTPClient: at.Client,
			}
			switch {
			case at.MaxTokens > 0 && provider == "openai": // whose newer models do not take the older name
				c.MaxCompletionTokens = &at.MaxTokens
			case at.MaxTokens > 0:
				c.MaxTokens = &at.MaxTokens
			}
			return openai.NewChatModel(ctx, &c)
		},
	}
}

// AnswerFormat returns the option that holds models, which String has named, to a form of their answers, as "response_format" of OpenAI's chat
// completions says it. A model that is asked in another protocol, or is no provider's, cannot be: state.ErrInvalid.
func AnswerFormat(models string, format json.RawMessage) (model.Option, error) {
	for name := range strings.SplitSeq(models, ",") {
		provider, _, found := strings.Cut(name, ":")
		at := slices.IndexFunc(endpoints(), func(e endpoint) bool { return e.provider == provider && !e.leaf })
		if at < 0 || !found {
			return model.Option{}, state.Errorf(state.Invalid, "model "+name, "cannot be held to a form of its answer; models that are asked in OpenAI's protocol can")
		}
	}
	return openai.WithExtraFields(map[string]any{"response_format": format}), nil
}

// wholeOpenAI wants the choice that eino-ext reads.
func wholeOpenAI(answer []byte) error {
	var a struct {
		Choices []struct {
			Index int `json:"index"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	for _, c := range a.Choices {
		if c.Index == 0 {
			return nil
		}
	}
	return errors.New("answer holds no choice")
}

// check refuses an answer that is not JSON, is an error object or not whole.
func (p Protocol) check(b blame, body []byte, header http.Header) ([]byte, *refusal) {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, b.broken("answer is not a chat completion: %w", err)
	}
	if no := b.object(answer.Error, header, body); no != nil {
		return nil, no
	}
	err := p.Whole(body)
	var final *state.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &final):
		return nil, &refusal{err: state.Errorf(final.Code, b.op, "%s", b.clean(final.Err.Error()))}
	}
	return nil, b.broken("%w", err)
}
