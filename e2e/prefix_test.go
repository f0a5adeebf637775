package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
)

// TestMostOfAPromptIsThatOfTheTurnBefore: forty turns about one affair. A provider's cache takes what a prompt begins with as the one
// before did; the figure is how much that is of all bytes.
func TestMostOfAPromptIsThatOfTheTurnBefore(t *testing.T) {
	t.Parallel()
	const turns = 40
	var steps []scripted.Step
	for i := range turns {
		steps = append(steps, scripted.Say(fmt.Sprintf("Noted: item %d is on the list for the kitchen, and I shall remind you of the price of %d crowns.", i, 100+7*i)))
	}
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: scripted.New(steps, nil)})
	must(t, err)
	defer g.Close()
	things := strings.Fields("sink oven tiles lamp shelf table chair window paint door tap fridge hood drawer handle cable socket pipe mirror curtain")
	same, all, before := 0, 0, ""
	for i := range turns {
		text := fmt.Sprintf("And for the kitchen, what do you think of a %s in white or in oak, and who could fit it?", things[i%len(things)])
		if i%4 == 0 {
			text = fmt.Sprintf("For the kitchen renovation we also need the %s, it costs %d crowns and comes in week %d.", things[i%len(things)], 100+7*i, 10+i)
		}
		if i == 0 {
			text = "New matter: the kitchen renovation. " + text
		}
		reply, err := g.Invoke(t.Context(), graph.Request{Text: text})
		must(t, err)
		prompt := written(reply.Trace.Prompts[len(reply.Trace.Prompts)-1])
		if i > 0 {
			n := 0
			for n < min(len(prompt), len(before)) && prompt[n] == before[n] {
				n++
			}
			same, all = same+n, all+len(prompt)
		}
		before = prompt
	}
	share := float64(same) / float64(all)
	t.Logf("%.3f of the bytes of a prompt are those of the turn before", share)
	if share < 0.5 {
		t.Errorf("only %.3f of the bytes of a prompt are those of the turn before", share)
	}
}

// written is a prompt as text.
func written(prompt []*schema.Message) string {
	var b strings.Builder
	for _, m := range prompt {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}
