package nodes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/tools"
)

// Each node is a lambda of its own in a host's graph, with the turn as input and output. Alone it writes at once; in graph.New's flow
// what it writes waits for the turn's next commit, and survives a crash.
func Example() {
	ctx := context.Background()
	m, err := memory.New(memory.Config{Store: ram.New(), Settings: state.DefaultSettings()})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	keep := func(_ context.Context, t state.Turn) (state.Turn, error) { return t, nil }
	host := compose.NewChain[state.Turn, state.Turn]()
	for _, node := range []nodes.Func{
		nodes.Intake(m), nodes.MemoryLoad(m), nodes.ContextDetect(m, keep),
		nodes.Respond(nodes.RespondConfig{Memory: m, Model: offline.New(), Tools: tools.New(m), Commit: keep}),
		nodes.MemoryFlush(m), nodes.Finalize(),
	} {
		host.AppendLambda(compose.InvokableLambda(node))
	}
	run, err := host.Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var t state.Turn
	t.Input.Set(state.Input{Scope: state.Scope{}.Default(), Turn: "t1"})
	t.View.Set(state.View{Turn: []state.Message{{Text: "I ordered brake pads, order number 07-14244-53150."}}})
	if t, err = run.Invoke(ctx, t); err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Decision.Get().Kind, t.View.Get().Active().Title)
	said, err := m.Messages(ctx, state.Scope{}.Default())
	fmt.Println(len(said), "messages", err) // his, a call of memory_store, its result, the answer
	// Output:
	// NEW_AFFAIR Brake pads
	// 2 messages <nil>
}

// A host with an answer of its own keeps all the rest: what is said is kept, and the next turn knows it.
func ExampleAnswer() {
	ctx := context.Background()
	m, err := memory.New(memory.Config{Store: ram.New(), Settings: state.DefaultSettings()})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	keep := func(_ context.Context, t state.Turn) (state.Turn, error) { return t, nil }
	answer := func(_ context.Context, t state.Turn) (string, error) {
		view := t.View.Get()
		return fmt.Sprintf("I see %d messages of before.", len(view.Window)), nil
	}
	host := compose.NewChain[state.Turn, state.Turn]()
	for _, node := range []nodes.Func{
		nodes.Intake(m), nodes.MemoryLoad(m), nodes.ContextDetect(m, keep), nodes.Answer(nodes.RespondConfig{Memory: m}, answer), nodes.MemoryFlush(m), nodes.Finalize(),
	} {
		host.AppendLambda(compose.InvokableLambda(node))
	}
	run, err := host.Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for i, text := range []string{"I ordered brake pads.", "When do they arrive?"} {
		var t state.Turn
		t.Input.Set(state.Input{Scope: state.Scope{}.Default(), Turn: fmt.Sprint("t", i)})
		t.View.Set(state.View{Turn: []state.Message{{Text: text}}})
		if t, err = run.Invoke(ctx, t); err != nil {
			log.Fatal(err)
		}
		said := t.View.Get().Turn
		fmt.Println(said[len(said)-1].Text)
	}
	// Output:
	// I see 0 messages of before.
	// I see 2 messages of before.
}
