package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// halting says one piece, and the other when it may.
type halting struct {
	model.ToolCallingChatModel
	said, goOn chan struct{}
}

func (h halting) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return h, nil }

func (h halting) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	r, w := schema.Pipe[*schema.Message](1)
	go func() {
		defer w.Close()
		w.Send(schema.AssistantMessage("One, ", nil), nil)
		close(h.said)
		<-h.goOn
		w.Send(schema.AssistantMessage("two.", nil), nil)
	}()
	return r, nil
}

func TestFollow(t *testing.T) {
	t.Parallel()
	w, h := newWorld(), halting{said: make(chan struct{}), goOn: make(chan struct{})}
	g := w.open(t, func(c *graph.Config) { c.Model = h })
	over := make(chan graph.Reply, 1)
	heardOne := make(chan struct{})
	go func() {
		var end graph.Event
		for e, err := range g.Stream(t.Context(), graph.Request{Text: "Count.", MessageID: "count"}) {
			if err != nil {
				t.Error(err)
			}
			if e.Name == state.TokenEvent && e.Text == "One, " {
				close(heardOne)
			}
			end = e
		}
		over <- *end.Reply
	}()
	<-heardOne

	// One who leaves and one who stays; the turn goes on for both.
	for e := range g.Follow(t.Context(), scope(), "count") {
		if e.Name == state.TokenEvent {
			break
		}
	}
	var tokens []string
	var first state.EventName
	var end graph.Event
	for e, err := range g.Follow(t.Context(), scope(), "count") {
		must(t, err)
		if first == "" {
			first = e.Name
		}
		if e.Name == state.TokenEvent {
			if tokens = append(tokens, e.Text); len(tokens) == 1 {
				close(h.goOn)
			}
		}
		end = e
	}
	if reply := <-over; first != state.RunStart || strings.Join(tokens, "|") != "One, |two." || end.Name != state.RunEnd || end.Reply.Text != reply.Text || end.Reply.Turn != "count" {
		t.Errorf("followed %s, %q, %+v", first, tokens, end.Reply)
	}

	// What has ended is told as it ended, here and in another process; what never was is not found.
	for name, g := range map[string]*graph.Graph{"here": g, "elsewhere": w.open(t, nil)} {
		for e, err := range g.Follow(t.Context(), scope(), "count") {
			if err != nil || e.Name != state.RunEnd || e.Reply.Text != "One, two." {
				t.Errorf("%s, after its end: %+v, %v", name, e, err)
			}
		}
		for _, at := range []state.Scope{scope(), {User: "bob"}, {Client: "acme"}} {
			id := "count"
			if at == scope() {
				id = "other"
			}
			for _, err := range g.Follow(t.Context(), at, id) {
				code(t, err, state.NotFound)
			}
		}
	}
}
