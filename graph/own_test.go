package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A process beside the host's finishes no turn of it with other tools or another model. It may write the answer down; the host goes on.
func TestOwnTurns(t *testing.T) {
	t.Parallel()
	steps := []scripted.Step{scripted.Call("refund", `{"Order":"78"}`), scripted.Say("Refunded.")}
	scope := state.Scope{User: "ann", Session: "s1"}
	for _, tt := range []struct {
		name string
		own  func(host graph.Config) graph.Config
		says string // why it is refused, "" = it goes on
	}{
		{"other tools", func(c graph.Config) graph.Config { c.Tools, c.Approve = nil, nil; return c }, "the tools refund (here: none)"},
		{"another model", func(c graph.Config) graph.Config { c.Model = offline.New(); return c }, "the model Scripted (here: Offline)"},
		{"the same, described in other words", func(c graph.Config) graph.Config { return c }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			paid := 0
			refund := func(says string) tool.InvokableTool {
				tl, err := utils.InferTool("refund", says, func(context.Context, struct{ Order string }) (string, error) {
					paid++
					return "done", nil
				})
				must(t, err)
				return tl
			}
			config := graph.Config{Store: ram.New(), Model: scripted.New(steps, nil), Tools: []tool.InvokableTool{refund("Pays back.")}, Approve: []string{"refund"}}
			host := openGraph(t, config)
			reply, err := host.Invoke(t.Context(), graph.Request{Scope: scope, Text: "Refund order 78."})
			if err != nil || len(reply.Waits) != 1 {
				t.Fatalf("Invoke = %+v, %v, want a question", reply.Waits, err)
			}
			yes := map[string]state.Answer{reply.Waits[0].ID: {Choice: state.Approve}}

			// The other process.
			beside := config
			beside.OwnTurns, beside.Tools = true, []tool.InvokableTool{refund("Gives money back.")}
			other := openGraph(t, tt.own(beside))
			if tt.says != "" {
				_, invoked := other.Invoke(t.Context(), graph.Request{Scope: scope, Text: "Hello."})
				_, resumed := other.Resume(t.Context(), scope)
				_, answered := other.Answer(t.Context(), scope, yes)
				for i, err := range []error{invoked, resumed, answered} {
					if state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), tt.says) {
						t.Errorf("call %d: error %v, want a conflict with %q", i, err, tt.says)
					}
				}
				if left, err := other.RecordAnswers(t.Context(), scope, yes); err != nil || len(left) != 0 {
					t.Fatalf("RecordAnswers = %v, %v", left, err)
				}
				if swept, err := other.Sweep(t.Context(), "", true); err != nil || len(swept.Others) != 1 || len(swept.Finished) != 0 {
					t.Errorf("Sweep = %+v, %v, want one of another", swept, err)
				}
				reply, err = host.Resume(t.Context(), scope)
			} else {
				reply, err = other.Answer(t.Context(), scope, yes)
			}
			if err != nil || reply.Text != "Refunded." || paid != 1 {
				t.Errorf("the end is %q, %v, paid %d times, want Refunded. and once", reply.Text, err, paid)
			}
			if len(reply.Tools) != 1 || reply.Tools[0].Answered == nil || reply.Tools[0].Answered.At.IsZero() {
				t.Errorf("tools %+v, want when the answer was given", reply.Tools)
			}
		})
	}
}
