package e2e_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/state"
)

func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "mneme") // or a folder of yours: what it holds is there next week
	g, err := embedded.Open(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	anna := state.Scope{User: "anna", Session: "monday"}
	for _, text := range []string{
		"I ordered brake pads, order number 07-14244-53150, they arrive on 20 February.",
		"Something else: the University of Leeds wants my transcripts by March 15.",
		"Hey, when do the brake pads arrive?",
		"Back to the brake pads.",
	} {
		reply, err := g.Invoke(ctx, graph.Request{Scope: anna, Text: text})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(reply.Decision.Kind, "|", reply.Active.Title, "|", reply.Text)
	}
	// Output:
	// NEW_AFFAIR | Brake pads | Noted: “Brake pads”.
	// NEW_AFFAIR | University of Leeds | Noted: “University of Leeds”.
	// AD_HOC | University of Leeds | You said: “I ordered brake pads, order number 07-14244-53150, they arrive on 20 February.”
	// SWITCH | Brake pads | Noted.
}
