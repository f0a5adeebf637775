package graph_test

import (
	"context"
	"fmt"
	"log"

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
