package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/state"
)

var errNothingAsked = errors.New("nothing was asked")

// approval approves every question.
func approval() state.Answer { return state.Answer{Choice: state.Approve} }

// invoked calls the graph.
type invoked struct{}

func (invoked) ask(ctx context.Context, _ host, g *embedded.Graph) (string, error) {
	r, err := g.Invoke(ctx, graph.Request{Scope: scope(), Text: message})
	if err != nil || len(r.Waits) == 0 {
		return "", errors.Join(err, errNothingAsked)
	}
	return r.Waits[0].Question.Text, nil
}

func (invoked) answer(ctx context.Context, _ host, g *embedded.Graph) (string, error) {
	asked, err := g.Waits(ctx, scope())
	if err != nil {
		return "", err
	}
	r, err := g.Answer(ctx, scope(), map[string]state.Answer{asked[0].ID: approval()})
	return r.Text, err
}

// exported has the graph as a node of an eino graph.
type exported struct{}

func (exported) compile(ctx context.Context, h host, g *embedded.Graph) (compose.Runnable[string, string], error) {
	chain := compose.NewChain[string, string]()
	chain.AppendLambda(compose.InvokableLambda(func(_ context.Context, text string) (graph.Request, error) {
		return graph.Request{Scope: scope(), Text: text}, nil
	}))
	node, opts := g.Export()
	chain.AppendGraph(node, opts...)
	chain.AppendLambda(compose.InvokableLambda(func(_ context.Context, r graph.Reply) (string, error) { return r.Text, nil }))
	return chain.Compile(ctx, compose.WithCheckPointStore(h))
}

func (e exported) ask(ctx context.Context, h host, g *embedded.Graph) (string, error) {
	run, err := e.compile(ctx, h, g)
	if err != nil {
		return "", err
	}
	_, err = run.Invoke(ctx, message, compose.WithCheckPointID("run"))
	info, ok := compose.ExtractInterruptInfo(err)
	if !ok {
		return "", errors.Join(err, errNothingAsked)
	}
	return h.keep(info.InterruptContexts[0])
}

// keep keeps the id of the interrupt that a run ended with, and returns what it asks.
func (h host) keep(at *adk.InterruptCtx) (string, error) {
	asked, ok := at.Info.([]graph.Question)
	if !ok {
		return "", fmt.Errorf("the interrupt's info is a %T", at.Info)
	}
	return asked[0].Question.Text, os.WriteFile(filepath.Join(h.dir, "interrupt"), []byte(at.ID), 0o600)
}

func (h host) kept() (string, error) {
	id, err := os.ReadFile(filepath.Join(h.dir, "interrupt"))
	return string(id), err
}

func (e exported) answer(ctx context.Context, h host, g *embedded.Graph) (string, error) {
	run, err := e.compile(ctx, h, g)
	if err != nil {
		return "", err
	}
	id, err := h.kept()
	if err != nil {
		return "", err
	}
	return run.Invoke(compose.ResumeWithData(ctx, id, approval()), "", compose.WithCheckPointID("run"))
}

// agent has the graph as an agent under a Runner.
type agent struct{}

func (agent) runner(ctx context.Context, h host, g *embedded.Graph) (*adk.Runner, error) {
	a, err := g.Agent(ctx, graph.AgentConfig{})
	return adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, CheckPointStore: h}), err
}

func values() adk.AgentRunOption {
	return adk.WithSessionValues(map[string]any{graph.ClientValue: scope().Client, graph.UserValue: scope().User, graph.SessionValue: scope().Session})
}

// last returns the last that a run says, or what it asks.
func (h host) last(events *adk.AsyncIterator[*adk.AgentEvent]) (said string, err error) {
	for e, ok := events.Next(); ok; e, ok = events.Next() {
		switch {
		case e.Err != nil:
			return "", e.Err
		case e.Action != nil && e.Action.Interrupted != nil:
			return h.keep(e.Action.Interrupted.InterruptContexts[0])
		case e.Output != nil:
			msg, err := e.Output.MessageOutput.GetMessage()
			if err != nil {
				return "", err
			}
			said = msg.Content
		}
	}
	return said, nil
}

func (a agent) ask(ctx context.Context, h host, g *embedded.Graph) (string, error) {
	r, err := a.runner(ctx, h, g)
	if err != nil {
		return "", err
	}
	return h.last(r.Query(ctx, message, values(), adk.WithCheckPointID("run")))
}

func (a agent) answer(ctx context.Context, h host, g *embedded.Graph) (string, error) {
	r, err := a.runner(ctx, h, g)
	if err != nil {
		return "", err
	}
	id, err := h.kept()
	if err != nil {
		return "", err
	}
	events, err := r.ResumeWithParams(ctx, "run", &adk.ResumeParams{Targets: map[string]any{id: approval()}})
	if err != nil {
		return "", err
	}
	return h.last(events)
}

// middled has an agent of its own, with the memory as a middleware. Its tool asks nobody.
type middled struct{}

func (middled) ask(ctx context.Context, h host, g *embedded.Graph) (string, error) {
	pay, err := h.pay()
	if err != nil {
		return "", err
	}
	a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "desk", Description: "front desk", Model: script(), Handlers: []adk.ChatModelAgentMiddleware{g.Middleware(graph.AgentConfig{})},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{pay}}},
	})
	if err != nil {
		return "", err
	}
	return h.last(adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, message, values()))
}

// answer tells what the memory of another process has of it.
func (middled) answer(ctx context.Context, _ host, g *embedded.Graph) (string, error) {
	said, err := g.Memory().Messages(ctx, scope().Default())
	if err != nil {
		return "", err
	}
	var texts []string
	for _, msg := range said {
		texts = append(texts, msg.Text)
	}
	return strings.Join(texts, " | "), nil
}
