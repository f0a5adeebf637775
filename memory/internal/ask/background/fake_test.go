package background

import (
	"context"
	"errors"
	"strings"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// fake answers every call with the same message or error and keeps the last prompt.
type fake struct {
	answer  *schema.Message
	err     error
	prompt  string
	options *model.Options
}

// says is a fake that answers text.
func says(text string) *fake { return &fake{answer: schema.AssistantMessage(text, nil)} }

func (f *fake) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	f.prompt, f.options = in[0].Content, model.GetCommonOptions(nil, opts...)
	return f.answer, f.err
}

func (f *fake) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.New("not streamed")
}

// slow answers when its context ends.
type slow struct{ fake }

func (*slow) Generate(ctx context.Context, _ []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// asked tells that it was asked, and answers when its context ends.
type asked struct {
	slow
	began chan struct{}
}

func (a *asked) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	a.began <- struct{}{}
	return a.slow.Generate(ctx, in, opts...)
}

// selfmade raises its callbacks itself, as the adapters of eino-ext do.
type selfmade struct{ fake }

func (*selfmade) IsCallbacksEnabled() bool { return true }

func (*selfmade) GetType() string { return "Selfmade" }

func (f *selfmade) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	ctx = callbacks.EnsureRunInfo(ctx, f.GetType(), components.ComponentOfChatModel)
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: in})
	out, err := f.fake.Generate(ctx, in, opts...)
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: out})
	return out, err
}

// tasks are the Tasks of a model that answers text.
func tasks(text string) *Tasks { return New(Config{Model: says(text)}) }

// affairs of a user, the first one active.
func affairs() []*state.Affair {
	return []*state.Affair{
		{ID: "a1", Title: "Přihlášení na Unicorn University", Status: state.Active},
		{ID: "a2", Title: "Objednávka dílu z eBay", Status: state.Parked, Summary: "Díl na Jeep je na cestě.", KeyFacts: state.Facts{{Label: "číslo", Value: "07-14244-53150"}}},
		{ID: "a3", Title: "Dentist appointment for Anna", Status: state.Parked},
		{ID: "a4", Title: "Dentist invoice", Status: state.Resolved},
		{ID: "a5", Title: "Ремонт крыши на даче", Status: state.Parked},
	}
}

func detectInput() DetectInput {
	all := affairs()
	return DetectInput{
		Message: "Hele, kdy to má dorazit?", Current: all[0], Affairs: all, Language: "cs",
		Recent: []state.Message{
			{Role: state.RoleUser, Text: "Kdy je zápis?"},
			{Role: state.RoleTool, Text: "tool result"},
			{Role: state.RoleAssistant, Text: "V září."},
		},
	}
}

// mention reports whether an error says all of parts.
func mention(err error, parts ...string) bool {
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return true
}
