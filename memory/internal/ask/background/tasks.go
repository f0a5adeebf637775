package background

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/state"
)

// Config says which model is asked and how.
type Config struct {
	Model     model.BaseChatModel // nil = there is none
	Timeout   time.Duration       // of one call; 0 = 20 s
	Detect    time.Duration       // of a call that the answer to the user waits for (task detect); 0 = Timeout
	MaxTokens int                 // of one answer; 0 = the model's own limit
	Options   []model.Option      // sent along with every call, such as a temperature
	Count     func(string) int    // counts tokens where the model does not report them; nil = such calls count none
}

// Tasks puts the questions. A nil Tasks answers each with an error that matches state.ErrNotFound. It is safe for
// concurrent use if the model is.
type Tasks struct{ c Config }

// errLate ends the context of a call whose time is over.
var errLate = errors.New("its time is over")

// defaultTimeout is what a user would wait for.
const defaultTimeout = 20 * time.Second

// New returns the Tasks of the model, nil without one.
func New(c Config) *Tasks {
	if c.Model == nil {
		return nil
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Detect <= 0 {
		c.Detect = c.Timeout
	}
	return &Tasks{c: c}
}

// question is a prompt with its blanks filled.
type question interface {
	Prompt() (string, error)
}

// ask puts the question of a task and returns the text of the answer.
func (t *Tasks) ask(ctx context.Context, task prompts.Task, q question) (string, error) {
	if t == nil {
		return "", state.Errorf(state.NotFound, "small model", "is not set; use the rules")
	}
	op := "small model, task " + string(task)
	prompt, err := q.Prompt()
	if err != nil {
		return "", &state.Error{Code: state.Internal, Op: op, Err: err}
	}
	if err := state.StopFrom(ctx).Err(); err != nil { // the turn is to end: nobody waits for an answer
		return "", givenUp(op, err)
	}
	stoppable, done := state.Stoppable(ctx)
	defer done()
	limit := t.c.Timeout
	if task == prompts.Detect {
		limit = t.c.Detect
	}
	inner, cancel := context.WithTimeoutCause(stoppable, limit, errLate)
	defer cancel()
	answer, err := t.call(inner, task, prompt)
	if errors.Is(err, state.ErrNotFound) { // a script without an answer: nothing was asked
		return "", fmt.Errorf("%s: %w", op, err)
	}
	t.charge(ctx, prompt, answer)
	switch stopped := state.StopFrom(ctx).Err(); {
	case err != nil && stopped != nil:
		return "", givenUp(op, stopped)
	case err != nil && errors.Is(context.Cause(inner), errLate):
		return "", state.Errorf(state.Unavailable, op, "gave no answer within %s: %w", limit, err)
	case err != nil:
		return "", unavailable(op, err)
	case answer == nil:
		return "", state.Errorf(state.Unavailable, op, "returned nothing")
	case answer.Content == "":
		return "", state.Errorf(state.Invalid, op, "the answer is empty%s", finish(answer))
	}
	return answer.Content, nil
}

// call raises the callbacks that the model does not raise itself.
func (t *Tasks) call(ctx context.Context, task prompts.Task, prompt string) (*schema.Message, error) {
	options := append([]model.Option(nil), t.c.Options...)
	if t.c.MaxTokens > 0 {
		options = append(options, model.WithMaxTokens(t.c.MaxTokens))
	}
	input := []*schema.Message{schema.UserMessage(prompt)}
	kind, _ := components.GetType(t.c.Model)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{
		Name: "small/" + string(task), Type: kind, Component: components.ComponentOfChatModel,
	})
	if components.IsCallbacksEnabled(t.c.Model) {
		return t.c.Model.Generate(ctx, input, options...)
	}
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: input, Config: &model.Config{MaxTokens: t.c.MaxTokens}})
	answer, err := t.c.Model.Generate(ctx, input, options...)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: answer, TokenUsage: reported(answer)})
	return answer, nil
}

// reported returns the usage in the form of callbacks, nil where the model reports none.
func reported(answer *schema.Message) *model.TokenUsage {
	if answer == nil || answer.ResponseMeta == nil || answer.ResponseMeta.Usage == nil {
		return nil
	}
	u := answer.ResponseMeta.Usage
	return &model.TokenUsage{
		PromptTokens:       u.PromptTokens,
		PromptTokenDetails: model.PromptTokenDetails{CachedTokens: u.PromptTokenDetails.CachedTokens},
		CompletionTokens:   u.CompletionTokens,
		TotalTokens:        u.TotalTokens,
	}
}

// charge puts the call on the turn's bill, failed calls too.
func (t *Tasks) charge(ctx context.Context, prompt string, answer *schema.Message) {
	usage := state.Usage{SmallModelCalls: 1}
	switch u := reported(answer); {
	case u != nil:
		usage.PromptTokens, usage.CompletionTokens = u.PromptTokens, u.CompletionTokens
		usage.CachedTokens = u.PromptTokenDetails.CachedTokens
	case t.c.Count != nil && answer != nil:
		usage.PromptTokens, usage.CompletionTokens = t.c.Count(prompt), t.c.Count(answer.Content)
	}
	state.TraceFrom(ctx).Charge(state.Bill{Usage: usage})
}

// givenUp returns the error of a question that is not waited for, because the turn is to end.
func givenUp(op string, reason error) error {
	return state.Errorf(state.Unavailable, op, "given up, because the turn is to end: %w", reason)
}

// unavailable keeps the hint of a rate-limited server.
func unavailable(op string, err error) error {
	out := &state.Error{Code: state.Unavailable, Op: op, Err: err}
	if cause := (*state.Error)(nil); errors.As(err, &cause) {
		out.RetryAfter = cause.RetryAfter
	}
	return out
}

// finish says why the model stopped, if it told.
func finish(answer *schema.Message) string {
	if answer.ResponseMeta == nil || answer.ResponseMeta.FinishReason == "" {
		return ""
	}
	return fmt.Sprintf(" (finish reason %.40q)", answer.ResponseMeta.FinishReason)
}

// nonsense returns the error of an answer that cannot be used.
func nonsense(task prompts.Task, format string, args ...any) error {
	return state.Errorf(state.Invalid, "small model, task "+string(task), format, args...)
}
