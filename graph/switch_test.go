package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// The answering model that sees another affair assumed than is meant puts the running turn right, before it answers: what it stores then, what the turn
// teaches and the next turn go on there, and an affair that was made by mistake is gone.
func TestTheModelSwitchesTheAffair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		kind           state.Kind // as it was judged
		target, title  string
		arguments      string
		result         string // beginning of what the tool answers
		decided        state.Kind
		in             string // the affair that the turn ends in
		gone, parkedIn string
	}{
		{"going on is a return", state.Continue, "", "", `{"affair_id":"Roof"}`, "the conversation goes on in: Roof", state.Switch, "Roof", "", "Holiday"},
		{"going on is a matter of its own", state.Continue, "", "", `{"new_title":"Cat"}`, "the conversation goes on in: Cat", state.NewAffair, "Cat", "", "Holiday"},
		{"a new affair is none", state.NewAffair, "", "Deposit", `{"affair_id":"Holiday"}`, "the conversation goes on in: Holiday", state.Switch, "Holiday", "Deposit", "Roof"},
		{"a question aside is a return", state.AdHoc, "Roof", "", `{"affair_id":"roof"}`, "the conversation goes on in: Roof", state.Switch, "Roof", "", "Holiday"},
		{"it is there already", state.Continue, "", "", `{"affair_id":"Holiday"}`, "error: put turn", state.Continue, "Holiday", "", "Roof"},
		{"there is no such affair", state.Continue, "", "", `{"affair_id":"Boat"}`, "error: affair Boat", state.Continue, "Holiday", "", "Roof"},
		{"nothing is named", state.Continue, "", "", `{}`, `error: switch_affair: the argument "affair_id" is missing`, state.Continue, "Holiday", "", "Roof"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
			must(t, err)
			defer g.Close()
			say := func(text string, kind state.Kind, target, title string, steps ...scripted.Step) graph.Reply {
				t.Helper()
				detect := map[string]any{"type": kind, "target_affair": target, "new_affair_title": title, "confidence": 0.95}
				req := graph.Request{Text: text, AskSmall: true, SmallModel: scripted.Background(map[string]any{"detect": detect}, nil)}
				if len(steps) > 0 {
					req.Model = scripted.New(steps, nil)
				}
				r, err := g.Invoke(t.Context(), req)
				must(t, err)
				return r
			}
			say("The roof repair costs 4,200 euros.", state.NewAffair, "", "Roof")
			say("We fly to Crete on 5 June.", state.NewAffair, "", "Holiday")
			r := say("The deposit is 800 euros.", c.kind, c.target, c.title,
				scripted.Call("switch_affair", c.arguments),
				scripted.Call("memory_store", `{"subject":"deposit","content":"The deposit is 800 euros.","category":"fact"}`),
				scripted.Say("Noted."))

			said, err := g.Memory().Messages(t.Context(), state.Scope{})
			if err != nil || len(said) != 4+6 || !strings.HasPrefix(said[6].Text, c.result) {
				t.Fatalf("%d messages, %v; the tool answers %q, want %q", len(said), err, said[min(len(said)-1, 6)].Text, c.result)
			}
			if d := r.Decision; d.Kind != c.decided || d.Title != c.in {
				t.Errorf("decided %+v, want %s of %q", d, c.decided, c.in)
			}
			a, err := g.Memory().Affairs().Get(t.Context(), state.Scope{}, c.in)
			if err != nil || a.Status != state.Active || !strings.Contains(strings.Join(values(a.KeyFacts), "; "), "800") {
				t.Errorf("%q is %s with %q, %v", c.in, a.Status, strings.Join(values(a.KeyFacts), "; "), err)
			}
			for _, msg := range said[4:] {
				if msg.Affair != a.ID {
					t.Errorf("message %d is filed under %q, want %q", msg.Seq, msg.Affair, a.ID)
				}
			}
			if records, err := g.Memory().Records(t.Context(), state.Scope{}); err != nil || len(records) != 1 || records[0].Affair != a.ID {
				t.Errorf("stored %+v, %v", records, err)
			}
			if p, err := g.Memory().Affairs().Get(t.Context(), state.Scope{}, c.parkedIn); err != nil || p.Status != state.Parked || strings.Contains(strings.Join(values(p.KeyFacts), "; "), "800 ") {
				t.Errorf("%q is %s with %q, %v", c.parkedIn, p.Status, strings.Join(values(p.KeyFacts), "; "), err)
			}
			if list, err := g.Memory().Affairs().List(t.Context(), state.Scope{}, true); err != nil || c.gone != "" && len(list) != 2 {
				t.Errorf("%d affairs, %v; %q is to be gone", len(list), err, c.gone)
			}
			if next := say("And the day after?", state.Continue, "", ""); next.Decision.AffairID != a.ID {
				t.Errorf("the next turn goes on in %q", next.Decision.Title)
			}
		})
	}
}

// With detect = tool no small model is asked, and the answering model is told what was assumed.
func TestTheModelIsToldWhatIsAssumed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"tool", "rules"} {
		set := state.DefaultSettings()
		set.Detect = mode
		asked := scripted.Background(map[string]any{"detect": map[string]any{"type": "NEW_AFFAIR", "confidence": 0.95}}, nil)
		m := scripted.New([]scripted.Step{scripted.Say("Noted."), scripted.Say("On Monday.")}, nil)
		g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: m, SmallModel: asked, Settings: set})
		must(t, err)
		defer g.Close()
		for _, text := range []string{"The roof repair costs 4,200 euros.", "When do they come?"} {
			if _, err := g.Invoke(t.Context(), graph.Request{Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		prompt := ""
		for _, msg := range m.Prompts()[1] {
			prompt += msg.Content
		}
		told := strings.Contains(prompt, "the new message is taken to be about this affair") && strings.Contains(prompt, "call switch_affair first")
		if told != (mode == "tool") || slices.Contains(asked.Asked(), "detect") {
			t.Errorf("%s: told %v, the small model was asked %v", mode, told, asked.Asked())
		}
	}
}
