package graph_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// order is what the models of a turn are asked, in order: "answer" and the tasks of the small one.
type order struct {
	mu    sync.Mutex
	asked []string
}

func (o *order) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, what)
}

// before and behind are the tasks of the small model before the answer that ended the turn, and behind it.
func (o *order) split(t *testing.T) (before, behind []string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.asked, "answer") {
		t.Fatalf("there was no answer: %v", o.asked)
	}
	for _, what := range o.asked {
		if what == "answer" {
			before, behind = append(before, behind...), nil
		} else {
			behind = append(behind, what)
		}
	}
	return before, behind
}

// noted is a small model whose calls are noted.
type noted struct {
	*scripted.Small
	order *order
}

func (n noted) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	n.order.note(scripted.TaskOf(in))
	return n.Small.Generate(ctx, in, opts...)
}

// answering is a chat model whose answers are noted when they begin.
type answering struct {
	model.ToolCallingChatModel
	order *order
}

func (a answering) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	a.order.note("answer")
	return a.ToolCallingChatModel.Stream(ctx, in, opts...)
}

func (a answering) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	inner, err := a.ToolCallingChatModel.WithTools(tools)
	return answering{inner, a.order}, err
}

// The answer waits for one question to the small model at most; what else it is asked comes behind. What it says then holds.
func TestTheAnswerWaitsForOneQuestion(t *testing.T) {
	t.Parallel()
	detect := func(kind state.Kind, target, title string) map[string]any {
		return map[string]any{"type": kind, "target_affair": target, "new_affair_title": title, "confidence": 0.95, "reasoning": "scripted"}
	}
	park := map[string]any{"summary": "The pads are on their way.", "key_facts": map[string]any{}, "pending_actions": []string{}}
	store := func(content string) scripted.Step {
		return scripted.Call("memory_store", `{"subject":"work","content":"`+content+`","category":"fact"}`)
	}
	for _, c := range []struct {
		name     string
		strategy string
		decision map[string]any
		same     string
		chat     []scripted.Step
		before   []string
		behind   []string
		summary  string   // of the affair that was active, in part
		valid    []string // records
	}{
		{name: "a switch that parks", decision: detect(state.Switch, "University", ""), before: []string{"detect"}, behind: []string{"park"}, summary: "on their way"},
		{name: "an affair like an old one", decision: detect(state.NewAffair, "", "Course at the university"), before: []string{"detect"}, behind: []string{"park"}, summary: "on their way"},
		{name: "summaries by rule alone", strategy: "heuristic_only", decision: detect(state.Switch, "University", ""), before: []string{"detect"}, summary: "07-14244-53150"},
		{
			name: "a record nearly the same", decision: detect(state.Continue, "", ""), same: "other",
			chat: []scripted.Step{store("works at Globex")}, before: []string{"detect"}, behind: []string{"same"},
			valid: []string{"works at Acme", "works at Globex"},
		},
		{
			name: "a record nearly the same, which the model agrees on", decision: detect(state.Continue, "", ""), same: "replaces",
			chat: []scripted.Step{store("works at Globex")}, before: []string{"detect"}, behind: []string{"same"}, valid: []string{"works at Globex"},
		},
		{
			name: "a record that says the same", decision: detect(state.Continue, "", ""), same: "same",
			chat: []scripted.Step{store("works at Globex")}, before: []string{"detect"}, behind: []string{"same"}, valid: []string{"works at Acme"},
		},
		{
			name: "an affair settled by a tool", decision: detect(state.Continue, "", ""), chat: []scripted.Step{scripted.Call("resolve_affair", `{"affair_id":"Brake pads"}`)},
			before: []string{"detect"}, behind: []string{"park"}, summary: "on their way",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, o := newWorld(), &order{}
			script := []scripted.Step{scripted.Say("Noted."), store("works at Acme"), scripted.Say("Noted.")}
			chat := answering{scripted.New(append(append(script, c.chat...), scripted.Say("Done.")), nil), o}
			g := w.open(t, func(cfg *graph.Config) {
				cfg.Model, cfg.Settings = chat, state.DefaultSettings()
				if c.strategy != "" {
					cfg.Settings.SummaryStrategy = c.strategy
				}
			})
			invoke(t, g, ask("The university sent an email", state.NewAffair, "", "University"))
			invoke(t, g, ask("The pads of the brake have order number 07-14244-53150", state.NewAffair, "", "Brake pads"))
			o.asked = nil
			small := noted{scripted.Background(map[string]any{"detect": c.decision, "park": park, "same": map[string]any{"kind": c.same}}, nil), o}
			invoke(t, g, graph.Request{Text: "And now the course", SmallModel: small, AskSmall: true})
			before, behind := o.split(t)
			same(t, "asked before the answer", c.before, before)
			same(t, "asked behind it", c.behind, behind)
			if a, err := g.Memory().Affairs().Get(t.Context(), scope(), "Brake pads"); err != nil || !strings.Contains(a.Summary, c.summary) || a.SumUp != "" {
				t.Errorf("the affair left: %v, %+v", err, a)
			}
			records, err := g.Memory().Records(t.Context(), scope())
			var valid []string
			for _, r := range records {
				if r.ValidTo == nil {
					valid = append(valid, r.Content)
				}
			}
			if err != nil || c.valid != nil && !cmp.Equal(c.valid, valid) {
				t.Errorf("valid records: %v, %q, want %q", err, valid, c.valid)
			}
		})
	}
}

// A turn that is cut off between parking and its reply has the summary made when it is gone on with, or by the next turn.
func TestASummaryThatIsDueIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	chat := scripted.New([]scripted.Step{scripted.Say("Noted."), scripted.Say("Noted."), scripted.Say("Noted."), scripted.Say("Noted.")}, nil)
	g := w.open(t, func(cfg *graph.Config) { cfg.Model, cfg.Settings = chat, leaves() })
	invoke(t, g, ask("The pads of the brake have order number 07-14244-53150", state.NewAffair, "", "Brake pads"))
	answers := map[string]any{
		"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.95},
		"park":   map[string]any{"summary": "The pads are on their way."},
	}
	ctx, cancel := context.WithCancel(t.Context())
	small := cutting{scripted.Background(answers, nil), cancel}
	_, err := g.Invoke(ctx, graph.Request{Text: "The university sent an email", SmallModel: small, AskSmall: true})
	if a, found := g.Memory().Affairs().Get(t.Context(), scope(), "Brake pads"); found != nil || !strings.Contains(a.Summary, "07-14244-53150") || a.SumUp == "" {
		t.Errorf("after the cut (%v): %v, %+v", err, found, a)
	}
	invoke(t, g, graph.Request{Text: "Thanks!", SmallModel: scripted.Background(answers, nil)})
	if a, err := g.Memory().Affairs().Get(t.Context(), scope(), "Brake pads"); err != nil || a.Summary != "The pads are on their way." || a.SumUp != "" || a.Status != state.Parked {
		t.Errorf("the affair left: %v, %+v", err, a)
	}
}

// cutting is a small model whose caller is gone when it is to sum up.
type cutting struct {
	*scripted.Small
	cut context.CancelFunc
}

func (c cutting) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	if scripted.TaskOf(in) == "park" {
		c.cut()
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return c.Small.Generate(ctx, in, opts...)
}
