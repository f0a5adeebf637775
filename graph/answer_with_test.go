package graph_test

import (
	"context"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A turn's own tool asks, and the answer brings the tool again, in another process too that goes on with its own turns alone.
func TestAnswerWithTheTurnsOwnTools(t *testing.T) {
	t.Parallel()
	asks, err := utils.InferTool("weather", "Asks the client", func(ctx context.Context, in struct{ City string }) (string, error) {
		a, err := state.AskPerson(ctx, state.Question{Text: "How is it in " + in.City + "?", Choices: []state.Choice{state.Edit}})
		return a.Text(), err
	})
	must(t, err)
	steps := []scripted.Step{scripted.Call("weather", `{"City":"Oslo"}`), scripted.Call("weather", `{"City":"Rome"}`), scripted.Say("Done.")}
	c := graph.Config{Store: ram.New(), Model: scripted.New(steps, nil), OwnTurns: true}
	req := graph.Request{Scope: state.Scope{User: "ann", Session: "s1"}, Text: "Where does it rain?", Tools: []tool.InvokableTool{asks}}
	reply, err := openGraph(t, c).Invoke(t.Context(), req)
	must(t, err)

	// Without the tool there is nobody who could go on.
	other := openGraph(t, c)
	answers := map[string]state.Answer{reply.Waits[0].ID: {Choice: state.Edit, Value: `"Rain."`}}
	if _, err := other.Answer(t.Context(), req.Scope, answers); state.CodeOf(err) != state.Conflict {
		t.Errorf("without the tool: %v, want a conflict", err)
	}
	for range 2 {
		reply, err = other.AnswerWith(t.Context(), req, answers)
		must(t, err)
		if len(reply.Waits) == 1 {
			answers = map[string]state.Answer{reply.Waits[0].ID: {Choice: state.Edit, Value: `"Sun."`}}
		}
	}
	if reply.Text != "Done." || len(reply.Tools) != 2 || reply.Tools[0].Result != "Rain." || reply.Tools[1].Result != "Sun." {
		t.Errorf("the end is %q with %+v", reply.Text, reply.Tools)
	}
	if again, err := other.AnswerWith(t.Context(), req, answers); err != nil || again.Text != "Done." {
		t.Errorf("given again: %q, %v", again.Text, err)
	}
}
