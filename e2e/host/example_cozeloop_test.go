package main

import (
	"context"
	"fmt"
	"log"

	ccb "github.com/cloudwego/eino-ext/callbacks/cozeloop"
	"github.com/cloudwego/eino/callbacks"
	"github.com/coze-dev/cozeloop-go"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/telemetry"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// CozeLoop has a trace of each turn, without what was said. For one with texts give InitCallbacks the handler itself.
func Example_cozeLoop() {
	server := startService() // in place of https://api.coze.cn
	defer server.Close()
	client, err := cozeloop.NewClient(cozeloop.WithAPIBaseURL(server.URL), cozeloop.WithWorkspaceID("desk"), cozeloop.WithAPIToken("pat"))
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	model := scripted.New([]scripted.Step{scripted.Call("memory_store", seat), scripted.Say("Noted, 14C.")}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model})
	if err != nil {
		log.Fatal(err)
	}
	traced := callbacks.InitCallbacks(ctx, &callbacks.RunInfo{Name: "desk"}, telemetry.OmitTexts(ccb.NewLoopHandler(client)))
	if _, err := g.Invoke(traced, graph.Request{Text: "My seat is 14C."}); err != nil {
		log.Fatal(err)
	}
	if err := g.Close(); err != nil { // what runs behind the answer has ended then
		log.Fatal(err)
	}
	client.Close(ctx)
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
