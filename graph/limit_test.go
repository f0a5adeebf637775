package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// endless is a chat model that never answers.
type endless struct{ model.ToolCallingChatModel }

func (e endless) Stream(ctx context.Context, _ []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (e endless) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return e, nil }

// A turn that takes longer than turn_timeout is closed in order: the error is typed and names the setting, the message stays,
// and the session goes on.
func TestTurnTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		settings := state.DefaultSettings()
		settings.TurnTimeout = 3 * time.Second
		g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: endless{offline.New()}, Settings: settings})
		must(t, err)
		defer g.Close()
		began := time.Now()
		_, err = g.Invoke(t.Context(), graph.Request{Text: "When does the part arrive?"})
		if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "turn_timeout") || time.Since(began) != 3*time.Second {
			t.Errorf("after %s: %v, want an unavailable that names turn_timeout after 3s", time.Since(began), err)
		}
		if _, err := g.Invoke(t.Context(), graph.Request{Text: "Hello?", Model: offline.New()}); err != nil {
			t.Errorf("the next message: %v", err)
		}
		said, err := g.Memory().Messages(t.Context(), state.Scope{}.Default())
		if err != nil || len(said) != 3 {
			t.Errorf("kept %d messages, %v, want both questions and an answer", len(said), err)
		}
	})
}

// What the small model is asked before the reply counts against turn_tokens, stands in the usage and is still known in another process.
func TestTurnTokensOfTheSmallModel(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 1} {
		w, m := newWorld(), scripted.New([]scripted.Step{scripted.Say("Hello.")}, nil)
		settings := state.DefaultSettings()
		settings.TurnTokens = most
		g := w.open(t, func(c *graph.Config) { c.Model, c.Settings = m, settings })
		reply, err := g.Invoke(t.Context(), ask("Hi there", state.NewAffair, "", "Garden"))
		if denied := errors.Is(err, state.ErrDenied); denied != (most > 0) || denied && !strings.Contains(err.Error(), "turn_tokens") {
			t.Errorf("at most %d tokens: got %v", most, err)
		}
		if chat := len(m.Prompts()); (chat == 0) != (most > 0) {
			t.Errorf("at most %d tokens: the chat model was asked %d times", most, chat)
		}
		if u := reply.Usage; u.SmallModelCalls != 1 || u.PromptTokens == 0 || u != reply.Trace.Bill.Usage {
			t.Errorf("usage %+v, want the bill's %+v with one call of the small model", u, reply.Trace.Bill.Usage)
		}
		a, err := w.open(t, func(c *graph.Config) { c.Model = m }).Explain(t.Context(), scope(), reply.Turn)
		if err != nil || a.Bill.Usage != reply.Usage {
			t.Errorf("explained with %+v, %v, want %+v", a.Bill.Usage, err, reply.Usage)
		}
	}
}
