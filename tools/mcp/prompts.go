package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// The prompts, which a person picks in his client.
const (
	ContinueAffair = "continue_affair"
	WhatWaits      = "what_waits"
)

// addPrompts adds them. What they quote of memory is a resource beside the words that the user says, never among these.
func (v *visit) addPrompts(to *sdk.Server) {
	to.AddPrompt(&sdk.Prompt{
		Name: ContinueAffair, Title: "Continue an affair", Description: "Take up an affair where it was left.",
		Arguments: []*sdk.PromptArgument{{Name: "affair", Title: "Affair", Description: "Its title or id", Required: true}},
	}, v.prompting(v.continueAffair))
	to.AddPrompt(&sdk.Prompt{Name: WhatWaits, Title: "What waits for me", Description: "What is due today, what is to come, and what affairs wait for."}, v.prompting(v.whatWaits))
}

// prompting returns what makes a prompt: the user's words, and behind them what they are about.
func (v *visit) prompting(say func(context.Context, map[string]string) (string, *sdk.ResourceContents, error)) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		ctx, err := v.enter(ctx, req.Session)
		if err != nil {
			return nil, v.refuse(ctx, "", err)
		}
		words, about, err := say(ctx, req.Params.Arguments)
		if err != nil {
			return nil, v.refuse(ctx, "", err)
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: words}},
			{Role: "user", Content: &sdk.EmbeddedResource{Resource: about}},
		}}, nil
	}
}

func (v *visit) continueAffair(ctx context.Context, args map[string]string) (string, *sdk.ResourceContents, error) {
	if strings.TrimSpace(args["affair"]) == "" {
		return "", nil, state.Errorf(state.Invalid, ContinueAffair, "the argument %q is missing", "affair")
	}
	text, a, err := v.recallAffair(ctx, args["affair"])
	if err != nil {
		return "", nil, err
	}
	words := strings.ReplaceAll(v.says(ctx).Continue, "{title}", quote.Line(a.Title))
	return words, &sdk.ResourceContents{URI: AffairPrefix + url.PathEscape(a.ID), MIMEType: markdown, Text: text}, nil
}

func (v *visit) whatWaits(ctx context.Context, _ map[string]string) (string, *sdk.ResourceContents, error) {
	text, err := v.today(ctx, TodayURI)
	return v.says(ctx).Waits, &sdk.ResourceContents{URI: TodayURI, MIMEType: markdown, Text: text}, err
}

// mostCompleted is how many values a client is offered at once, as the protocol has it.
const mostCompleted = 100

// complete offers the affairs whose title begins as what was typed.
func (v *visit) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	out := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	ids := req.Params.Ref.URI == AffairPrefix+"{id}"
	if !ids && req.Params.Ref.Name != ContinueAffair {
		return out, nil
	}
	err := v.caller.may(false)
	if err == nil {
		ctx, err = v.enter(ctx, req.Session)
	}
	if err != nil {
		return nil, v.refuse(ctx, "", err)
	}
	affairs, err := v.c.Memory.Affairs().List(ctx, v.caller.Scope, true)
	if err != nil {
		return nil, v.refuse(ctx, "", err)
	}
	typed := strings.ToLower(req.Params.Argument.Value)
	for _, a := range affairs {
		value := quote.Line(a.Title)
		if ids {
			value = a.ID
		}
		if !strings.HasPrefix(strings.ToLower(value), typed) {
			continue
		}
		if out.Completion.Total++; len(out.Completion.Values) < mostCompleted {
			out.Completion.Values = append(out.Completion.Values, value)
		}
	}
	out.Completion.HasMore = out.Completion.Total > mostCompleted
	return out, nil
}

// refuse makes the protocol's error of ours; its data has the code.
func (v *visit) refuse(ctx context.Context, uri string, err error) error {
	code, message := state.CodeOf(err), err.Error()
	number := int64(jsonrpc.CodeInvalidParams)
	switch code {
	case state.NotFound:
		if uri != "" {
			return sdk.ResourceNotFoundError(uri)
		}
	case state.Internal:
		v.c.Logger.WarnContext(ctx, "failed", "error", err)
		number, message = jsonrpc.CodeInternalError, "something went wrong here; the log of the server tells what"
	case state.Unavailable, state.Conflict:
		number = jsonrpc.CodeInternalError
	case state.Invalid, state.Denied:
	}
	return &jsonrpc.Error{Code: number, Message: message, Data: json.RawMessage(`{"code": ` + quoteJSON(string(code)) + `}`)}
}

// quoteJSON writes a text as JSON.
func quoteJSON(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return `""` // a text always can be
	}
	return string(out)
}
