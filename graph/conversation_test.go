package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The conversation the product is made for: a car part is ordered, a university comes in between, the part is
// asked about aside, and the talk goes on with the university.
func TestFiveTurns(t *testing.T) {
	t.Parallel()
	const part, school, number = "Díl na auto z eBay", "Univerzita Unicorn", "07-14244-53150"
	w := newWorld()
	counting := &store.Counting{Store: w.store}
	w.store = counting
	g := w.open(t, nil)
	for i, turn := range []struct {
		req      graph.Request
		kind     state.Kind
		target   string
		active   string
		parked   []string
		tools    []string
		has, not []string // of the reply
		lacks    []string // of every prompt
	}{
		{ask("Nakonec jsem objednal tenhle díl na auto: https://www.ebay.com/itm/167956961209", state.NewAffair, "", part),
			state.NewAffair, part, part, nil, nil, nil, nil, nil},
		{ask("Tady je potvrzení, objednávka "+number+", cena $38.10", state.Continue, "", ""),
			state.Continue, part, part, nil, nil, nil, nil, nil},
		{ask("Dobře, teď něco jiného. Přišel ti dopis z univerzity Unicorn.", state.NewAffair, "", school),
			state.NewAffair, school, school, []string{part}, nil, nil, []string{number, "$38.10"}, []string{number, "$38.10"}},
		{ask("Hele, kdy dorazí ten díl na auto?", state.AdHoc, part, ""),
			state.AdHoc, part, school, []string{part}, []string{"memory_recall", "memory_recall"}, []string{number}, []string{"Unicorn"}, nil},
		{ask("A co ta škola, co mám udělat dál?", state.Continue, "", ""),
			state.Continue, school, school, []string{part}, []string{"recall_affair"}, nil, []string{number, "$38.10"}, []string{number, "$38.10"}},
	} {
		w.pass(5 * time.Minute)
		before := counting.Counts()
		r := invoke(t, g, turn.req)
		cost := counting.Counts().Minus(before)
		t.Logf("turn %d: %s, %d writes of %d documents, %d reads (%d gets, %d scans), bill %+v", i+1, r.Decision.Kind,
			cost.Writes, cost.Docs, cost.Gets+cost.Scans, cost.Gets, cost.Scans, r.Trace.Bill)
		if r.Decision.Kind != turn.kind || r.Decision.Title != turn.target || title(r.Active) != turn.active || !slices.Equal(titles(r.Parked), append([]string{}, turn.parked...)) {
			t.Errorf("turn %d: want %s %q, active %q, parked %q; got %s %q, %q, %q", i+1, turn.kind, turn.target, turn.active, turn.parked,
				r.Decision.Kind, r.Decision.Title, title(r.Active), titles(r.Parked))
		}
		var called []string
		for _, use := range r.Tools {
			called = append(called, use.Name)
		}
		if !slices.Equal(called, turn.tools) {
			t.Errorf("turn %d: want tools %v, got %v", i+1, turn.tools, called)
		}
		for _, s := range turn.has {
			if !strings.Contains(r.Text, s) {
				t.Errorf("turn %d: %q is missing in the reply %q", i+1, s, r.Text)
			}
		}
		for _, s := range turn.not {
			if strings.Contains(r.Text, s) {
				t.Errorf("turn %d: %q is mixed into the reply %q", i+1, s, r.Text)
			}
		}
		for _, s := range turn.lacks {
			for _, p := range r.Trace.Prompts {
				for _, m := range p {
					if strings.Contains(m.Content, s) {
						t.Errorf("turn %d: %q is mixed into the prompt: %s", i+1, s, m.Content)
					}
				}
			}
		}
		if bill := r.Trace.Bill; int64(bill.Commits) != cost.Writes || int64(bill.Reads) != cost.Gets+cost.Scans {
			t.Errorf("turn %d: the bill says %+v, counted were %+v", i+1, bill, cost)
		}
		if r.Text == "" || r.Turn == "" || r.Message.Text != r.Text || len(r.Trace.Notes) > 0 {
			t.Errorf("turn %d: reply %q, turn %q, notes %q", i+1, r.Text, r.Turn, r.Trace.Notes)
		}
	}
}

// What a turn costs: five commits with a tool call, three without, one more when a small model was paid.
func TestCost(t *testing.T) {
	t.Parallel()
	store1 := scripted.Call("memory_store", `{"subject":"order","content":"07-14244-53150","category":"order"}`)
	for _, c := range []struct {
		name   string
		steps  []scripted.Step
		req    graph.Request
		writes int64
		reads  int64 // at most, in a session that has begun
	}{
		{"no tool", []scripted.Step{scripted.Say("Hello.")}, graph.Request{Text: "Hello!"}, 3, 20},
		{"one tool", []scripted.Step{store1, scripted.Say("Kept.")}, graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."}, 5, 25},
		{"one tool, judged by a small model", []scripted.Step{store1, scripted.Say("Kept.")},
			ask("I ordered brake pads, order number 07-14244-53150.", state.NewAffair, "", "Brake pads"), 6, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			counting := &store.Counting{Store: w.store}
			w.store = counting
			g, _ := w.says(t, append([]scripted.Step{scripted.Say("Hello.")}, c.steps...)...)
			invoke(t, g, graph.Request{Text: "Hi!"})
			before := counting.Counts()
			r := invoke(t, g, c.req)
			cost := counting.Counts().Minus(before)
			t.Logf("%d writes of %d documents, %d gets, %d scans", cost.Writes, cost.Docs, cost.Gets, cost.Scans)
			if cost.Writes != c.writes || cost.Gets+cost.Scans > c.reads {
				t.Errorf("want %d writes and at most %d reads, got %+v", c.writes, c.reads, cost)
			}
			if bill := r.Trace.Bill; int64(bill.Commits) != cost.Writes || int64(bill.Reads) != cost.Gets+cost.Scans {
				t.Errorf("the bill says %+v, counted were %+v", bill, cost)
			}
		})
	}
}

func TestNewNeedsAStoreAndAModel(t *testing.T) {
	t.Parallel()
	w := newWorld()
	wrong := state.DefaultSettings()
	wrong.MaxToolRounds = 0
	for _, c := range []struct {
		name   string
		config graph.Config
		says   string
	}{
		{"nothing", graph.Config{}, "Config needs a Store and a Model"},
		{"no model", graph.Config{Store: w.store}, "Config needs a Store and a Model"},
		{"a wrong setting", graph.Config{Store: w.store, Model: scripted.New(nil, nil), Settings: wrong}, "max_tool_rounds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := graph.New(t.Context(), c.config)
			if text := code(t, err, state.Invalid); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q, got %q", c.says, text)
			}
		})
	}
}

func TestDefaultsAreEnough(t *testing.T) {
	t.Parallel()
	g, err := graph.New(t.Context(), graph.Config{Store: newWorld().store, Model: scripted.New([]scripted.Step{scripted.Say("Hello.")}, nil)})
	must(t, err)
	if r := invoke(t, g, graph.Request{Text: "Hi!"}); r.Text != "Hello." || r.Turn == "" {
		t.Errorf("got %+v", r)
	}
	if g.Memory().Settings().Known(state.Scope{}).Settings != state.DefaultSettings() {
		t.Errorf("settings: %+v", g.Memory().Settings().Known(state.Scope{}))
	}
}
