package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// The graph is a node of a host's graph.
func ExampleGraph_Export() {
	ctx := context.Background()
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	host := compose.NewChain[string, string]()
	host.AppendLambda(compose.InvokableLambda(func(_ context.Context, text string) (graph.Request, error) {
		return graph.Request{Scope: state.Scope{User: "ann"}, Text: text}, nil
	}))
	node, opts := g.Export()
	host.AppendGraph(node, opts...)
	host.AppendLambda(compose.InvokableLambda(func(_ context.Context, r graph.Reply) (string, error) {
		return r.Active.Title, nil
	}))
	run, err := host.Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Invoke(ctx, "I ordered brake pads, order number 07-14244-53150."))
	// Output: Brake pads <nil>
}

// The graph is an agent under a host's Runner.
func ExampleGraph_Agent() {
	ctx := context.Background()
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: scripted.New([]scripted.Step{scripted.Say("Hello, Ann.")}, nil)})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	agent, err := g.Agent(ctx, graph.AgentConfig{Name: "notes"})
	if err != nil {
		log.Fatal(err)
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent})
	events := runner.Query(ctx, "I am Ann.", adk.WithSessionValues(map[string]any{graph.UserValue: "ann"}))
	for e, ok := events.Next(); ok; e, ok = events.Next() {
		fmt.Println(e.AgentName, e.Output.MessageOutput.Message.Content, e.Err)
	}
	// Output: notes Hello, Ann. <nil>
}

// An agent that the host keeps gets the memory.
func ExampleGraph_Middleware() {
	ctx := context.Background()
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	model := scripted.New([]scripted.Step{scripted.Say("They come on Friday.")}, nil)
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "desk", Description: "front desk", Model: model, Handlers: []adk.ChatModelAgentMiddleware{g.Middleware(graph.AgentConfig{})},
	})
	if err != nil {
		log.Fatal(err)
	}
	events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent}).Query(ctx, "I ordered brake pads, order number 07-14244-53150.")
	for e, ok := events.Next(); ok; e, ok = events.Next() {
		fmt.Println(e.Output.MessageOutput.Message.Content, e.Err)
	}
	affairs, err := g.Memory().Affairs().List(ctx, state.Scope{}.Default(), false)
	fmt.Println(affairs[0].Title, err)
	// Output:
	// They come on Friday. <nil>
	// Brake pads <nil>
}
