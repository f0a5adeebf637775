package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Any process over the same store can say what a turn's model was shown, and where each line is from.
func ExampleGraph_Explain() {
	ctx := context.Background()
	model := scripted.New([]scripted.Step{scripted.Say("Noted."), scripted.Say("Row 14.")}, nil)
	g, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: model})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	for _, text := range []string{"My flight leaves from gate 7, row 14.", "Which row is it?"} {
		if _, err = g.Invoke(ctx, graph.Request{Text: text}); err != nil {
			log.Fatal(err)
		}
	}

	account, err := g.Explain(ctx, state.Scope{}, "") // the last turn
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range account.Prompts[0].Sections {
		for _, line := range s.Lines {
			if from := account.Sources[line.Of]; from.Kind == "message" {
				fmt.Printf("%s: message %d, %s, %q [%s]\n", s.Name, from.Seq, from.Who, from.Text, line.Why)
			}
		}
	}
	// Output:
	// History: message 1, user, "My flight leaves from gate 7, row 14." [last messages]
	// History: message 2, assistant, "Noted." [last messages]
	// Question: message 3, user, "Which row is it?" [the question]
}
