package main

import (
	"context"
	"strings"
	"testing"

	ccb "github.com/cloudwego/eino-ext/callbacks/cozeloop"
	"github.com/cloudwego/eino-ext/callbacks/langfuse"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"
	"github.com/coze-dev/cozeloop-go"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/telemetry"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Both clients leave one goroutine behind that nothing ends: Langfuse's has no Close, and CozeLoop's looks for prompts after it.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/cloudwego/eino-ext/libs/acl/langfuse.(*ingestionConsumer).run.func1"),
		goleak.IgnoreAnyFunction("github.com/coze-dev/cozeloop-go/internal/prompt.(*PromptCache).startAsyncUpdate"))
}

// herald is a scripted model that raises its callbacks itself, with a stream, as those of eino-ext do.
type herald struct{ *scripted.Model }

func (h herald) IsCallbacksEnabled() bool { return true }

func (h herald) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return h, nil }

func (h herald) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: in})
	out, err := h.Model.Stream(ctx, in, opts...)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	_, told := callbacks.OnEndWithStreamOutput(ctx, schema.StreamReaderWithConvert(out, func(m *schema.Message) (*model.CallbackOutput, error) {
		return &model.CallbackOutput{Message: m}, nil
	}))
	return schema.StreamReaderWithConvert(told, func(o *model.CallbackOutput) (*schema.Message, error) { return o.Message, nil }), nil
}

// traced runs a turn of 11 calls in which the user, the model, its call and the tool each say a word of their own, and returns what the service
// was sent.
func traced(t *testing.T, server *service, handler callbacks.Handler) string {
	t.Helper()
	look, err := utils.InferTool("look", "Looks something up.", func(context.Context, struct{ For string }) (string, error) { return "Tansy.", nil })
	if err != nil {
		t.Fatal(err)
	}
	steps := []scripted.Step{scripted.Call("look", `{"For":"Yarrow"}`), scripted.Say("It is Comfrey.")}
	c := graph.Config{Store: ram.New(), Model: herald{scripted.New(steps, nil)}, Tools: []tool.InvokableTool{look}}
	g, err := graph.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "desk"}, handler)
	if _, err := g.Invoke(ctx, graph.Request{Text: "Is it Marigold?"}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return server.await(11)
}

func TestTextsReachAServiceOnlyWhereTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	handlers := map[string]func(t *testing.T, server *service) callbacks.Handler{
		"langfuse": func(_ *testing.T, server *service) callbacks.Handler {
			h, _ := langfuse.NewLangfuseHandler(&langfuse.Config{Host: server.URL, PublicKey: "pk", SecretKey: "sk"})
			return h
		},
		"cozeloop": func(t *testing.T, server *service) callbacks.Handler {
			client, err := cozeloop.NewClient(cozeloop.WithAPIBaseURL(server.URL), cozeloop.WithWorkspaceID("desk"), cozeloop.WithAPIToken("pat"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Close(context.Background()) })
			return ccb.NewLoopHandler(client)
		},
	}
	for name, open := range handlers {
		for _, asked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := startService()
				t.Cleanup(server.Close)
				handler := open(t, server)
				if !asked {
					handler = telemetry.OmitTexts(handler)
				}
				sent := traced(t, server, handler)
				for _, word := range []string{"Marigold", "Yarrow", "Tansy", "Comfrey"} {
					if strings.Contains(sent, word) != asked {
						t.Errorf("texts asked for: %t; %s:\n%s", asked, word, sent)
					}
				}
			})
		}
	}
}
