package faults_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// childWord, as the first argument, makes the test binary a child process.
const childWord = "child-of-a-fault-test"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		if err := child(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	// The server that all tests share ends with the process.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/mneme-graph/mneme/state/store/mongo/mongotest.(*Server).run.func2"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"), goleak.IgnoreAnyFunction("os/exec.(*Cmd).writerDescriptor.func1"))
}

// slack is what a loaded machine may need beyond a deadline; a hang is longer.
const slack = 30 * time.Second

// driver is a kind of store.
type driver struct {
	name  string
	fresh func(t *testing.T) store.Store
	// more opens the same store once more, as another process does; nil where only one has it.
	more func(t *testing.T, s store.Store) store.Store
}

func ramDriver() driver {
	return driver{name: "ram", fresh: func(*testing.T) store.Store { return ram.New() }}
}

func looseDriver() driver {
	return driver{
		name: "loose", fresh: func(*testing.T) store.Store { return ram.NewLoose() },
		more: func(_ *testing.T, s store.Store) store.Store { return s },
	}
}

func folderDriver() driver {
	return driver{
		name: "sqlite", fresh: func(t *testing.T) store.Store { t.Helper(); return openFolder(t, t.TempDir()) },
		more: func(t *testing.T, s store.Store) store.Store {
			t.Helper()
			return openFolder(t, s.(*sqlite.Store).Path())
		},
	}
}

func mongoDriver() driver {
	return driver{
		name:  "mongo",
		fresh: func(t *testing.T) store.Store { t.Helper(); return openMongo(t, mongotest.Shared(t), time.Minute) },
		more: func(t *testing.T, s store.Store) store.Store {
			t.Helper()
			return openMongo(t, s.(*database).uri, time.Minute)
		},
	}
}

func openFolder(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // its folder goes too
	return s
}

// database is a store that knows where it is.
type database struct {
	*mongo.Store
	uri string
}

func openMongo(t *testing.T, uri string, timeout time.Duration) *database {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	s, err := mongo.Open(ctx, mongo.Config{URI: uri, Timeout: timeout})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // the line to it may be broken
	return &database{s, uri}
}

// world is what the processes of a test share besides the store: a clock.
type world struct {
	tokens    *token.Counter
	processes atomic.Int64

	clock func() time.Time
	pass  func(time.Duration)
}

func newWorld() *world {
	c := &statetest.Clock{At: storyTime()}
	return &world{tokens: token.New(), clock: c.Now, pass: c.Pass}
}

func storyTime() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }

// open is a process: a graph over the store, with ids of its own. Its turns wait a twentieth of what they mean to, and
// leases are never renewed.
func (w *world) open(t *testing.T, s store.Store, change func(*graph.Config)) *graph.Graph {
	t.Helper()
	c := graph.Config{Store: s, Now: w.clock, NewID: numbered(fmt.Sprintf("p%d", w.processes.Add(1))), Tokens: w.tokens, After: soon}
	c.Settings = state.DefaultSettings()
	change(&c)
	g, err := graph.New(t.Context(), c)
	must(t, err)
	held := weak.Make(g) // some tests open a thousand, of some MB each
	t.Cleanup(func() {
		if g := held.Value(); g != nil {
			_ = g.Close() // a test that minds has closed it
		}
	})
	return g
}

func numbered(name string) func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id-%s-%d", name, n.Add(1)) }
}

// soon is how the graphs of the tests wait. Results of one answer share a commit, however long they take, so that a story has
// one end.
func soon(d time.Duration) <-chan time.Time {
	if d >= state.LeaseTTL/3 || d <= time.Millisecond {
		return nil
	}
	return time.After(d / 20)
}

// chat is a chat model without a memory of its own: what it says depends on the prompt alone, so that it can be asked
// again after a crash. It is given the user's message and how often it has answered that already.
type chat func(ctx context.Context, question string, n int) (*schema.Message, error)

func (c chat) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return c, nil }

func (c chat) Generate(ctx context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	question, n := "", 0
	for _, m := range prompt {
		switch m.Role {
		case schema.User:
			question, n = m.Content, 0
		case schema.Assistant:
			n++
		}
	}
	return c(ctx, question, n)
}

func (c chat) Stream(ctx context.Context, prompt []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m, err := c.Generate(ctx, prompt, opts...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{m}), nil
}

// says is an answer in words.
func says(text string) *schema.Message { return schema.AssistantMessage(text, nil) }

// calls is an answer that asks for tools, given as name and arguments in turn.
func calls(pairs ...string) *schema.Message {
	m := schema.AssistantMessage("", nil)
	for i := 0; i < len(pairs); i += 2 {
		m.ToolCalls = append(m.ToolCalls, schema.ToolCall{ID: fmt.Sprintf("c%d", i/2+1), Function: schema.FunctionCall{Name: pairs[i], Arguments: pairs[i+1]}})
	}
	return m
}

// judge is a small model that decides by the message alone, again and again.
type judge map[string]string

func (j judge) Generate(_ context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	_, message, found := strings.Cut(prompt[0].Content, "\n## New message")
	for part, answer := range j {
		if found && strings.Contains(message, part) {
			return schema.AssistantMessage(answer, nil), nil
		}
	}
	return nil, state.Errorf(state.NotFound, "small model", "has no answer")
}

func (j judge) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.New("the small model is not streamed")
}

// handmade is a tool made of a function.
type handmade struct {
	name string
	run  func(ctx context.Context, args string) (string, error)
}

func (h handmade) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: h.name, Desc: "A tool of a test."}, nil
}

func (h handmade) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	return h.run(ctx, args)
}

// long reports whether the longer tests are asked for.
func long() bool { return os.Getenv("MNEME_LONG") != "" }

// seed is where what comes by chance begins.
func seed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("MNEME_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatalf("MNEME_SEED: %v", err)
	}
	return n
}

// scope is whose story it is.
func scope() state.Scope { return state.Scope{}.Default() }
