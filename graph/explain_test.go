package graph_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
	"github.com/mneme-graph/mneme/state/store"
)

// seats is a conversation of three turns, the first of which stores a record.
func seats() []scripted.Step {
	return []scripted.Step{
		scripted.Call("memory_store", noteArgs), scripted.Say("Noted."), scripted.Say("Seat 14C."), scripted.Say("Hello."),
		scripted.Say("More."), scripted.Say("And more."),
	}
}

const (
	seatSaid  = "My flight to Lisbon is booked, keep my seat."
	seatAsked = "Which seat do I have on the flight?"
)

// fly says the first two messages of it and returns their turns.
func fly(t *testing.T, g *graph.Graph) (booked, asked graph.Reply) {
	t.Helper()
	booked = invoke(t, g, ask(seatSaid, state.NewAffair, "", "Flight to Lisbon"))
	return booked, invoke(t, g, ask(seatAsked, state.Continue, "", ""))
}

// explain returns the account of a turn that has one.
func explain(t *testing.T, g *graph.Graph, s state.Scope, turn string) graph.Account {
	t.Helper()
	a, err := g.Explain(t.Context(), s, turn)
	if err != nil {
		t.Fatalf("explain %q: %v", turn, err)
	}
	return a
}

// printed is an account as people read it.
func printed(t *testing.T, a graph.Account) string {
	t.Helper()
	var b strings.Builder
	must(t, a.Explain(&b))
	return b.String()
}

// shown finds the lines of a prompt that are from a text that contains part.
func shown(a graph.Account, prompt int, part string) (lines []account.Line) {
	for _, s := range a.Prompts[prompt].Sections {
		for _, l := range s.Lines {
			if strings.Contains(a.Sources[l.Of].Text, part) {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// A turn is explained in another process: what was decided, shown, found and written, and where each line is from.
func TestExplainInAnotherProcess(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		booked, asked := fly(t, g)
		g, _ = w.says(t)

		// The first turn, by its id and by the number of its message.
		a := explain(t, g, scope(), booked.Turn)
		if diff := cmp.Diff(a, explain(t, g, scope(), "1")); diff != "" {
			t.Errorf("by number (-by id +by number):\n%s", diff)
		}
		d := booked.Decision
		if a.End != graph.Answered || a.Decision.Kind != d.Kind || a.Decision.Title != d.Title || a.Decision.Reasoning != d.Reasoning || a.Decision.Confidence != d.Confidence {
			t.Errorf("ended %s with %+v, want %+v", a.End, a.Decision, d)
		}
		if len(a.Prompts) != 2 || a.Prompts[1].Tokens != booked.Trace.Context.Tokens || len(a.Prompts[1].Sections) != len(booked.Trace.Context.Sections) {
			t.Errorf("prompts %+v, want two, the last with the sections %+v", a.Prompts, booked.Trace.Context.Sections)
		}
		if a.Bill.Usage != booked.Usage || a.Bill.Commits != booked.Trace.Bill.Commits || a.Bill.Reads == 0 || a.Attempts != 1 {
			t.Errorf("bill %+v, want %+v", a.Bill, booked.Trace.Bill)
		}
		if !cmp.Equal(a.Receipts, booked.Receipts) || len(a.Writes) < 2 {
			t.Errorf("wrote %+v, receipts %+v", a.Writes, a.Receipts)
		}
		nodes := []string{}
		for _, n := range a.Nodes {
			nodes = append(nodes, n.Node)
		}
		if got := strings.Join(nodes, " "); got != "intake memory_load context_detect respond memory_flush" {
			t.Errorf("nodes %s", got)
		}

		// The second, which is the last: its lines lead to the record and the messages that they are from.
		a = explain(t, g, scope(), "")
		if a.Turn != asked.Turn || a.Sources[a.Question].Text != seatAsked || a.Sources[a.Answer].Text != "Seat 14C." {
			t.Errorf("the last turn is %s: %+v", a.Turn, a.Sources[a.Question])
		}
		said := shown(a, 0, seatSaid)
		if len(said) != 1 || a.Sources[said[0].Of].Seq != 1 || a.Sources[said[0].Of].Who != "user" || a.Sources[said[0].Of].At.IsZero() || said[0].Why == "" {
			t.Errorf("the message of before stands in %+v", said)
		}
		if len(a.Recalls) == 0 || len(a.Recalls[0].Hits) == 0 || len(a.Recalls[0].Hits[0].Figures) == 0 {
			t.Errorf("recalled %+v", a.Recalls)
		}
		text := printed(t, a)
		for _, part := range []string{"CONTINUE", "prompt 1 of 1", "History", "message 1, user, 2026-02-15 21:00", "recall for the prompt", "bill: "} {
			if !strings.Contains(text, part) {
				t.Errorf("it does not say %q:\n%s", part, text)
			}
		}
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	})
}

// Nothing that anybody said stands in what the log keeps.
func TestTheAccountHasNoTexts(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		fly(t, g)
		docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Steps})
		if err != nil || len(docs) == 0 {
			t.Fatalf("%d steps, %v", len(docs), err)
		}
		for _, d := range docs {
			for _, word := range []string{"Lisbon", "flight", "Flight", "seat", "14C", "Noted"} {
				if _, ok := d.Body.Lookup("effects").ArrayOK(); ok {
					continue // decided edits, until they are carried out
				}
				if strings.Contains(string(d.Body), word) {
					t.Errorf("step %s has %q", d.ID, word)
				}
			}
		}
	})
}

// What another user or client asks is answered as if there were nothing.
func TestExplainIsTheUsersOwn(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		booked, _ := fly(t, g)
		for _, s := range []state.Scope{{User: "eve"}, {Client: "other"}, {Session: "empty"}} {
			for _, turn := range []string{"", "1", booked.Turn, "../default/default"} {
				_, err := g.Explain(t.Context(), s, turn)
				if text := code(t, err, state.NotFound); strings.Contains(text, "message 1") {
					t.Errorf("%+v is told %q", s, text)
				}
			}
		}
		_, err := g.Explain(t.Context(), state.Scope{Session: "a/b"}, "")
		code(t, err, state.Invalid)
		_, err = g.Explain(t.Context(), scope(), "nothing")
		if text := code(t, err, state.NotFound); !strings.Contains(text, booked.Turn+" (message 1)") {
			t.Errorf("a turn that is not known: %q, want it to name what there is", text)
		}
	})
}

// The account goes with the log: pruned, deleted, and forked.
func TestExplainAfterPruneAndFork(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		booked, asked := fly(t, g)
		fork := scope()
		fork.Session = "fork"
		must(t, g.Fork(t.Context(), scope(), asked.Turn, "fork"))
		more := invoke(t, g, graph.Request{Scope: fork, Text: "And what is next?", SmallModel: judges(state.Continue, "", "")})

		// In the fork, the turns before it are those of the old session.
		for _, turn := range []string{booked.Turn, "1", asked.Turn} {
			if a := explain(t, g, fork, turn); a.Session != scope().Session || a.Bill.Commits < 2 || a.Sources[a.Question].Gone {
				t.Errorf("turn %s in the fork: of session %s, %+v", turn, a.Session, a.Bill)
			}
		}
		if a := explain(t, g, fork, ""); a.Turn != more.Turn || a.Session != "fork" {
			t.Errorf("the fork's own turn: %s of %s", a.Turn, a.Session)
		}

		// What was pruned is said to be.
		if _, err := g.Prune(t.Context(), scope(), flow.Keep{Turns: 1}); err != nil {
			t.Fatal(err)
		}
		for _, s := range []state.Scope{scope(), fork} {
			_, err := g.Explain(t.Context(), s, booked.Turn)
			if text := code(t, err, state.NotFound); !strings.Contains(text, "pruned") {
				t.Errorf("pruned: %q", text)
			}
		}
		must(t, g.DeleteThread(t.Context(), scope()))
		if a := explain(t, g, fork, asked.Turn); a.Session != "fork" || len(a.Prompts) != 1 { // its own copy
			t.Errorf("the turn that was forked after: of session %s, %d prompts", a.Session, len(a.Prompts))
		}
	})
}

// A turn that was taken back has no texts any more, in its own account and in that of a later one.
func TestExplainAfterUndo(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		booked, asked := fly(t, g)
		must(t, g.Memory().History().UndoTurn(t.Context(), scope(), booked.Turn))
		for _, turn := range []string{booked.Turn, asked.Turn} {
			a := explain(t, g, scope(), turn)
			text := printed(t, a)
			whole, err := json.Marshal(a)
			must(t, err)
			for _, word := range []string{"keep my seat", "The seat is 14C", "Noted."} {
				if strings.Contains(text+string(whole), word) {
					t.Errorf("turn %s: %q was taken back and is told:\n%s", turn, word, text)
				}
			}
			if !strings.Contains(text, "(the text is gone)") {
				t.Errorf("turn %s does not say that something is gone:\n%s", turn, text)
			}
		}
	})
}

// A line whose text says something else today is told apart.
func TestExplainSaysWhatChanged(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		booked, _ := fly(t, g)
		_, err := g.Memory().Affairs().Edit(t.Context(), scope(), booked.Decision.AffairID, memory.AffairChange{Title: "Holiday"})
		must(t, err)
		text := printed(t, explain(t, g, scope(), ""))
		if !strings.Contains(text, "Holiday") || !strings.Contains(text, "(changed since)") {
			t.Errorf("a title was changed:\n%s", text)
		}
	})
}

// A message that is delivered again adds nothing to the account of its turn.
func TestExplainARedeliveredMessage(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, seats()...)
		req := ask(seatSaid, state.NewAffair, "", "Flight")
		req.MessageID = "17" // looks like a number of a message
		invoke(t, g, req)
		before := explain(t, g, scope(), "17")
		invoke(t, g, req)
		if diff := cmp.Diff(before, explain(t, g, scope(), "17")); diff != "" || len(before.Prompts) != 2 {
			t.Errorf("%d prompts; after another delivery (-before +after):\n%s", len(before.Prompts), diff)
		}
	})
}

// A turn that has no answer has an account too.
func TestExplainATurnWithoutAnAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g := w.open(t, func(c *graph.Config) {
			c.Approve, c.Model = []string{"memory_store"}, scripted.New([]scripted.Step{
				scripted.Call("memory_store", noteArgs), scripted.Fail(errors.New("the model is down: my seat")),
			}, nil)
		})
		r := invoke(t, g, ask(seatSaid, state.NewAffair, "", "Flight"))
		if a := explain(t, g, scope(), ""); a.End != graph.Waits || len(a.Prompts) != 1 || len(a.Writes) == 0 {
			t.Errorf("a turn that waits: %+v", a)
		}
		if _, err := g.Answer(t.Context(), scope(), map[string]state.Answer{r.Waits[0].ID: {Choice: state.Approve}}); state.CodeOf(err) != state.Unavailable {
			t.Fatalf("the model that is down: %v", err)
		}
		a := explain(t, g, scope(), r.Turn)
		if a.End != graph.Failed || !strings.Contains(a.Failure, "down") || len(a.Prompts) != 2 || a.Attempts != 2 {
			t.Errorf("a turn that failed: ended %s (%s) after %d prompts, %d attempts", a.End, a.Failure, len(a.Prompts), a.Attempts)
		}
	})
}
