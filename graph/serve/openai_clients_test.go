package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	einotool "github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// told is a model that does what the user's message asks it to, in capitals: so a client's script says what is to happen.
type told struct {
	mu     sync.Mutex
	asked  int
	heard  string // the last prompt
	failed map[string]bool
}

// WithTools returns the model: it calls what it is told to.
func (m *told) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

// Generate answers.
func (m *told) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	m.heard = fmt.Sprint(in)
	var results []string
	last := len(in) - 1
	for ; last >= 0 && in[last].Role != schema.User; last-- {
		if in[last].Role == schema.Tool {
			results = append([]string{in[last].Content}, results...)
		}
	}
	said := in[last].Content
	if len(in[last].UserInputMultiContent) > 0 {
		said = in[last].UserInputMultiContent[0].Text
	}
	if len(results) > 0 {
		return schema.AssistantMessage(strings.Join(results, "\n"), nil), nil
	}
	call := func(name, args string, nth int) schema.ToolCall {
		return schema.ToolCall{ID: fmt.Sprint("c", nth), Function: schema.FunctionCall{Name: name, Arguments: args}}
	}
	_, after, _ := strings.Cut(said, "FAIL ONCE")
	if after != "" && !m.failed[after] {
		m.failed[after] = true
		return nil, errors.New("no answer this time")
	}
	if _, cities, ok := strings.Cut(said, "WEATHER "); ok {
		var calls []schema.ToolCall
		for i, city := range strings.Fields(cities) {
			calls = append(calls, call("get_weather", `{"city":"`+city+`"}`, i))
		}
		spoken := ""
		if strings.Contains(said, "ALOUD") {
			spoken = "Let me look."
		}
		return schema.AssistantMessage(spoken, calls), nil
	}
	if _, to, ok := strings.Cut(said, "MAIL "); ok {
		return schema.AssistantMessage("", []schema.ToolCall{call("send_mail", `{"to":"`+to+`"}`, 0)}), nil
	}
	if _, query, ok := strings.Cut(said, "RECALL "); ok {
		raw, err := json.Marshal(map[string]string{"query": query})
		return schema.AssistantMessage("", []schema.ToolCall{call("memory_recall", string(raw), 0)}), err
	}
	_, text, _ := strings.Cut(said, "SAY ")
	return schema.AssistantMessage(text, nil), nil
}

// Stream answers word by word, slowly where it is told to.
func (m *told) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	whole, err := m.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	if len(whole.ToolCalls) > 0 || whole.Content == "" {
		return schema.StreamReaderFromArray([]*schema.Message{whole}), nil
	}
	pause := time.Duration(0)
	for _, msg := range in {
		if msg.Role == schema.User && strings.Contains(msg.Content, "SLOW") {
			pause = 5 * time.Millisecond
		}
	}
	r, w := schema.Pipe[*schema.Message](1)
	go func() {
		defer w.Close()
		for _, word := range strings.SplitAfter(whole.Content, " ") {
			if pause > 0 {
				time.Sleep(pause)
			}
			if w.Send(schema.AssistantMessage(word, nil), nil) {
				return
			}
		}
	}()
	return r, nil
}

// beginTold serves a graph with such a model and a tool that needs an approval, and tells at an address how often the model was asked.
func beginTold(t *testing.T) (s *service, calls string) {
	t.Helper()
	m := &told{failed: map[string]bool{}}
	type mail struct {
		To string `json:"to"`
	}
	send, err := utils.InferTool("send_mail", "Send a mail", func(_ context.Context, in mail) (string, error) { return "mailed to " + in.To, nil })
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := hashed.New(hashed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := embed.New(embed.Config{Model: leaf, Name: "hashed"})
	if err != nil {
		t.Fatal(err)
	}
	c := graph.Config{Store: ram.New(), Model: m, Embedder: e, Tools: []einotool.InvokableTool{send}, Approve: []string{"send_mail"}}
	g, err := graph.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s = beginConfig(t, serve.Config{Graph: g, Store: c.Store, Embedder: e})
	counts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		fmt.Fprint(w, m.asked)
	}))
	t.Cleanup(counts.Close)
	return s, counts.URL
}

// talks has a client's script hold two sessions with such a service.
func talks(t *testing.T, script string, command ...string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	s, calls := beginTold(t)
	args := append([]string{path}, command[1:]...)
	if said := run(t, command[0], append(args, s.URL, s.key, calls)...); !strings.Contains(said, "20 turns; the next session has what they said") {
		t.Errorf("it said %q", said)
	}
}

// TestOpenAIPythonTalks has openai-python hold two sessions.
func TestOpenAIPythonTalks(t *testing.T) {
	t.Parallel()
	talks(t, "openai_client.py", clients(t, "python"))
}

// TestLangChainTalks has LangChain's ChatOpenAI hold two sessions.
func TestLangChainTalks(t *testing.T) {
	t.Parallel()
	talks(t, "langchain_client.py", clients(t, "python"))
}

// TestOpenAINodeTalks has openai-node hold two sessions.
func TestOpenAINodeTalks(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("MNEME_OPENAI_NODE")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "openai")); folder == "" || err != nil {
		if os.Getenv("MNEME_REQUIRE_CLIENTS") == "1" {
			t.Fatal("openai-node is not there: run .ci/openai-node and set MNEME_OPENAI_NODE to what it prints")
		}
		t.Skip("needs MNEME_OPENAI_NODE, the folder that .ci/openai-node prints")
	}
	talks(t, "openai_node/client.mjs", "node", folder)
}
