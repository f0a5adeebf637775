package nodes

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// ask calls the model, streaming, so that tokens reach whoever listens as they come. With an error it returns the answer as
// far as it had come, nil when there was none. eino callbacks are raised for models that do not raise their own.
func (r *responder) ask(ctx context.Context, chat model.ToolCallingChatModel, prompt compose.Context, messages []*schema.Message, tools []*schema.ToolInfo) (*schema.Message, error) {
	kind, _ := components.GetType(chat)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: RespondName + "/model", Type: kind, Component: components.ComponentOfChatModel})
	if components.IsCallbacksEnabled(chat) {
		return r.stream(ctx, chat, messages)
	}

	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: messages, Tools: tools})
	answer, err := r.stream(ctx, chat, messages)
	if err != nil {
		callbacks.OnError(ctx, err)
		return answer, err
	}

	u := r.countUsage(prompt, answer)
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: answer, TokenUsage: &model.TokenUsage{
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.PromptTokens + u.CompletionTokens,
		PromptTokenDetails: model.PromptTokenDetails{CachedTokens: u.CachedTokens},
	}})
	return answer, nil
}

// stream hands on tokens and returns the whole answer. A model that panics or says nothing for model_timeout is an error; one that does
// not end when the turn does is left behind.
func (r *responder) stream(ctx context.Context, chat model.BaseChatModel, messages []*schema.Message) (*schema.Message, error) {
	// The model works on a goroutine of its own, which the turn can leave behind.
	work, done := state.Stoppable(ctx)
	defer done()
	if work.Err() != nil {
		return nil, context.Cause(work)
	}
	work, giveUp := context.WithCancel(work)
	defer giveUp()
	chunks := make(chan *schema.Message)
	over := r.Calls.try(func() error { return pump(work, chat, messages, r.options.ModelOptions, chunks) })

	// Two times bound it: the silence between two chunks, and the whole answer.
	var a answer
	limit := r.set.ModelTimeout
	silence := time.NewTimer(limit)
	defer silence.Stop()
	var long <-chan time.Time
	if most := r.set.AnswerTimeout; most > 0 {
		whole := time.NewTimer(most)
		defer whole.Stop()
		long = whole.C
	}

	// All but a chunk end the answer; what had come until then is kept.
	for {
		select {
		case <-long:
			giveUp()
			return r.finish(ctx, &a, state.Errorf(state.Unavailable, "chat model", "had not answered whole within %s and was given up; see the setting answer_timeout", r.set.AnswerTimeout))
		case <-silence.C:
			giveUp()
			return r.finish(ctx, &a, state.Errorf(state.Unavailable, "chat model", "said nothing for %s and was given up; see the setting model_timeout", limit))
		case chunk := <-chunks:
			silence.Reset(limit)
			if err := a.add(chunk); err != nil {
				giveUp()
				return r.finish(ctx, &a, err)
			}
			if chunk.Content != "" {
				state.Emit(ctx, state.Event{Name: state.TokenEvent, Node: RespondName, Text: chunk.Content})
			}
		case err := <-over:
			return r.finish(ctx, &a, err)
		case <-work.Done():
			return r.finish(ctx, &a, r.Calls.await(work, over))
		}
	}
}

// pump hands on what a model streams, until it or its context ends.
func pump(ctx context.Context, chat model.BaseChatModel, messages []*schema.Message, opts []model.Option, chunks chan<- *schema.Message) error {
	reader, err := chat.Stream(ctx, messages, opts...)
	if err != nil {
		return err
	}
	defer reader.Close()

	for {
		chunk, err := reader.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case chunk == nil:
			continue
		}

		select {
		case chunks <- chunk:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// finish returns the answer of a model that has ended with err. The stack of a panic is logged.
func (r *responder) finish(ctx context.Context, a *answer, err error) (*schema.Message, error) {
	var p *panicError
	if errors.As(err, &p) {
		r.Logger.LogAttrs(ctx, slog.LevelWarn, "chat model panicked", slog.String("error", p.Error()), slog.String("stack", string(p.stack)))
	}
	whole, broken := a.join()
	if err == nil {
		err = broken
	}
	return whole, err
}

// answer is what a model has answered so far.
type answer struct {
	chunks       []*schema.Message
	bytes, media int
}

// joinAt is how many chunks are kept before they are made one.
const joinAt = 4096

// add takes a chunk in. One that says nothing is not kept; too much of an answer is an error.
func (a *answer) add(chunk *schema.Message) error {
	bytes, media := measure(chunk)
	silent := bytes+media+len(chunk.ToolCalls)+len(chunk.Extra) == 0 && chunk.ResponseMeta == nil
	if silent && len(a.chunks) > 0 {
		return nil
	}

	a.bytes, a.media = a.bytes+bytes, a.media+media
	if a.bytes > limit.AnswerBytes || a.media > limit.AnswerMedia {
		return state.Errorf(state.Unavailable, "chat model", "answered more than %d bytes of text or %d of media; it was broken off",
			limit.AnswerBytes, limit.AnswerMedia)
	}
	a.chunks = append(a.chunks, chunk)

	if len(a.chunks) < joinAt {
		return nil
	}
	joined, err := a.join()
	if err == nil {
		a.chunks = append(a.chunks[:0], joined)
	}
	return err
}

// join returns the answer in one piece, nil when there is none.
func (a *answer) join() (*schema.Message, error) {
	if len(a.chunks) == 0 {
		return nil, state.Errorf(state.Unavailable, "chat model", "answered nothing")
	}
	joined, err := schema.ConcatMessages(a.chunks)
	if err != nil {
		return nil, err
	}
	if n := len(joined.ToolCalls); n > limit.ToolCalls {
		return nil, state.Errorf(state.Unavailable, "chat model", "called %d tools in one answer, at most %d are run", n, limit.ToolCalls)
	}
	return joined, nil
}

// measure returns how much a chunk says: text, reasoning and calls, and apart from them images and sound.
func measure(m *schema.Message) (bytes, media int) {
	bytes = len(m.Content) + len(m.ReasoningContent) + len(fromExtra(m.Extra))
	for _, c := range m.ToolCalls {
		bytes += len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + len(fromExtra(c.Extra))
	}
	var msg state.Message
	takeParts(&msg, m)
	for _, p := range msg.Parts {
		media += len(p.URL)
	}
	return bytes + len(msg.Text) + len(msg.Reasoning), media
}
