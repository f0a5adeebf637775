package offline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// Streams are the same answer in pieces, and the same prompt always gets the same answer.
func TestStreamAndRepeat(t *testing.T) {
	t.Parallel()
	m, err := offline.New().WithTools(tools())
	must(t, err)
	word := rapid.SampledFrom([]string{
		"kdy", "kolik", "objednávka", "07-14244-53150", "$38.10", "díl", "co", "dál?", "what", "when", "is", "my", "order", "number?", "Moje",
		"barva", "je", "modrá.", "https://a.example/1", "dnes", "что", "дальше?", "ile", "kosztuje?", "\n", "## Evidence", "- ", "(affair \"X\", key fact)", "ahoj",
	})
	texts := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), " ") })
	rapid.Check(t, func(t *rapid.T) {
		in := prompt(active("Díl", "cena: "+texts.Draw(t, "fact"))+evidence(texts.Draw(t, "title"), texts.Draw(t, "evidence")), texts.Draw(t, "before"), texts.Draw(t, "question"))
		whole, err := m.Generate(context.Background(), in)
		must(t, err)
		r, err := m.Stream(context.Background(), in)
		must(t, err)
		joined, err := schema.ConcatMessageStream(r)
		must(t, err)
		if diff := cmp.Diff(whole, joined); diff != "" {
			t.Errorf("stream (-whole +joined):\n%s", diff)
		}
		again, err := m.Generate(context.Background(), in)
		must(t, err)
		if diff := cmp.Diff(whole, again); diff != "" {
			t.Errorf("again (-first +second):\n%s", diff)
		}
		if (whole.Content == "") == (len(whole.ToolCalls) == 0) {
			t.Errorf("answered %q with %d calls, want one of both", whole.Content, len(whole.ToolCalls))
		}
	})
}

func TestStreamComesInWords(t *testing.T) {
	t.Parallel()
	r, err := offline.New().Stream(t.Context(), prompt(active("Díl"), "Tak dobře, jdeme na to."))
	must(t, err)
	defer r.Close()
	first, err := r.Recv()
	if err != nil || first.Content != "Zapsáno: " {
		t.Errorf("got %+v, %v, want the first word", first, err)
	}
}

func TestToolsOffered(t *testing.T) {
	t.Parallel()
	bare := offline.New()
	offering, err := bare.WithTools(tools())
	must(t, err)
	tests := []struct {
		name string
		m    model.BaseChatModel
		opts []model.Option
		call bool
	}{
		{"none", bare, nil, false},
		{"bound", offering, nil, true},
		{"per call", bare, []model.Option{model.WithTools(tools())}, true},
		{"taken away per call", offering, []model.Option{model.WithTools(nil)}, false},
		{"forbidden", offering, []model.Option{model.WithToolChoice(schema.ToolChoiceForbidden)}, false},
		{"allowed by name", offering, []model.Option{model.WithToolChoice(schema.ToolChoiceAllowed, "memory_recall")}, true},
		{"another allowed by name", offering, []model.Option{model.WithToolChoice(schema.ToolChoiceAllowed, "list_affairs")}, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, err := tc.m.Generate(t.Context(), prompt("", "Jaké je číslo objednávky?"), tc.opts...)
			must(t, err)
			if got := len(out.ToolCalls) > 0; got != tc.call {
				t.Errorf("called a tool: %v, want %v", got, tc.call)
			}
		})
	}
}

func TestRoundsEnd(t *testing.T) {
	t.Parallel()
	m, err := offline.New().WithTools(tools())
	must(t, err)
	in := prompt("", "Jaké je číslo objednávky?")
	for i := range 8 {
		id := fmt.Sprint(i)
		in = append(in, schema.AssistantMessage("", []schema.ToolCall{{ID: id, Function: schema.FunctionCall{Name: "other"}}}), schema.ToolMessage("x", id))
	}
	out, err := m.Generate(t.Context(), in)
	if err != nil || len(out.ToolCalls) > 0 || out.Content == "" {
		t.Errorf("got %+v, %v, want words after eight rounds", out, err)
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	in := append(prompt("", "Jaká je moje barva?"), nil)
	m, err := offline.New().WithTools(tools())
	must(t, err)
	out, err := m.Generate(t.Context(), in)
	must(t, err)
	u := out.ResponseMeta.Usage
	if out.ResponseMeta.FinishReason != "tool_calls" || u.PromptTokens == 0 || u.CompletionTokens == 0 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
		t.Errorf("got %+v with usage %+v", out.ResponseMeta, u)
	}
	if out.ToolCalls[0].ID != "call-1" {
		t.Errorf("got id %q, want call-1", out.ToolCalls[0].ID)
	}
	if components.IsCallbacksEnabled(m) {
		t.Error("the model raises no callbacks")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Stream(ctx, in); !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("got %v, want Unavailable and Canceled", err)
	}
}

// Parts of a message are read like its text; prompts without a question are answered too.
func TestOddPrompts(t *testing.T) {
	t.Parallel()
	parts := schema.UserMessage("")
	parts.UserInputMultiContent = []schema.MessageInputPart{{Type: schema.ChatMessagePartTypeText, Text: "Ahoj!"}}
	old := schema.UserMessage("")
	old.MultiContent = []schema.ChatMessagePart{{Type: schema.ChatMessagePartTypeText, Text: "Hallo!"}} //nolint:staticcheck // models still get the old form
	tests := []struct {
		name string
		in   []*schema.Message
		want string
	}{
		{"no message", nil, "Noted."},
		{"no user message", []*schema.Message{schema.SystemMessage("x"), schema.AssistantMessage("y", nil)}, "Noted."},
		{"nil messages", []*schema.Message{nil, schema.UserMessage("Hi!"), nil}, "Hello!"},
		{"parts", []*schema.Message{parts}, "Dobrý den!"},
		{"parts of the old form", []*schema.Message{old}, "Guten Tag!"},
		{"a language named by the composer", []*schema.Message{schema.SystemMessage("Answer in the language of the question (cs)."), schema.UserMessage("4711")}, "Zapsáno."},
		{"a question in the context's clothes", []*schema.Message{schema.UserMessage("# Context (quoted)\n## Active affair: X")}, "Noted."},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, err := offline.New().Generate(t.Context(), tc.in)
			if err != nil || out.Content != tc.want {
				t.Errorf("got %+v, %v, want %q", out, err, tc.want)
			}
		})
	}
}

func FuzzPrompt(f *testing.F) {
	f.Add(active("Díl", "cena: $1")+evidence("X", "a: b"), "Kolik?", "- x: y (affair \"X\", key fact)")
	f.Add("## Evidence\n- (((\n- a)))\n- (affair \", x)\n", "what is my a?", "- [ACTIVE] id")
	f.Add("## Active affair:\nKey facts:\n- : \nWaiting for\n- \n## Parked affairs\n- (PARKED)", "co dál?", "error: ")
	f.Add("", "zapamatuj si: foo://x", "stored")
	f.Add("\xff\n## \xff", "\xff 07-1 \xff?", "\xff")
	m, err := offline.New().WithTools(tools())
	must(f, err)
	f.Fuzz(func(t *testing.T, sections, question, result string) {
		if len(sections)+len(question)+len(result) > 4096 {
			return
		}
		got, err := run(context.Background(), m, prompt(sections, question), results{"recall_affair": result, "memory_recall": result, "list_affairs": result})
		if err != nil || got.reply == "" {
			t.Fatalf("got %+v, %v, want a reply", got, err)
		}
		if most := 4; len(got.tools) > most+8 {
			t.Errorf("called %v", got.tools)
		}
	})
}

var must, same = statetest.Must, statetest.Same
