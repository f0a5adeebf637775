package scenario

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// booking is a tool of a host that keeps a ledger in a file, which outlives the process.
type booking struct {
	Room string `json:"room"`
}

// agent is a host's own: a model that answers in its own words, and a tool that writes into a ledger.
func agent(t *testing.T, ledger string) Config {
	t.Helper()
	c, err := hostAgent(ledger)
	must(t, err)
	return c
}

func hostAgent(ledger string) (Config, error) {
	book, err := utils.InferTool("book", "Books a room.", func(_ context.Context, b booking) (string, error) {
		f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(b.Room + "\n")
			err = errors.Join(err, f.Close())
		}
		return "booked " + b.Room, err
	})
	own := scripted.New([]scripted.Step{scripted.Say("I am the host's model.")}, offline.New())
	return Config{Model: own, Tools: []tool.InvokableTool{book}, Identity: "You book rooms."}, err
}

// The model, the tools and the system prompt are the host's; what a turn scripts wins, and after its end the host's model answers.
func TestOwnAgent(t *testing.T) {
	t.Parallel()
	ledger := filepath.Join(t.TempDir(), "ledger")
	s := parse(t, `
turns:
  - user: "Who are you?"
    expect: {reply_contains: ["I am the host's model."], context_contains: [You book rooms.]}
  - user: "Book the blue room."
    model:
      - {call: book, args: {room: blue}}
      - {say: "It is yours."}
    expect: {tools: [book], reply_contains: [It is yours.], context_contains: [booked blue]}
`)
	if got := runFresh(t, s, agent(t, ledger)); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
	if got, err := os.ReadFile(ledger); err != nil || string(got) != "blue\n" {
		t.Errorf("ledger %q, %v, want one booking", got, err)
	}
}

// Each call of a tool on the list is a question, which the key approve answers.
func TestOwnApprovals(t *testing.T) {
	t.Parallel()
	ledger := filepath.Join(t.TempDir(), "ledger")
	c := agent(t, ledger)
	c.Approve = []string{"book"}
	s := parse(t, `
turns:
  - user: "Book the blue room."
    model: [{call: book, args: {room: blue}}, {say: "It is yours."}]
    expect: {pending_approval: 1}
  - approve: no
    expect: {pending_approval: 0, tools: [book], reply_contains: [It is yours.]}
  - user: "Book the red room."
    model: [{call: book, args: {room: red}}, {say: "Done."}]
    approve: {room: green}
    expect: {reply_contains: [Done.], context_contains: [booked green]}
`)
	if got := runFresh(t, s, c); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
	if got, err := os.ReadFile(ledger); err != nil || string(got) != "green\n" {
		t.Errorf("ledger %q, %v, want the one that was approved", got, err)
	}
}

// A small model of the host judges where a turn scripts no background.
func TestOwnSmallModel(t *testing.T) {
	t.Parallel()
	s := parse(t, `
settings: {detect: model}
turns:
  - user: "I ordered brake pads, order number 07-14244-53150."
    model: [{say: Noted.}]
    expect: {active: Named by the host}
`)
	c := Config{SmallModel: scripted.Background(map[string]any{
		"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "Named by the host", "confidence": 0.95},
	}, nil)}
	if got := runFresh(t, s, c); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
}

// The process that dies has the host's tools too, and a crash can be at their calls.
func TestCrashAtAnOwnTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := agent(t, filepath.Join(dir, "ledger"))
	c.Child = []string{os.Args[0], playTurn, filepath.Join(dir, "ledger")}
	const story = `
turns:
  - user: "Book the blue room."
    model: [{call: book, args: {room: blue}}, {say: "It is yours."}]
    crash: PLACE
    expect: {tools: [book], reply_contains: [It is yours.]}
`
	s := parse(t, strings.Replace(story, "PLACE", "before respond/tool:book", 1))
	if got := runFresh(t, s, c); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "ledger")); err != nil || string(got) != "blue\n" {
		t.Errorf("ledger %q, %v, want one booking", got, err)
	}
	s = parse(t, strings.Replace(story, "PLACE", "after respond/tool:bok", 1))
	_, err := Run(t.Context(), s, c)
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), `there is no such tool, did you mean "book"?`) {
		t.Errorf("error %v, want the nearest tool", err)
	}
}
