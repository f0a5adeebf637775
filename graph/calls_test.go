package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// An agent books and then hangs, and its process is given up each time: the booking is made once, and in the fourth attempt
// the hanging call is an error for the model. The session goes on.
func TestAFinishedToolNeverRunsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	var booked, hung atomic.Int64
	var cancel context.CancelFunc
	steps := scripted.New([]scripted.Step{
		scripted.Calls(state.ToolCall{ID: "a", Name: "book"}, state.ToolCall{ID: "b", Name: "hang"}), scripted.Say("Booked."), scripted.Say("Yes."),
	}, nil)
	open := func() *graph.Graph {
		return w.open(t, func(c *graph.Config) {
			c.Settings = state.DefaultSettings()
			c.Settings.OnCancel = state.ResumeOnCancel
			c.Model = steps
			c.Tools = []tool.InvokableTool{
				handmade{"book", func(context.Context, string) (string, error) { return fmt.Sprint("booking ", booked.Add(1)), nil }},
				handmade{"hang", func(ctx context.Context, _ string) (string, error) {
					hung.Add(1)
					cancel()
					<-ctx.Done()
					return "", ctx.Err()
				}},
			}
		})
	}
	for _, text := range []string{"Book it.", "Hello?", "Hello??"} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		if _, err := open().Invoke(ctx, graph.Request{Text: text}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
		cancel()
	}
	r := invoke(t, open(), graph.Request{Text: "Are you there?"})
	if r.Text != "Yes." || booked.Load() != 1 || hung.Load() != 3 {
		t.Errorf("%q; booked %d times, hung %d times", r.Text, booked.Load(), hung.Load())
	}
	want := []string{
		"1 user Book it.", "2 assistant ->book->hang", "3 tool booking 1",
		"4 tool error: tool hang: was begun 3 times and never came to a result; it is not begun again",
		"5 assistant Booked.", "6 user Are you there?", "7 assistant Yes.",
	}
	same(t, "kept", want, kept(t, open(), scope()))
}
