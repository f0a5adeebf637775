package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// parrot answers every message with a call of a tool and then a sentence.
type parrot struct{ actor }

func (p *parrot) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return p, nil }

func (p *parrot) Stream(_ context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	answer := calls("list_affairs", "{}", "wait", "{}")
	if prompt[len(prompt)-1].Role == schema.Tool {
		answer = schema.AssistantMessage("Heard.", nil)
	}
	return schema.StreamReaderFromArray([]*schema.Message{answer}), nil
}

// Callers of all kinds meet in a few sessions, and give up at any event of their turns. Each gets an answer or an error that
// it can tell, and afterwards every session is in order.
func TestACrowdThatGivesUp(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g := w.open(t, func(c *graph.Config) {
			c.Model, c.NewID = &parrot{}, w.newID
			c.Tools = []tool.InvokableTool{handmade{"wait", func(ctx context.Context, _ string) (string, error) { return "waited", ctx.Err() }}}
		})
		policies := []state.DoubleTexting{state.RejectTexting, state.EnqueueTexting, state.InterruptTexting, state.RollbackTexting}
		var wg sync.WaitGroup
		for caller := range 8 {
			wg.Go(func() {
				by := rand.New(rand.NewPCG(1, uint64(caller)))
				for i := range 25 {
					s := state.Scope{Session: fmt.Sprintf("s%d", by.IntN(3))}
					if by.IntN(8) == 0 {
						if _, err := g.Cancel(t.Context(), s); err != nil && !errors.Is(err, state.ErrNotFound) {
							t.Errorf("Cancel: %v", err)
						}
						continue
					}
					req := graph.Request{Scope: s, Text: fmt.Sprintf("Hello %d from %d.", i, caller), DoubleTexting: policies[by.IntN(4)]}
					if by.IntN(4) == 0 {
						req.MessageID = fmt.Sprintf("q%d", by.IntN(20))
					}
					left := by.IntN(40)
					for _, err := range g.Stream(t.Context(), req) {
						if err != nil && !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrUnavailable) {
							t.Errorf("%s: %v", req.Text, err)
						}
						if left--; left == 0 {
							break
						}
					}
				}
			})
		}
		wg.Wait()
		for n := range 3 {
			s := state.Scope{Session: fmt.Sprintf("s%d", n)}.Default()
			if _, err := g.Resume(t.Context(), s); err != nil && !errors.Is(err, state.ErrNotFound) { // one that can be sent again may be left
				t.Errorf("session %d: its last turn is neither closed nor gone on with: %v", n, err)
			}
			if r := invoke(t, g, graph.Request{Scope: s, Text: "Are you there?"}); r.Text != "Heard." {
				t.Errorf("session %d: %q", n, r.Text)
			}
			list, err := g.Memory().Messages(t.Context(), s)
			if err != nil || !slices.IsSortedFunc(list, func(a, b state.Message) int { return int(a.Seq - b.Seq) }) {
				t.Errorf("session %d: %+v, %v", n, list, err)
			}
		}
	})
}
