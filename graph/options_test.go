package graph_test

import (
	"context"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// tuned is a chat model that notes with which options it was asked.
type tuned struct {
	*scripted.Model
	asked *[]effort
}

// effort is an option of this model's own, and the temperature.
type effort struct {
	Level       string
	Temperature float32
}

func (m tuned) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	seen := model.GetImplSpecificOptions(&effort{Level: "default"}, opts...)
	if common := model.GetCommonOptions(nil, opts...); common.Temperature != nil {
		seen.Temperature = *common.Temperature
	}
	*m.asked = append(*m.asked, *seen)
	return m.Model.Stream(ctx, in)
}

func (m tuned) WithTools(infos []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound, err := m.Model.WithTools(infos)
	if err != nil {
		return nil, err
	}
	return tuned{bound.(*scripted.Model), m.asked}, nil
}

// Options of a request go along with every call of the chat model in its turn, the provider's own too, and with no other turn: not with the next
// one, and not with what follows an answer, which may come in another process.
func TestModelOptionsOfATurn(t *testing.T) {
	t.Parallel()
	w, asked := newWorld(), []effort{}
	m := tuned{scripted.New([]scripted.Step{
		scripted.Call("look", "{}"), scripted.Say("Seen."), scripted.Say("Again."), scripted.Call("pay", "{}"), scripted.Say("Paid."),
	}, nil), &asked}
	g := w.open(t, func(c *graph.Config) {
		c.Model, c.Approve = m, []string{"pay"}
		for _, name := range []string{"look", "pay"} {
			c.Tools = append(c.Tools, handmade{name, func(context.Context, string) (string, error) { return "done", nil }})
		}
	})
	options := []model.Option{model.WithTemperature(.5), model.WrapImplSpecificOptFn(func(e *effort) { e.Level = "high" })}

	invoke(t, g, graph.Request{Text: "Look!", ModelOptions: options})
	invoke(t, g, graph.Request{Text: "And now?"})
	waits := invoke(t, g, graph.Request{Text: "Pay!", ModelOptions: options}).Waits
	if _, err := g.Answer(t.Context(), scope(), map[string]state.Answer{waits[0].ID: {Choice: state.Approve}}); err != nil {
		t.Fatal(err)
	}
	own, none := effort{"high", .5}, effort{Level: "default"}
	same(t, "asked with", []effort{own, own, none, own, none}, asked)
}

// A tool that only the model knew of could not be run, nor approved of.
func TestModelOptionsBringNoTools(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, m := w.says(t, scripted.Say("Hello."))
	for _, o := range []model.Option{
		model.WithTools([]*schema.ToolInfo{{Name: "pay"}}), model.WithTools(nil),
	} {
		_, err := g.Invoke(t.Context(), graph.Request{Text: "Hello!", ModelOptions: []model.Option{o}})
		code(t, err, state.Invalid)
	}
	if len(m.Prompts()) != 0 || len(kept(t, g, scope())) != 0 {
		t.Errorf("something was done: %v", kept(t, g, scope()))
	}
}
