package main

import (
	"context"
	"fmt"
	"log"

	"github.com/cloudwego/eino-ext/callbacks/langfuse"
	"github.com/cloudwego/eino/callbacks"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/telemetry"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Langfuse has a trace of each turn, without what was said. For one with texts give InitCallbacks the handler itself.
func Example_langfuse() {
	server := startService() // in place of https://cloud.langfuse.com
	defer server.Close()
	handler, flush := langfuse.NewLangfuseHandler(&langfuse.Config{Host: server.URL, PublicKey: "pk", SecretKey: "sk"})

	ctx := context.Background()
	model := scripted.New([]scripted.Step{scripted.Call("memory_store", seat), scripted.Say("Noted, 14C.")}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model})
	if err != nil {
		log.Fatal(err)
	}
	scope := state.Scope{User: "ann", Session: "desk"}
	ctx = langfuse.SetTrace(ctx, langfuse.WithName("desk"), langfuse.WithSessionID(scope.Session), langfuse.WithUserID(scope.User))
	ctx = callbacks.InitCallbacks(ctx, &callbacks.RunInfo{Name: "desk"}, telemetry.OmitTexts(handler))
	if _, err := g.Invoke(ctx, graph.Request{Scope: scope, Text: "My seat is 14C."}); err != nil {
		log.Fatal(err)
	}
	if err := g.Close(); err != nil { // what runs behind the answer has ended then
		log.Fatal(err)
	}
	flush()
	fmt.Print(server.tree())
	// Output:
	// mneme
	//   intake
	//   memory_load
	//   context_detect
	//   respond
	//     recall
	//     respond/model
	//     memory_store
	//     respond/model
	//   memory_flush
	//   finalize
}

// seat is the call with which a model stores a seat.
const seat = `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`
