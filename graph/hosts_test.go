package graph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// hosting is a host over one store, with checkpoints of its own. Every call of ask and resume is a process of its own.
type hosting struct {
	store *ram.Store
	kept  *checkpoints
	steps []scripted.Step
	asked chan struct{} // if not nil, the model closes it and says nothing

	mu   sync.Mutex
	paid []string
}

// came is how a run of a host ended: with an answer, a question, or an error.
type came struct {
	said  string
	asked []graph.Question
	at    string // the interrupt
	err   error
}

// face is how a host runs a message, and how it goes on with an answer to an interrupt.
type face struct {
	ask    func(ctx context.Context, t *testing.T, h *hosting, id string) came
	resume func(ctx context.Context, t *testing.T, h *hosting, at string, data any) came
}

func (h *hosting) open(t *testing.T) *graph.Graph {
	t.Helper()
	pay, err := utils.InferTool("pay", "Pays.", func(_ context.Context, in struct{ Amount string }) (string, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.paid = append(h.paid, in.Amount)
		return "paid " + in.Amount, nil
	})
	must(t, err)
	var says model.ToolCallingChatModel = scripted.New(h.steps, nil)
	if h.asked != nil {
		says = silent{asked: h.asked}
	}
	return openGraph(t, graph.Config{Store: h.store, Model: says, Tools: []tool.InvokableTool{pay}, Approve: []string{"pay"}})
}

// silent is a model that says nothing until it is given up.
type silent struct {
	model.ToolCallingChatModel
	asked chan struct{}
}

func (s silent) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return s, nil }

func (s silent) Stream(ctx context.Context, _ []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	close(s.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

// faces are the two by which a host's run is interrupted.
func faces() map[string]face {
	at := compose.WithCheckPointID("run")
	compile := func(ctx context.Context, t *testing.T, h *hosting, id string) compose.Runnable[string, string] {
		node, opts := h.open(t).Export()
		chain := compose.NewChain[string, string]()
		chain.AppendLambda(compose.InvokableLambda(func(_ context.Context, text string) (graph.Request, error) {
			return graph.Request{Text: text, MessageID: id}, nil
		}))
		chain.AppendGraph(node, opts...)
		chain.AppendLambda(compose.InvokableLambda(func(_ context.Context, r graph.Reply) (string, error) { return r.Text, nil }))
		run, err := chain.Compile(ctx, compose.WithCheckPointStore(h.kept))
		must(t, err)
		return run
	}
	ended := func(said string, err error) came {
		c := came{said: said, err: err}
		if info, ok := compose.ExtractInterruptInfo(err); ok {
			c.asked, _ = info.InterruptContexts[0].Info.([]graph.Question)
			c.at, c.err = info.InterruptContexts[0].ID, nil
		}
		return c
	}
	runner := func(t *testing.T, h *hosting) *adk.Runner {
		a, err := h.open(t).Agent(t.Context(), graph.AgentConfig{})
		must(t, err)
		return adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: true, CheckPointStore: h.kept})
	}
	told := func(t *testing.T, events *adk.AsyncIterator[*adk.AgentEvent]) came {
		got := hear(t, events)
		c := came{err: got.err}
		if got.interrupt != nil {
			c.asked, _ = got.interrupt.Info.([]graph.Question)
			c.at = got.interrupt.ID
		} else if n := len(got.lines); n > 0 && got.err == nil {
			c.said = strings.TrimPrefix(got.lines[n-1], "mneme assistant ")
		}
		return c
	}
	return map[string]face{
		"export": {
			ask: func(ctx context.Context, t *testing.T, h *hosting, id string) came {
				return ended(compile(ctx, t, h, id).Invoke(ctx, "Pay both.", at))
			},
			resume: func(ctx context.Context, t *testing.T, h *hosting, to string, data any) came {
				return ended(compile(ctx, t, h, "").Invoke(compose.ResumeWithData(ctx, to, data), "", at))
			},
		},
		"agent": {
			ask: func(ctx context.Context, t *testing.T, h *hosting, id string) came {
				values := adk.WithSessionValues(map[string]any{graph.MessageValue: id})
				return told(t, runner(t, h).Query(ctx, "Pay both.", values, adk.WithCheckPointID("run")))
			},
			resume: func(ctx context.Context, t *testing.T, h *hosting, to string, data any) came {
				events, err := runner(t, h).ResumeWithParams(ctx, "run", &adk.ResumeParams{Targets: map[string]any{to: data}})
				if err != nil {
					return came{err: err}
				}
				return told(t, events)
			},
		},
	}
}

// onFaces plays a story on both faces: a model that pays twice, one after the other, and then says so.
func onFaces(t *testing.T, play func(t *testing.T, f face, h *hosting)) {
	t.Parallel()
	for name, f := range faces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, f, &hosting{store: ram.New(), kept: &checkpoints{}, steps: []scripted.Step{
				scripted.Call("pay", `{"Amount":"100"}`), scripted.Call("pay", `{"Amount":"200"}`), scripted.Say("Done."),
			}})
		})
	}
}

func (h *hosting) mustAsk(t *testing.T, c came, arguments string) {
	t.Helper()
	if c.err != nil || len(c.asked) != 1 || !strings.Contains(c.asked[0].Question.Arguments, arguments) {
		t.Fatalf("is not asked about %s: %+v: %v", arguments, c, c.err)
	}
}

func (h *hosting) mustHavePaid(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(h.paid, " "); got != want {
		t.Errorf("paid %q, want %q", got, want)
	}
}

func TestHostIsAskedTwiceInATurn(t *testing.T) {
	onFaces(t, func(t *testing.T, f face, h *hosting) {
		first := f.ask(t.Context(), t, h, "q1")
		h.mustAsk(t, first, "100")
		second := f.resume(t.Context(), t, h, first.at, state.Answer{Choice: state.Approve})
		h.mustAsk(t, second, "200")
		h.mustHavePaid(t, "100")
		for range 2 { // the second time as from a host that had died before it had kept what came of it
			if end := f.resume(t.Context(), t, h, second.at, state.Answer{Choice: state.Approve}); end.err != nil || end.said != "Done." {
				t.Fatalf("%+v", end)
			}
		}
		h.mustHavePaid(t, "100 200")
	})
}

func TestHostDenies(t *testing.T) {
	onFaces(t, func(t *testing.T, f face, h *hosting) {
		first := f.ask(t.Context(), t, h, "q1")
		second := f.resume(t.Context(), t, h, first.at, state.Answer{Choice: state.Reject, Reason: "too much"})
		h.mustAsk(t, second, "200")
		if end := f.resume(t.Context(), t, h, second.at, state.Answer{Choice: state.Reject}); end.err != nil || end.said != "Done." {
			t.Fatalf("%+v", end)
		}
		h.mustHavePaid(t, "")
	})
}

// The host's checkpoint is gone, the turn waits in our log. The message again asks again; another message is told what is in its way.
func TestHostHasLostItsCheckpoint(t *testing.T) {
	onFaces(t, func(t *testing.T, f face, h *hosting) {
		h.mustAsk(t, f.ask(t.Context(), t, h, "q1"), "100")
		h.kept = &checkpoints{}
		told := func(c came) bool {
			return errors.Is(c.err, state.ErrConflict) && strings.Contains(c.err.Error(), "waits for an answer to q1/") || // a node
				c.err == nil && len(c.asked) == 1 && c.asked[0].Turn() == "q1" // an agent, whose front would run it again and again
		}
		if c := f.ask(t.Context(), t, h, "q2"); !told(c) {
			t.Errorf("another message: %+v: %v", c, c.err)
		}
		again := f.ask(t.Context(), t, h, "q1")
		h.mustAsk(t, again, "100")
		h.mustAsk(t, f.resume(t.Context(), t, h, again.at, state.Answer{Choice: state.Approve}), "200")
		h.mustHavePaid(t, "100")
	})
}

// The answer to an interrupt whose turn was given up is told so, and nothing is paid.
func TestHostAnswersTooLate(t *testing.T) {
	onFaces(t, func(t *testing.T, f face, h *hosting) {
		first := f.ask(t.Context(), t, h, "q1")
		if _, err := h.open(t).Cancel(t.Context(), state.Scope{}); err != nil {
			t.Fatal(err)
		}
		if c := f.resume(t.Context(), t, h, first.at, state.Answer{Choice: state.Approve}); c.at != "" || c.err == nil || !strings.Contains(c.err.Error(), "was cancelled") {
			t.Errorf("%+v", c)
		}
		h.mustHavePaid(t, "")
	})
}

// The end of the host's context closes the turn; the next message is answered.
func TestHostGivesUp(t *testing.T) {
	onFaces(t, func(t *testing.T, f face, h *hosting) {
		ctx, cancel := context.WithCancel(t.Context())
		h.asked = make(chan struct{})
		go func() { <-h.asked; cancel() }()
		if c := f.ask(ctx, t, h, "q1"); !errors.Is(c.err, context.Canceled) {
			t.Errorf("%+v", c)
		}
		h.asked, h.steps = nil, []scripted.Step{scripted.Say("Here.")}
		if c := f.ask(t.Context(), t, h, "q2"); c.err != nil || c.said != "Here." {
			t.Errorf("%+v", c)
		}
	})
}
