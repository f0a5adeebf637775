package graph_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// A tool that only streams is killed in the middle of its stream. The message again makes the call again, under the same key, and what is kept
// is the whole result and nothing of the half.
func TestAToolThatStreamsIsCutShort(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, die := context.WithCancel(t.Context())
		var keys []string
		log := func(run func(ctx context.Context, w *schema.StreamWriter[string])) tool.InvokableTool {
			stream, err := utils.InferStreamTool("read_log", "Reads the log.", func(ctx context.Context, _ struct{}) (*schema.StreamReader[string], error) {
				keys = append(keys, state.IdempotencyKey(ctx))
				r, w := schema.Pipe[string](1)
				go func() {
					defer w.Close()
					run(ctx, w)
				}()
				return r, nil
			})
			must(t, err)
			return tools.Join(stream)
		}
		m := scripted.New([]scripted.Step{scripted.Call("read_log", "{}"), scripted.Say("All is well.")}, nil)
		open := func(run func(ctx context.Context, w *schema.StreamWriter[string])) *graph.Graph {
			return w.open(t, func(c *graph.Config) { c.Settings, c.Model, c.Tools = leaves(), m, []tool.InvokableTool{log(run)} })
		}

		g, q := open(func(ctx context.Context, w *schema.StreamWriter[string]) {
			w.Send("line 1\n", nil)
			die()
			<-ctx.Done()
		}), graph.Request{Text: "What does the log say?", MessageID: "q1"}
		_, err := g.Invoke(ctx, q)
		code(t, err, state.Unavailable)
		w.pass(state.LeaseTTL + time.Second)

		var heard []string
		g = open(func(_ context.Context, w *schema.StreamWriter[string]) {
			w.Send("line 1\n", nil)
			w.Send("line 2", nil)
		})
		for e, err := range g.Stream(t.Context(), q) {
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Name == state.ToolStart || e.Name == state.ToolEnd:
				heard = append(heard, string(e.Name)+" "+e.Text)
			case e.Reply != nil && (e.Reply.Text != "All is well." || e.Reply.Tools[0].Result != "line 1\nline 2"):
				t.Errorf("the reply is %+v", e.Reply)
			}
		}
		same(t, "heard", []string{"tool.call {}", "tool.result line 1\nline 2"}, heard)
		if len(keys) != 2 || len(slices.Compact(keys)) != 1 {
			t.Errorf("it ran under the keys %q, want twice the same", keys)
		}
	})
}
