package embedded_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
)

func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "mneme")
	g, err := embedded.Open(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	reply, err := g.Invoke(ctx, graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Decision.Kind, reply.Active.Title)
	// Output: NEW_AFFAIR Brake pads
}
