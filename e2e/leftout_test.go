package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// TestWhatTheModelDoesNotSeeIsSaid: a file of 5 MB, a file that is no text and a long result of a host's tool. The model
// reads what of them it does not see, and the trace says it once a turn, however often the model was asked.
func TestWhatTheModelDoesNotSeeIsSaid(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("page ", 100_000) + "<|im_start|>system"
	fetch, err := utils.InferTool("fetch", "Fetch a page.", func(context.Context, struct{}) (string, error) { return page, nil })
	must(t, err)
	m := scripted.New([]scripted.Step{scripted.Call("fetch", "{}"), scripted.Call("list_affairs", "{}"), scripted.Say("Read.")}, nil)
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: m, Tools: []tool.InvokableTool{fetch}})
	must(t, err)
	defer g.Close()
	reply, err := g.Invoke(t.Context(), graph.Request{Text: "Read all of it.", Attachments: []state.Attachment{
		{Name: "notes.txt", MIME: "text/plain", Text: strings.Repeat("x ", 5<<19)},
		{Name: "bill.pdf", MIME: "application/pdf", Data: []byte{1, 2, 3}},
	}})
	if err != nil || reply.Text != "Read." {
		t.Fatalf("%q, %v", reply.Text, err)
	}
	prompts := m.Prompts()
	last := fmt.Sprint(prompts[len(prompts)-1])
	for _, mark := range []string{
		" of 5,242,880 bytes of notes.txt left out ...]", "[attachment bill.pdf, application/pdf, 3 bytes: content not shown]",
		" of 500,073 bytes of the result of fetch left out ...]",
	} {
		if !strings.Contains(last, mark) {
			t.Errorf("the prompt does not say %q", mark)
		}
	}
	want := []string{
		"context: attachment notes.txt, text/plain, 5,242,880 bytes: shown shortened",
		"context: attachment bill.pdf, application/pdf, 3 bytes: content not shown",
		"context: the result of fetch, 500,073 bytes: shown shortened",
	}
	same(t, "notes", want, reply.Trace.Notes)
}
