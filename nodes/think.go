package nodes

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// think composes the context and asks the model. Its answer becomes a message of the turn.
func (r *responder) think(ctx context.Context, t *state.Turn) error {
	turn := t.View.Get().Turn
	in := r.input
	in.Turn = turn[1:]
	prompt, err := r.Memory.Compose(in)
	if err != nil {
		return &modelError{err}
	}
	chat := r.Model
	tools := r.tools.infos
	if rounds(turn) >= r.Memory.Settings().MaxToolRounds {
		tools = nil
		state.TraceFrom(ctx).Note("respond: %d rounds of tools are used up, the model must answer without", rounds(turn))
	}
	if len(tools) > 0 {
		if chat, err = chat.WithTools(tools); err != nil {
			return &modelError{unavailable(err)}
		}
	}
	messages := toSchema(prompt.Prompt)
	if r.options.Record != nil {
		r.options.Record.Prompts = append(r.options.Record.Prompts, messages)
		r.options.Record.Context = prompt
	}
	state.Emit(ctx, state.Event{Name: state.ContextComposed, Node: RespondName})
	answer, err := ask(ctx, chat, messages, tools)
	if err != nil {
		return &modelError{unavailable(err)}
	}
	usage := r.usage(prompt, answer)
	t.Usage.Add(usage)
	state.TraceFrom(ctx).Charge(state.Bill{Usage: usage})
	msg := fromSchema(answer, len(turn))
	if tools == nil {
		msg.ToolCalls = nil
	}
	t.Journal.Add(state.Entry{Kind: "model", Seq: turn[len(turn)-1].Seq + 1, Hash: hash(prompt.Prompt...)})
	r.append(ctx, t, msg)
	return nil
}

// ask calls the model, streaming, so that tokens reach whoever listens as they come. eino callbacks are raised for
// models that do not raise their own.
func ask(ctx context.Context, chat model.ToolCallingChatModel, messages []*schema.Message, tools []*schema.ToolInfo) (*schema.Message, error) {
	kind, _ := components.GetType(chat)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: RespondName + "/model", Type: kind, Component: components.ComponentOfChatModel})
	if components.IsCallbacksEnabled(chat) {
		return stream(ctx, chat, messages)
	}
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: messages, Tools: tools})
	answer, err := stream(ctx, chat, messages)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: answer})
	return answer, nil
}

// stream hands on tokens and returns the whole answer. A model that panics is an error.
func stream(ctx context.Context, chat model.BaseChatModel, messages []*schema.Message) (answer *schema.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, state.Errorf(state.Unavailable, "chat model", "panicked: %v", p)
		}
	}()
	reader, err := chat.Stream(ctx, messages)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var chunks []*schema.Message
	for {
		chunk, err := reader.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if chunk.Content != "" {
			state.Emit(ctx, state.Event{Name: state.TokenEvent, Node: RespondName, Text: chunk.Content})
		}
		chunks = append(chunks, chunk)
	}
	if len(chunks) == 0 {
		return nil, state.Errorf(state.Unavailable, "chat model", "answered nothing")
	}
	return schema.ConcatMessages(chunks)
}

// unavailable gives a model's error a code when it has none of its own: a failing model is unavailable.
func unavailable(err error) error {
	if code := state.CodeOf(err); code != state.Internal {
		return err
	}
	return state.Errorf(state.Unavailable, "chat model", "%w", err)
}

// usage is what the provider reports, or our own count.
func (r *responder) usage(prompt compose.Context, answer *schema.Message) state.Usage {
	u := state.Usage{ModelCalls: 1}
	if answer.ResponseMeta != nil && answer.ResponseMeta.Usage != nil {
		u.PromptTokens = answer.ResponseMeta.Usage.PromptTokens
		u.CompletionTokens = answer.ResponseMeta.Usage.CompletionTokens
		u.CachedTokens = answer.ResponseMeta.Usage.PromptTokenDetails.CachedTokens
		return u
	}
	u.PromptTokens, u.CompletionTokens = prompt.Tokens, r.Memory.Tokens(answer.Content)
	for _, c := range answer.ToolCalls {
		u.CompletionTokens += r.Memory.Tokens(c.Function.Name + c.Function.Arguments)
	}
	return u
}

// hash names a request in the journal: what was said and called in it.
func hash(messages ...compose.Message) string {
	h := fnv.New64a()
	for _, m := range messages {
		fmt.Fprintf(h, "%q %q %q %q\n", m.Role, m.Text, m.ToolCallID, m.ToolCalls)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

func messageID(seq int64) string { return "m" + strconv.FormatInt(seq, 10) }
