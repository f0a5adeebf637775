package provider

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
	offered "github.com/mneme-graph/mneme/tools"
)

// chatModel is an eino-ext model whose errors are all state.Error. It is never changed after it was made.
type chatModel struct {
	op       string                     // "model openai:gpt-4o-mini"
	name     string                     // "gpt-4o-mini"
	bare     model.ToolCallingChatModel // without tools
	bound    model.BaseChatModel        // with those of WithTools
	protocol Protocol
}

var _ model.ToolCallingChatModel = (*chatModel)(nil)

// Generate asks for one whole answer.
func (m *chatModel) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	ctx, asked := withCall(ctx, false)
	opts, err := copyOffered(opts)
	if err != nil {
		return nil, err
	}
	out, err := m.bound.Generate(ctx, m.prompt(in, asked), opts...)
	if err != nil {
		return nil, m.typed(ctx, asked, err)
	}
	if no := m.withheld(out.ResponseMeta, answers(out)); no != nil {
		return nil, no
	}
	return m.mark(out, asked), nil
}

// Stream asks for an answer in chunks. It returns once the first has arrived; an error after that comes
// from Recv and is typed. The caller closes the reader, and cancels ctx to be rid of a
// silent server before Timeout.
func (m *chatModel) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	ctx, asked := withCall(ctx, true)
	opts, err := copyOffered(opts)
	if err != nil {
		return nil, err
	}
	out, err := m.ask(ctx, m.prompt(in, asked), opts)
	if err != nil {
		return nil, m.typed(ctx, asked, err)
	}
	so := &streamed{}
	pass := func(chunk *schema.Message) (*schema.Message, error) { return m.pass(chunk, so), nil }
	wrap := schema.WithErrWrapper(func(err error) error { return m.typed(ctx, asked, err) })
	end := schema.WithOnEOF(func() (any, error) {
		if asked.failed() != nil {
			return nil, m.typed(ctx, asked, io.ErrUnexpectedEOF)
		}
		if no := m.withheld(so.meta, so.said); no != nil {
			return nil, no
		}
		if last := m.last(so, asked); last != nil {
			return last, nil
		}
		return nil, io.EOF
	})
	return schema.StreamReaderWithConvert(out, pass, wrap, end), nil
}

// prompt is messages as they are sent.
func (m *chatModel) prompt(in []*schema.Message, asked *call) []*schema.Message {
	out := inline(m.own(in, asked))
	if m.protocol.Edit != nil {
		out = m.protocol.Edit(m.name, out)
	}
	return out
}

// answers reports whether a message holds something of an answer, thoughts aside.
func answers(m *schema.Message) bool {
	return m.Content != "" || len(m.ToolCalls) > 0 || len(m.AssistantGenMultiContent) > 0
}

// withheld returns the error of an answer that the provider keeps to itself, in the words of OpenAI, Anthropic and Google; nil for any other. What
// was said before stays an answer.
func (m *chatModel) withheld(meta *schema.ResponseMeta, said bool) error {
	reasons := []string{"content_filter", "refusal", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"}
	if said || meta == nil || !slices.Contains(reasons, meta.FinishReason) {
		return nil
	}
	return state.Errorf(state.Invalid, m.op, "the provider withheld its answer (%s); say it otherwise", meta.FinishReason)
}

// ask asks at once, also a lazy model.
func (m *chatModel) ask(ctx context.Context, in []*schema.Message, opts []model.Option) (*schema.StreamReader[*schema.Message], error) {
	if !m.protocol.Lazy {
		return m.bound.Stream(ctx, in, opts...)
	}
	inner, cancel := context.WithCancel(ctx)
	from, err := m.bound.Stream(inner, in, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	return begun(from, func(*schema.Message) bool { return true }, cancel)
}

// inline turns data URLs of messages into the base64 that every provider takes. The messages are not changed.
func inline(in []*schema.Message) []*schema.Message {
	out := in
	for i, m := range in {
		if m == nil || len(m.UserInputMultiContent) == 0 {
			continue
		}
		if &out[0] == &in[0] {
			out = slices.Clone(in)
		}
		copied := *m
		copied.UserInputMultiContent = slices.Clone(m.UserInputMultiContent)
		for j := range copied.UserInputMultiContent {
			inlinePart(&copied.UserInputMultiContent[j])
		}
		out[i] = &copied
	}
	return out
}

// inlinePart changes a part, but nothing that it points to.
func inlinePart(p *schema.MessageInputPart) {
	inlineMedia(&p.Image, func(m *schema.MessageInputImage) *schema.MessagePartCommon { return &m.MessagePartCommon })
	inlineMedia(&p.Audio, func(m *schema.MessageInputAudio) *schema.MessagePartCommon { return &m.MessagePartCommon })
	inlineMedia(&p.Video, func(m *schema.MessageInputVideo) *schema.MessagePartCommon { return &m.MessagePartCommon })
	inlineMedia(&p.File, func(m *schema.MessageInputFile) *schema.MessagePartCommon { return &m.MessagePartCommon })
}

func inlineMedia[T any](media **T, common func(*T) *schema.MessagePartCommon) {
	if *media != nil {
		copied := **media
		inlineURL(common(&copied))
		*media = &copied
	}
}

// inlineURL takes "data:MIME;base64,DATA" apart.
func inlineURL(c *schema.MessagePartCommon) {
	if c.URL == nil {
		return
	}
	rest, isData := strings.CutPrefix(*c.URL, "data:")
	head, data, found := strings.Cut(rest, ",")
	mime, isBase64 := strings.CutSuffix(head, ";base64")
	if !isData || !found || !isBase64 {
		return
	}
	mime, _, _ = strings.Cut(mime, ";")
	c.URL, c.Base64Data, c.MIMEType = nil, &data, cmp.Or(mime, c.MIMEType)
}

// copyOffered lets the tools of one call be copies, as those of WithTools are.
func copyOffered(opts []model.Option) ([]model.Option, error) {
	infos := model.GetCommonOptions(nil, opts...).Tools
	if len(infos) == 0 {
		return opts, nil
	}
	copied, err := offered.CopyInfos(infos)
	return append(slices.Clip(opts), model.WithTools(copied)), err
}

// WithTools returns a model that offers tools; none gives one that offers none. It does not keep or change what it is given: eino-ext sorts
// schemas in place, and one description of a tool may be with several models.
func (m *chatModel) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	out := *m
	if out.bound = m.bare; len(tools) == 0 {
		return &out, nil
	}
	copied, err := offered.CopyInfos(tools)
	if err != nil {
		return nil, err
	}
	bound, err := m.bare.WithTools(copied)
	if err != nil {
		return nil, state.Errorf(state.Invalid, m.op, "offer tools: %w", err)
	}
	out.bound = bound
	return &out, nil
}

// String returns the model's name: PROVIDER:NAME.
func (m *chatModel) String() string { return strings.TrimPrefix(m.op, "model ") }

// GetType names the component for eino's traces: the protocol.
func (m *chatModel) GetType() string {
	kind, _ := components.GetType(m.bare)
	return kind
}

// IsCallbacksEnabled is true: eino-ext raises the callbacks, so the caller must not.
func (m *chatModel) IsCallbacksEnabled() bool { return true }

// typed returns the transport's error, noted with the call or from within what net/http and eino-ext wrapped around it. What has
// none never reached the transport (a message or tool that cannot be sent) and is the caller's.
func (m *chatModel) typed(ctx context.Context, asked *call, err error) error {
	var typed *state.Error
	switch {
	case errors.As(asked.failed(), &typed), errors.As(err, &typed):
		return typed
	case ctx.Err() != nil:
		return state.Errorf(state.Unavailable, m.op, "given up by the caller: %w", ctx.Err())
	}
	return state.Errorf(state.Invalid, m.op, "cannot be asked this: %w", err)
}
