package graph_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// onEach runs a test on a store with transactions and on one without.
func onEach(t *testing.T, run func(t *testing.T, w *world)) {
	t.Parallel()
	for name, s := range map[string]store.Store{"with transactions": ram.New(), "without": ram.NewLoose()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.store = s
			run(t, w)
		})
	}
}

func records(t *testing.T, g *graph.Graph) (out []string) {
	t.Helper()
	all, err := g.Memory().Records(t.Context(), scope())
	must(t, err)
	for _, r := range all {
		if r.ValidTo == nil {
			out = append(out, r.Content)
		}
	}
	return out
}

const noteArgs = `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`

// A call that a person has to approve waits, in any process, and goes on as the person says.
func TestApproval(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer state.Answer
		want   []string
		result string
	}{
		{"approved", state.Answer{Choice: state.Approve}, []string{"The seat is 14C."}, "stored fact"},
		{"edited", state.Answer{Choice: state.Edit, Value: `{"subject":"seat","content":"The seat is 2A.","category":"fact"}`}, []string{"The seat is 2A."}, "stored fact"},
		{"refused", state.Answer{Choice: state.Reject, Reason: "wrong flight"}, nil, "error: tool memory_store: the user refused it. wrong flight"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				steps := []scripted.Step{scripted.Calls(
					state.ToolCall{ID: "a", Name: "list_affairs", Arguments: "{}"},
					state.ToolCall{ID: "b", Name: "memory_store", Arguments: noteArgs},
				), scripted.Say("Done.")}
				approve := func(c *graph.Config) { c.Approve, c.Model = []string{"memory_store"}, scripted.New(steps, nil) }
				waits := invoke(t, w.open(t, approve), graph.Request{Text: "Note my seat."})
				if len(waits.Waits) != 1 || waits.Text != "" || waits.Waits[0].Question.Arguments != noteArgs {
					t.Fatalf("want one question, got %+v", waits)
				}
				id := waits.Waits[0].ID

				model := scripted.New(steps, nil)
				approve = func(c *graph.Config) { c.Model = model }
				g := w.open(t, approve) // another process, days later, which would not have asked
				if open, err := g.Waits(t.Context(), scope()); err != nil || len(open) != 1 {
					t.Errorf("Waits = %+v, %v", open, err)
				}
				if _, err := g.Answer(t.Context(), scope(), map[string]state.Answer{id: {Choice: "maybe"}}); !errors.Is(err, state.ErrInvalid) {
					t.Errorf("a wrong answer: %v", err)
				}
				if _, err := g.Answer(t.Context(), scope(), map[string]state.Answer{"other": tt.answer}); !errors.Is(err, state.ErrNotFound) {
					t.Errorf("an unknown question: %v", err)
				}
				answer := tt.answer
				answer.By = "ann"
				for range 2 { // a second answer changes nothing
					r, err := g.Answer(t.Context(), scope(), map[string]state.Answer{id: answer})
					if err != nil || len(r.Waits) > 0 {
						t.Fatalf("Answer = %q, %v, %v", r.Text, r.Waits, err)
					}

					// Who decided what, when, and what ran, beside what the model had written.
					decided := state.Answered{Choice: tt.answer.Choice, By: "ann", At: w.clock(), Reason: tt.answer.Reason, Ran: tt.answer.Value}
					if diff := cmp.Diff(&decided, r.Tools[1].Answered); diff != "" || r.Tools[0].Answered != nil || r.Tools[1].Arguments != noteArgs {
						t.Errorf("tools %+v (-want +got):\n%s", r.Tools, diff)
					}
					shown := strings.Contains(lastPrompt(model), "A person changed the arguments to "+tt.answer.Value)
					if edited := tt.answer.Choice == state.Edit; edited != shown {
						t.Errorf("the model is told of other arguments: %t", shown)
					}
					if r.Trace.Bill.Usage != r.Usage || r.Usage.ModelCalls != 2 {
						t.Errorf("billed %+v, used %+v", r.Trace.Bill.Usage, r.Usage)
					}
				}
				same(t, "records", tt.want, records(t, g))
				said, err := g.Memory().Messages(t.Context(), scope())
				if err != nil || len(said) != 5 || said[4].Text != "Done." || said[3].Text[:len(tt.result)] != tt.result {
					t.Errorf("messages: %+v, %v", said, err)
				}
			})
		})
	}
}

// lastPrompt is all that a model was shown last.
func lastPrompt(m *scripted.Model) (text string) {
	prompts := m.Prompts()
	for _, msg := range prompts[len(prompts)-1] {
		text += msg.Content + "\n"
	}
	return text
}

// An agent that may only suggest asks before it writes.
func TestAutonomySuggests(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g := w.open(t, func(c *graph.Config) {
			c.Settings = state.DefaultSettings()
			c.Settings.Autonomy = 1
			c.Model = scripted.New([]scripted.Step{scripted.Call("memory_store", noteArgs), scripted.Say("ok")}, nil)
		})
		if r := invoke(t, g, graph.Request{Text: "Note x."}); len(r.Waits) != 1 {
			t.Errorf("want a question, got %q", r.Text)
		}
	})
}

// A question about a change of memory does not hold the session up: with the next message the change becomes a suggestion, also in a process that would
// not have asked, and it is made once when it is approved of.
func TestWaitingHoldsNothingUp(t *testing.T) {
	for name, autonomy := range map[string]int{"as before": 1, "less strict": 2} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				level := func(n int, steps ...scripted.Step) *graph.Graph {
					return w.open(t, func(c *graph.Config) {
						c.Settings = state.DefaultSettings()
						c.Settings.Autonomy = n
						c.Model = scripted.New(steps, nil)
					})
				}
				first := invoke(t, level(1, scripted.Call("memory_store", noteArgs)), graph.Request{Text: "Note my seat."})
				if len(first.Waits) != 1 {
					t.Fatalf("want a question, got %q", first.Text)
				}
				g := level(autonomy, scripted.Call("memory_store", noteArgs), scripted.Say("It waits for you."), scripted.Say("Noon."))
				if r := invoke(t, g, graph.Request{Text: "What time is it?"}); r.Text != "Noon." {
					t.Fatalf("the next message: %q", r.Text)
				}
				if open, err := g.Waits(t.Context(), scope()); err != nil || len(open) != 0 {
					t.Errorf("Waits = %+v, %v", open, err)
				}
				if got := records(t, g); len(got) != 0 {
					t.Errorf("written without approval: %q", got)
				}
				said, err := g.Memory().Messages(t.Context(), scope())
				if err != nil || len(said) < 3 || !strings.HasPrefix(said[2].Text, "suggested, ") {
					t.Errorf("messages: %+v, %v", said, err)
				}
				list, err := g.Memory().Suggestions().List(t.Context(), scope(), false)
				if err != nil || len(list) != 1 || list[0].By.Turn != first.Turn || list[0].By.Who != state.ByAgent {
					t.Fatalf("suggestions: %+v, %v", list, err)
				}
				for range 2 {
					if _, err := g.Memory().Suggestions().Answer(t.Context(), scope(), list[0].ID, state.Answer{Choice: state.Approve}); err != nil {
						t.Fatal(err)
					}
				}
				same(t, "records", []string{"The seat is 14C."}, records(t, g))
			})
		})
	}
}

func TestFork(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
		first := invoke(t, g, ask("I ordered brake pads.", state.NewAffair, "", "Brake pads"))
		invoke(t, g, ask("And oil.", state.Continue, "", ""))
		must(t, g.Fork(t.Context(), scope(), first.Turn, "other"))
		if err := g.Fork(t.Context(), scope(), "", "other"); !errors.Is(err, state.ErrConflict) {
			t.Errorf("a second fork of that name: %v", err)
		}
		if err := g.Fork(t.Context(), scope(), "none", "third"); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("a fork after no turn: %v", err)
		}
		other := scope()
		other.Session = "other"
		r := invoke(t, g, graph.Request{Scope: other, Text: "And belts.", SmallModel: judges(state.Continue, "", ""), AskSmall: true})
		if len(r.Parked) != 1 || r.Active != nil || r.Message.Seq != 4 {
			t.Errorf("the fork's turn: %+v", r)
		}
		for session, want := range map[string][]string{
			"default": {"I ordered brake pads.", "one", "And oil.", "two"}, "other": {"I ordered brake pads.", "one", "And belts.", "three"},
		} {
			at := scope()
			at.Session = session
			said, err := g.Memory().Messages(t.Context(), at)
			must(t, err)
			var got []string
			for _, msg := range said {
				got = append(got, msg.Text)
			}
			same(t, session, want, got)
		}
		turns, err := g.History(t.Context(), other, checkpoint.Which{Done: true})
		if err != nil || len(turns) != 2 || turns[1].Source != checkpoint.SourceFork || turns[1].From != scope().Thread().Key() {
			t.Errorf("the fork's history: %+v, %v", turns, err)
		}
	})
}

func TestHistoryAndPrune(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
		for _, text := range []string{"a", "b", "c"} {
			invoke(t, g, graph.Request{Text: text})
		}
		all, err := g.History(t.Context(), scope(), checkpoint.Which{})
		if err != nil || len(all) != 9 || !all[0].Done || all[1].Done || len(all[1].Next) == 0 {
			t.Fatalf("History = %+v, %v", all, err)
		}
		for _, c := range all {
			if c.Done != (len(c.Next) == 0) {
				t.Errorf("step %d: done %v, next %v", c.Seq, c.Done, c.Next)
			}
		}
		if n, err := g.Prune(t.Context(), scope(), flow.Keep{Turns: 1}); err != nil || n == 0 {
			t.Fatalf("Prune = %d, %v", n, err)
		}
		left, err := g.History(t.Context(), scope(), checkpoint.Which{})
		if err != nil || len(left) != 3 {
			t.Errorf("after Prune: %d steps, %v", len(left), err)
		}
		must(t, g.DeleteThread(t.Context(), scope()))
		if left, err = g.History(t.Context(), scope(), checkpoint.Which{}); err != nil || len(left) != 0 {
			t.Errorf("after DeleteThread: %d steps, %v", len(left), err)
		}
		if said, err := g.Memory().Messages(t.Context(), scope()); err != nil || len(said) != 6 {
			t.Errorf("messages: %d, %v, want them to stay", len(said), err)
		}
		invoke(t, g, graph.Request{Text: "d", Model: scripted.New([]scripted.Step{scripted.Say("four")}, nil)})
	})
}

// Another process sees what a turn wrote in its next turn, and the log of both is one line.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store = ram.NewLoose()
	a, _ := w.says(t, scripted.Call("memory_store", noteArgs), scripted.Say("Noted."))
	b, _ := w.says(t, scripted.Say("First."), scripted.Call("memory_recall", `{"query":"seat"}`), scripted.Say("14C."))
	invoke(t, b, graph.Request{Text: "Hello."})
	invoke(t, a, ask("My seat is 14C.", state.NewAffair, "", "Flight"))
	r := invoke(t, b, ask("Which seat?", state.Continue, "", ""))
	if r.Active == nil || r.Active.Title != "Flight" || len(r.Tools) != 1 || !cmp.Equal(records(t, b), []string{"The seat is 14C."}) {
		t.Errorf("the other process: %+v, records %v", r, records(t, b))
	}
	if got := r.Tools[0].Result; !strings.Contains(got, "14C") {
		t.Errorf("recall = %q", got)
	}
}

// What a turn did to memory can be taken back.
func TestUndo(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, scripted.Say("one"),
			scripted.Call("memory_store", noteArgs), scripted.Say("two"), scripted.Say("three"))
		invoke(t, g, ask("I ordered brake pads.", state.NewAffair, "", "Brake pads"))
		second := invoke(t, g, ask("My flight.", state.NewAffair, "", "Flight"))
		for range 2 {
			must(t, g.Memory().History().UndoTurn(t.Context(), scope(), second.Turn))
		}
		for _, at := range []*graph.Graph{g, w.open(t, nil)} {
			all, err := at.Memory().Affairs().List(t.Context(), scope(), false)
			if err != nil || len(all) != 1 || all[0].Title != "Brake pads" || all[0].Status != state.Active {
				t.Errorf("affairs: %+v, %v", all, err)
			}
			if said, err := at.Memory().Messages(t.Context(), scope()); err != nil || len(said) != 2 {
				t.Errorf("messages: %+v, %v", said, err)
			}
			if got := records(t, at); len(got) != 0 {
				t.Errorf("records: %v", got)
			}
		}
		r := invoke(t, g, ask("Back to it.", state.Continue, "", ""))
		if title(r.Active) != "Brake pads" {
			t.Errorf("the next turn: %+v", r.Active)
		}
	})
}

// With keep a session goes some time after its last turn, when a process sweeps: its log and its messages. Its affair stays, and so do other sessions.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g := w.open(t, func(c *graph.Config) {
		c.Settings = state.DefaultSettings()
		c.Settings.Keep = 48 * time.Hour
	})
	later := scope()
	later.Session = "later"
	invoke(t, g, graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
	w.pass(47 * time.Hour)
	invoke(t, g, graph.Request{Scope: later, Text: "Good morning."})
	before, err := g.Memory().Messages(t.Context(), scope())
	if err != nil || len(before) == 0 {
		t.Fatalf("messages: %d, %v", len(before), err)
	}
	for _, want := range []bool{true, false} {
		if _, err := g.Sweep(t.Context(), "", false); err != nil {
			t.Fatal(err)
		}
		old, err := g.History(t.Context(), scope(), checkpoint.Which{})
		if err != nil || (len(old) > 0) != want {
			t.Errorf("the old session's log: %d steps, %v; want some: %v", len(old), err, want)
		}
		w.pass(2 * time.Hour)
	}
	if young, err := g.History(t.Context(), later, checkpoint.Which{}); err != nil || len(young) == 0 {
		t.Errorf("the later session's log: %d steps, %v", len(young), err)
	}
	if said, err := g.Memory().Messages(t.Context(), scope()); err != nil || len(said) > 0 {
		t.Errorf("messages of the old session: %d, %v", len(said), err)
	}
	if all, err := g.Memory().Affairs().List(t.Context(), later, true); err != nil || len(all) == 0 || len(all[0].KeyFacts) == 0 {
		t.Errorf("its affair: %+v, %v", all, err)
	}
}
