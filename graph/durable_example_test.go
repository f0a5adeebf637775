package graph_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A tool that a person has to approve leaves the turn waiting; any process over the same store goes on with it.
func ExampleGraph_Answer() {
	ctx := context.Background()
	model := scripted.New([]scripted.Step{
		scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`),
		scripted.Say("Noted."),
	}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model, Approve: []string{"memory_store"}})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	reply, err := g.Invoke(ctx, graph.Request{Text: "Note my seat, 14C."})
	if err != nil {
		log.Fatal(err)
	}
	question := reply.Waits[0]
	fmt.Println(question.Question.Text, question.Question.Arguments)

	reply, err = g.Answer(ctx, state.Scope{}, map[string]state.Answer{question.ID: {Choice: state.Approve}})
	fmt.Println(reply.Text, reply.Tools[0].Result[:12], err)
	// Output:
	// Run memory_store? {"subject":"seat","content":"The seat is 14C.","category":"fact"}
	// Noted. stored fact  <nil>
}

// A queue that delivers at least once hands its id on: the message is answered again, and the tool's effect happens once.
// The tool hands on the key of its call to where the effect is, which knows by it what it has done already: so the effect
// happens once also when the process dies before the tool's result is kept.
func ExampleRequest() {
	ctx := context.Background()
	paid := map[string]bool{}
	type order struct {
		Amount int `json:"amount"`
	}
	pay, err := utils.InferTool("pay", "Pays an amount.", func(ctx context.Context, o order) (string, error) {
		if key := state.IdempotencyKey(ctx); !paid[key] {
			paid[key] = true
			fmt.Println("paid", o.Amount, "as", key)
		}
		return "done", nil
	})
	if err != nil {
		log.Fatal(err)
	}
	model := scripted.New([]scripted.Step{scripted.Call("pay", `{"amount":100}`), scripted.Say("I have paid 100.")}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model, Tools: []tool.InvokableTool{pay}})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	for range 2 { // delivered twice
		reply, err := g.Invoke(ctx, graph.Request{Text: "Pay the 100.", MessageID: "queue-17"})
		fmt.Println(reply.Text, err)
	}
	_, err = g.Invoke(ctx, graph.Request{Text: "Pay 200.", MessageID: "queue-17"})
	fmt.Println(errors.Is(err, state.ErrConflict))
	// Output:
	// paid 100 as default/default/default/queue-17/2/call-1
	// I have paid 100. <nil>
	// I have paid 100. <nil>
	// true
}

// What a person has waited for long enough is cancelled; the session goes on.
func ExampleGraph_Cancel() {
	ctx := context.Background()
	model := scripted.New([]scripted.Step{
		scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("Hello."),
	}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model, Approve: []string{"memory_store"}})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Invoke(ctx, graph.Request{Text: "Note my seat, 14C."}); err != nil { // waits for an answer
		log.Fatal(err)
	}
	reply, err := g.Cancel(ctx, state.Scope{})
	fmt.Println(reply.Tools[0].Result, err)
	reply, err = g.Invoke(ctx, graph.Request{Text: "Hello!"})
	fmt.Println(reply.Text, err)
	// Output:
	// error: the turn was cut short before this call was over <nil>
	// Hello. <nil>
}

// History shows each checkpoint of a session with what was still to do.
func ExampleGraph_History() {
	ctx := context.Background()
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: scripted.New([]scripted.Step{scripted.Say("Hello.")}, nil)})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	if _, err := g.Invoke(ctx, graph.Request{Text: "Hi."}); err != nil {
		log.Fatal(err)
	}
	history, err := g.History(ctx, state.Scope{}, checkpoint.Which{})
	for _, c := range history {
		fmt.Println(c.Seq, c.Source, c.Next)
	}
	fmt.Println(err)
	// Output:
	// 3 loop []
	// 2 loop [respond]
	// 1 input [memory_load]
	// <nil>
}
