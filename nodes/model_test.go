package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

type stream = *schema.StreamReader[*schema.Message]

func TestTokensStream(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	_, err := b.respond(t.Context(), t, script(
		scripted.Call("list_affairs", ""), scripted.Say("There is one affair."),
	))
	must(t, err)
	want := []string{"context.decision", "context.composed", "tool.call", "tool.result", "context.composed", "token", "token", "token", "token"}
	same(t, "events", want, b.names())
	said := ""
	for _, e := range b.events {
		switch e.Name {
		case state.TokenEvent:
			said += e.Text
		case state.ToolStart, state.ToolEnd:
			if e.Tool != "list_affairs" || e.Call != "call-1" || e.Node != "respond" {
				t.Errorf("event %+v", e)
			}
		}
	}
	if said != "There is one affair." {
		t.Errorf("tokens make %q", said)
	}
}

// What comes in chunks, with reasoning and several parts, is kept whole.
func TestRichAnswersAreKept(t *testing.T) {
	t.Parallel()
	url, data, index := "https://x/y.png", "QUJD", 0
	part := func(s string) *schema.Message {
		return &schema.Message{Role: schema.Assistant, ToolCalls: []schema.ToolCall{{Index: &index, ID: "c1", Function: schema.FunctionCall{Name: "list_affairs", Arguments: s}}}}
	}
	for _, c := range []struct {
		name   string
		chunks []*schema.Message
		want   state.Message
	}{
		{"reasoning in chunks", []*schema.Message{
			{Role: schema.Assistant, ReasoningContent: "Let me "}, {Role: schema.Assistant, ReasoningContent: "see."}, {Role: schema.Assistant, Content: "Yes."},
		}, state.Message{Text: "Yes.", Reasoning: "Let me see."}},
		{"text, an image and sound", []*schema.Message{{Role: schema.Assistant, AssistantGenMultiContent: []schema.MessageOutputPart{
			{Type: schema.ChatMessagePartTypeText, Text: "Look: "},
			{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageOutputImage{MessagePartCommon: schema.MessagePartCommon{URL: &url, MIMEType: "image/png"}}},
			{Type: schema.ChatMessagePartTypeAudioURL, Audio: &schema.MessageOutputAudio{MessagePartCommon: schema.MessagePartCommon{Base64Data: &data, MIMEType: "audio/wav"}}},
			{Type: schema.ChatMessagePartTypeText, Text: "a cat."},
		}}}, state.Message{Text: "Look: a cat.", Parts: []state.Part{
			{Type: "image_url", URL: url, MIME: "image/png"}, {Type: "audio_url", URL: "data:audio/wav;base64,QUJD", MIME: "audio/wav"},
		}}},
		{"the same text twice", []*schema.Message{{Role: schema.Assistant, Content: "Yes.", AssistantGenMultiContent: []schema.MessageOutputPart{
			{Type: schema.ChatMessagePartTypeText, Text: "Yes."},
		}}}, state.Message{Text: "Yes."}},
		{"a call in pieces", []*schema.Message{{Role: schema.Assistant, Content: "Wait."}, part(""), part("{"), part("}")},
			state.Message{Text: "Wait.", ToolCalls: []state.ToolCall{{ID: "c1", Name: "list_affairs", Arguments: "{}"}}}},
		{"what the provider wants back", []*schema.Message{{Role: schema.Assistant, ToolCalls: []schema.ToolCall{{
			ID: "c1", Function: schema.FunctionCall{Name: "list_affairs"}, Extra: map[string]any{"signature": []byte("sig"), "other": 7},
		}}}}, state.Message{ToolCalls: []state.ToolCall{{ID: "c1", Name: "list_affairs", Extra: `{"signature":"c2ln"}`}}}},
		{"what the provider wants back with all calls", []*schema.Message{
			{Role: schema.Assistant, ReasoningContent: "Let me see.", Extra: map[string]any{"seal": "si"}},
			{Role: schema.Assistant, ToolCalls: []schema.ToolCall{{ID: "c1", Function: schema.FunctionCall{Name: "list_affairs"}}}, Extra: map[string]any{"seal": "g", "other": 7}},
		}, state.Message{Reasoning: "Let me see.", Sealed: `{"seal":"sig"}`, ToolCalls: []state.ToolCall{{ID: "c1", Name: "list_affairs"}}}},
		{"nothing wants it back", []*schema.Message{{Role: schema.Assistant, Content: "Yes.", Extra: map[string]any{"seal": "sig"}}}, state.Message{Text: "Yes."}},
		{"a thought with a secret", []*schema.Message{{
			Role: schema.Assistant, ReasoningContent: "The password is Winter2024x.", Extra: map[string]any{"seal": "The password is Winter2024x."},
			ToolCalls: []schema.ToolCall{{ID: "c1", Function: schema.FunctionCall{Name: "list_affairs"}}},
		}}, state.Message{Reasoning: "The password is [masked password 26].", ToolCalls: []state.ToolCall{{ID: "c1", Name: "list_affairs"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			m := newChat(func(ctx context.Context, nth int) (stream, error) {
				if nth > 1 {
					return says(schema.AssistantMessage("Done.", nil))(ctx, nth)
				}
				return says(c.chunks...)(ctx, nth)
			})
			if _, err := b.respond(t.Context(), t, m); err != nil {
				t.Fatal(err)
			}
			kept, err := b.memory.Messages(t.Context(), scope())
			must(t, err)
			got := state.Message{Text: kept[1].Text, Reasoning: kept[1].Reasoning, Parts: kept[1].Parts, Sealed: kept[1].Sealed, ToolCalls: kept[1].ToolCalls}
			same(t, "kept", c.want, got)
		})
	}
}

// A user's parts reach the model with the text; attachments do as text.
func TestPartsReachTheModel(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	m := script(scripted.Say("A cat."))
	msg := state.Message{Text: "What is this?", Parts: []state.Part{
		{Type: "image_url", URL: "https://x/y.png", MIME: "image/png"}, {Type: "audio_url", URL: "https://x/y.wav"},
		{Type: "video_url", URL: "https://x/y.mp4"}, {Type: "file_url", URL: "https://x/y.pdf"}, {Type: "text", Text: "and this text"},
	}}
	turn, err := b.run(t.Context(), begin(msg), nodes.Intake(b.memory), b.commit, nodes.MemoryLoad(b.memory),
		nodes.ContextDetect(b.memory, b.commit), nodes.Respond(b.config(m)))
	must(t, err)
	prompt := m.Prompts()[0]
	last := prompt[len(prompt)-1]
	var got []string
	for _, p := range last.UserInputMultiContent {
		switch {
		case p.Image != nil:
			got = append(got, "image "+*p.Image.URL+" "+p.Image.MIMEType)
		case p.Audio != nil:
			got = append(got, "audio "+*p.Audio.URL)
		case p.Video != nil:
			got = append(got, "video "+*p.Video.URL)
		case p.File != nil:
			got = append(got, "file "+*p.File.URL)
		default:
			got = append(got, "text")
			if !strings.Contains(p.Text, "What is this?") || !strings.Contains(p.Text, "and this text") {
				t.Errorf("text part: %q", p.Text)
			}
		}
	}
	want := []string{"text", "image https://x/y.png image/png", "audio https://x/y.wav", "video https://x/y.mp4", "file https://x/y.pdf"}
	if diff := cmp.Diff(want, got); diff != "" || last.Content != "" {
		t.Errorf("parts (-want +got), content %q:\n%s", last.Content, diff)
	}
	if kept := turn.View.Get().Turn[0]; len(kept.Parts) != 5 {
		t.Errorf("kept: %+v", kept)
	}
}

func TestAFailingModelEndsTheTurnInOrder(t *testing.T) {
	t.Parallel()
	broken := func() stream {
		r, w := schema.Pipe[*schema.Message](2)
		w.Send(schema.AssistantMessage("half an ans", nil), nil)
		w.Send(nil, errors.New("connection reset"))
		w.Close()
		return r
	}
	for _, c := range []struct {
		name   string
		answer func(context.Context, int) (stream, error)
		code   state.Code
		says   string
	}{
		{"it does not answer", func(context.Context, int) (stream, error) { return nil, errors.New("no route") }, state.Unavailable, "chat model: no route"},
		{"it breaks off", func(context.Context, int) (stream, error) { return broken(), nil }, state.Unavailable, "connection reset"},
		{"it says nothing at all", says(), state.Unavailable, "chat model: answered nothing"},
		{"it refuses with a code", func(context.Context, int) (stream, error) {
			return nil, state.Errorf(state.Denied, "chat model", "the key is not valid")
		}, state.Denied, "the key is not valid"},
		{"it panics", func(context.Context, int) (stream, error) { panic("nil map") }, state.Unavailable, "chat model: panicked: nil map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			turn, err := b.respond(t.Context(), t, newChat(c.answer))
			must(t, err)
			f := turn.Failure.Get()
			if f.Code != c.code || !strings.Contains(f.Text, c.says) || len(turn.View.Get().Turn) != 1 {
				t.Errorf("want a failure %s with %q, got %+v and %v", c.code, c.says, f, lines(turn))
			}
			if names := b.names(state.TokenEvent); names[len(names)-1] != "error" {
				t.Errorf("events %v", names)
			}
			end, err := b.run(t.Context(), turn, nodes.MemoryFlush(b.memory), b.commit)
			must(t, err)
			if a := end.View.Get().Active(); a == nil || len(a.KeyFacts) == 0 {
				t.Errorf("what the message said is learnt all the same, got %+v", a)
			}
		})
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"the model", "a tool"} {
		t.Run("in "+where, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			wait := handmade{"wait", func(ctx context.Context, _ string) (string, error) {
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			}}
			m := newChat(func(c context.Context, nth int) (stream, error) {
				if where == "a tool" {
					return script(scripted.Call("wait", "{}")).Stream(c, []*schema.Message{schema.UserMessage("x")})
				}
				cancel()
				<-c.Done()
				return nil, c.Err()
			})
			turn, err := b.respond(ctx, t, m, wait)
			if state.CodeOf(err) != state.Unavailable || !errors.Is(err, context.Canceled) || turn.Failure.IsSet() {
				t.Errorf("want the cancelled turn left unfinished, got %v (%s), failure %+v", err, state.CodeOf(err), turn.Failure.Get())
			}
		})
	}
}

// selfmade raises its callbacks itself, as the adapters of eino-ext do.
type selfmade struct{ *chat }

func (selfmade) IsCallbacksEnabled() bool { return true }

func (selfmade) GetType() string { return "Selfmade" }

func (s selfmade) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return s, nil }

func (s selfmade) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (stream, error) {
	ctx = callbacks.EnsureRunInfo(ctx, s.GetType(), components.ComponentOfChatModel)
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: in})
	out, err := s.chat.Stream(ctx, in, opts...)
	callbacks.OnEnd(ctx, &model.CallbackOutput{Message: schema.AssistantMessage("", nil)})
	return out, err
}

// heard is what a callback handler was told, as "start NAME TYPE".
type heard struct {
	mu   sync.Mutex
	list []string
}

func (h *heard) note(what string, info *callbacks.RunInfo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, fmt.Sprintf("%s %s %s/%s", what, info.Name, info.Type, info.Component))
}

func (h *heard) handler() callbacks.Handler {
	return callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, i *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			h.note("start", i)
			return ctx
		}).
		OnEndFn(func(ctx context.Context, i *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			h.note("end", i)
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, i *callbacks.RunInfo, _ error) context.Context {
			h.note("error", i)
			return ctx
		}).Build()
}

func TestCallbacks(t *testing.T) {
	t.Parallel()
	fails := handmade{"fails", func(context.Context, string) (string, error) { return "", errors.New("no") }}
	for _, c := range []struct {
		name string
		chat func() model.ToolCallingChatModel
		want []string
	}{
		{"a model without its own", func() model.ToolCallingChatModel {
			return script(scripted.Call("list_affairs", ""), scripted.Call("fails", ""), scripted.Say("Done."))
		}, []string{
			"start respond/model Scripted/ChatModel", "end respond/model Scripted/ChatModel", "start list_affairs /Tool", "end list_affairs /Tool",
			"start respond/model Scripted/ChatModel", "end respond/model Scripted/ChatModel", "start fails /Tool", "error fails /Tool",
			"start respond/model Scripted/ChatModel", "end respond/model Scripted/ChatModel",
		}},
		{"a model with its own", func() model.ToolCallingChatModel {
			return selfmade{newChat(says(schema.AssistantMessage("Done.", nil)))}
		}, []string{"start respond/model Selfmade/ChatModel", "end respond/model Selfmade/ChatModel"}},
		{"a model that fails", func() model.ToolCallingChatModel { return script(scripted.Fail(errors.New("no"))) },
			[]string{"start respond/model Scripted/ChatModel", "error respond/model Scripted/ChatModel"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, h := setup(t, nil), &heard{}
			ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "test"}, h.handler())
			if _, err := b.respond(ctx, t, c.chat(), fails); err != nil {
				t.Fatal(err)
			}
			want := append([]string{"start recall Mneme/Retriever", "end recall Mneme/Retriever"}, c.want...)
			same(t, "heard", want, h.list)
		})
	}
}

func TestOptionsOfTheTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	own, record := script(scripted.Say("Mine.")), &nodes.Record{}
	ctx := nodes.ContextWithOptions(t.Context(), nodes.Options{Model: own, Record: record})
	turn, err := b.respond(ctx, t, script(scripted.Say("Theirs.")))
	must(t, err)
	if got := lines(turn); !slices.Equal(got, []string{"2 assistant Mine."}) {
		t.Errorf("got %v", got)
	}
	if len(record.Prompts) != 1 || len(record.Context.Lines) == 0 || !strings.Contains(record.Prompts[0][0].Content, "Be brief.") {
		t.Errorf("recorded %+v", record.Prompts)
	}
	if diff := cmp.Diff(own.Prompts()[0], record.Prompts[0]); diff != "" {
		t.Errorf("recorded is not what the model saw (-saw +recorded):\n%s", diff)
	}
}

// Usage is what the provider reports, or our own count.
func TestUsage(t *testing.T) {
	t.Parallel()
	reported := schema.AssistantMessage("Hello there.", nil)
	reported.ResponseMeta = &schema.ResponseMeta{Usage: &schema.TokenUsage{
		PromptTokens: 100, CompletionTokens: 7, PromptTokenDetails: schema.PromptTokenDetails{CachedTokens: 60},
	}}
	b := setup(t, nil)
	turn, err := b.respond(t.Context(), t, newChat(says(reported)))
	if want := (state.Usage{ModelCalls: 1, PromptTokens: 100, CompletionTokens: 7, CachedTokens: 60}); err != nil || turn.Usage.Get() != want {
		t.Errorf("want %+v, got %+v, %v", want, turn.Usage.Get(), err)
	}
	b = setup(t, nil)
	turn, err = b.respond(t.Context(), t, newChat(says(schema.AssistantMessage("Hello there.", nil))))
	if u := turn.Usage.Get(); err != nil || u.ModelCalls != 1 || u.PromptTokens < 20 || u.CompletionTokens != 3 {
		t.Errorf("without a report: got %+v, %v", u, err)
	}
}
