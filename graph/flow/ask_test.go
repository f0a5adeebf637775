package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// questioning is a node that puts questions and notes the choices.
func questioning(t *tally, name string, questions ...state.Question) flow.Node[trip] {
	return flow.Node[trip]{Name: name, Run: func(ctx context.Context, s trip) (trip, error) {
		t.add(name)
		for _, q := range questions {
			a, err := state.AskPerson(ctx, q)
			if err != nil {
				return s, err
			}
			s.Trail.Add(name + ":" + string(a.Choice) + a.Value)
		}
		return s, nil
	}}
}

// waiting is the error of a turn that asks.
func waiting(t *testing.T, err error) *flow.WaitingError {
	t.Helper()
	var w *flow.WaitingError
	if !errors.As(err, &w) || !errors.Is(err, state.ErrConflict) || !errors.Is(err, state.ErrWaits) {
		t.Fatalf("error = %v, want *WaitingError", err)
	}
	return w
}

func answers(pairs ...string) map[string]state.Answer {
	out := map[string]state.Answer{}
	for i := 0; i < len(pairs); i += 2 {
		choice, value, _ := strings.Cut(pairs[i+1], " ")
		out[pairs[i]] = state.Answer{Choice: state.Choice(choice), Value: value}
	}
	return out
}

func TestAsk(t *testing.T) {
	t.Parallel()
	var did tally
	s := ram.New()
	graph := func() *flow.Graph[trip, *trip] {
		return compile(t, chain(mark(&did, "a"), questioning(&did, "b", state.Question{Text: "pay?", Call: "call1"}), mark(&did, "c")), flow.Config[trip]{Log: newLog(s)})
	}
	_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{})
	w := waiting(t, err)
	if len(w.Asked) != 1 || w.Asked[0].Node != "b" || w.Asked[0].Question.Text != "pay?" {
		t.Fatalf("asked = %+v", w.Asked)
	}
	id := w.Asked[0].ID
	g := graph()
	_, err = g.Resume(t.Context(), thread("x"), nil)
	same(t, "Resume", w, waiting(t, err))
	_, err = g.Invoke(t.Context(), thread("x"), "t2", trip{})
	wantErr(t, "Invoke", err, state.ErrConflict)
	_, err = g.Answer(t.Context(), thread("x"), answers("nobody", "approve"))
	wantErr(t, "an unknown id", err, state.ErrNotFound)
	_, err = g.Answer(t.Context(), thread("x"), answers(id, "maybe"))
	wantErr(t, "a choice that is none", err, state.ErrInvalid)
	_, err = g.Answer(t.Context(), thread("x"), answers(id, "edit no json"))
	wantErr(t, "a value that is no JSON", err, state.ErrInvalid)
	_, err = g.Answer(t.Context(), thread("x"), nil)
	waiting(t, err)
	end, err := g.Answer(t.Context(), thread("x"), answers(id, `edit {"sum":1}`))
	wantErr(t, "Answer", err, nil)
	want := seen{[]string{"a", `b:edit{"sum":1}`, "c"}, 2, ""}
	same(t, "state", want, view(end))
	end, err = graph().Answer(t.Context(), thread("x"), answers(id, `edit {"sum":1}`))
	wantErr(t, "the same answer again", err, nil)
	same(t, "state", want, view(end))
	for _, other := range []string{"approve", "reject", `edit {"sum":2}`} {
		_, err = graph().Answer(t.Context(), thread("x"), answers(id, other))
		wantErr(t, "another answer: "+other, err, state.ErrConflict)
	}
	same(t, "runs", map[string]int{"a": 1, "b": 2, "c": 1}, did.all())
	_, err = g.Answer(t.Context(), thread("new"), answers(id, "approve"))
	wantErr(t, "on a new thread", err, state.ErrNotFound)
}

// A question about a call is told by the call: the process that answers may describe the tool in other words, and in another order. What is
// asked of other arguments, and what has only a text, is another question.
func TestAskedInOtherWords(t *testing.T) {
	t.Parallel()
	call := state.Question{Text: "Run refund?", Tool: "refund", Call: "2/c", Arguments: `{"order":"78","amount":1}`, Schema: `{"required":["order","amount"]}`}
	for _, tt := range []struct {
		name   string
		change func(q *state.Question)
		again  bool // it is asked again
	}{
		{"the schema in another order", func(q *state.Question) { q.Schema = `{"required":["amount","order"]}` }, false},
		{"another description", func(q *state.Question) { q.Text, q.Schema = "May refund run?", `{"description":"in euros"}` }, false},
		{"other arguments", func(q *state.Question) { q.Arguments = `{"order":"79","amount":1}` }, true},
		{"another tool", func(q *state.Question) { q.Tool = "pay" }, true},
		{"other choices", func(q *state.Question) { q.Choices = []state.Choice{state.Reject} }, true},
		{"a text alone", func(q *state.Question) { *q = state.Question{Text: "May refund run?", Call: q.Call} }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			s, other := ram.New(), call
			tt.change(&other)
			graph := func(q state.Question) *flow.Graph[trip, *trip] {
				return compile(t, chain(mark(&did, "a"), questioning(&did, "b", q)), flow.Config[trip]{Log: newLog(s)})
			}
			_, err := graph(call).Invoke(t.Context(), thread("x"), "t1", trip{})
			_, err = graph(other).Answer(t.Context(), thread("x"), answers(waiting(t, err).Asked[0].ID, "approve"))
			if !tt.again {
				wantErr(t, "Answer", err, nil)
				return
			}
			waiting(t, err)
		})
	}
}

// An answer that is given again goes on with the turn where it was cut short behind the answer, also while another question is open.
func TestAnswerAgainAfterACrash(t *testing.T) {
	t.Parallel()
	for _, questions := range []int{1, 2} {
		var did tally
		var graph func() *flow.Graph[trip, *trip]
		var given map[string]state.Answer
		var again error
		s := ram.New()
		act := mark(&did, "act")
		run := act.Run
		act.Run = func(ctx context.Context, s trip) (trip, error) {
			if did.add("entered") == 1 { // this process is as good as dead: the answer comes to another one, which takes the turn over
				_, again = graph().Answer(t.Context(), thread("x"), given)
			}
			return run(ctx, s)
		}
		graph = func() *flow.Graph[trip, *trip] {
			b := flow.NewBuilder[trip]("beside")
			b.AddNode(act)
			edges(b, [2]string{"act", flow.End})
			for n := range questions {
				asks := questioning(&did, fmt.Sprint("ask", n), state.Question{Text: fmt.Sprint(n, "?")})
				b.AddNode(asks)
				edges(b, [2]string{flow.Start, asks.Name}, [2]string{asks.Name, []string{"act", flow.End}[n]})
			}
			return compile(t, b, flow.Config[trip]{Log: newLog(s)})
		}
		g := graph()
		_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
		for _, a := range waiting(t, err).Asked {
			if a.Node == "ask0" {
				given = answers(a.ID, "approve")
			}
		}
		if _, err = g.Answer(t.Context(), thread("x"), given); err == nil {
			t.Error("the process that was taken over has ended the turn")
		}
		same(t, "entered", 2, did.all()["entered"])
		if questions == 1 {
			wantErr(t, "again", again, nil)
		} else {
			same(t, "left", 1, len(waiting(t, again).Asked))
		}
	}
}

func TestAskChecksTheAnswer(t *testing.T) {
	t.Parallel()
	var did tally
	q := state.Question{Text: "how much?", Choices: []state.Choice{state.Edit, state.Reject}, Schema: `{"type":"object","properties":{"sum":{"type":"integer","minimum":1}},"required":["sum"]}`}
	g := compile(t, chain(mark(&did, "a"), questioning(&did, "b", q)), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	id := waiting(t, err).Asked[0].ID
	for _, wrong := range []string{"approve", "edit", `edit {}`, `edit {"sum":0}`, `edit {"sum":"1"}`, `edit [1]`, ""} {
		_, err := g.Answer(t.Context(), thread("x"), answers(id, wrong))
		wantErr(t, wrong, err, state.ErrInvalid)
	}
	_, err = g.Answer(t.Context(), thread("x"), answers(id, `edit {"sum":2}`))
	wantErr(t, "a right answer", err, nil)
}

// A text that is no JSON stands for itself, where a text can be meant; it is kept as JSON, and is the same answer in either form.
func TestAnEditIsAPlainText(t *testing.T) {
	t.Parallel()
	text, call := `{"type":"string","minLength":2}`, `{"type":"object"}`
	for name, c := range map[string]struct {
		q           state.Question
		value, want string // "" = it is refused
	}{
		"a plain text":                   {state.Question{}, `Dear "Jana", <yes>`, `"Dear \"Jana\", <yes>"`},
		"JSON as before":                 {state.Question{}, `"haiku"`, `"haiku"`},
		"a number where any value goes":  {state.Question{}, "42", "42"},
		"a number where a text is asked": {state.Question{Schema: text}, "42", `"42"`},
		"a plain text as asked":          {state.Question{Schema: text}, "haiku", `"haiku"`},
		"a text that does not fit":       {state.Question{Schema: text}, "h", ""},
		"half an object":                 {state.Question{}, `{"sum": 2`, ""},
		"nothing":                        {state.Question{}, " ", ""},
		"the arguments of a call":        {state.Question{Tool: "pay"}, "two", ""},
		"and with their schema":          {state.Question{Tool: "pay", Schema: call}, "two", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var did tally
			g := compile(t, chain(mark(&did, "a"), questioning(&did, "b", c.q)), flow.Config[trip]{Log: newLog(ram.New())})
			_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
			id := waiting(t, err).Asked[0].ID
			end, err := g.Answer(t.Context(), thread("x"), answers(id, "edit "+c.value))
			if c.want == "" {
				wantErr(t, "the answer", err, state.ErrInvalid)
				return
			}
			wantErr(t, "the answer", err, nil)
			same(t, "the node gets", "b:edit"+c.want, end.Trail.Items()[len(end.Trail.Items())-1])
			for _, again := range []string{c.value, c.want} {
				_, err = g.Answer(t.Context(), thread("x"), answers(id, "edit "+again))
				wantErr(t, "the answer again", err, nil)
			}
			_, err = g.Answer(t.Context(), thread("x"), answers(id, "edit other"))
			if state.CodeOf(err) != state.Conflict {
				t.Errorf("another answer: %v", err)
			}
		})
	}
}

// What may be answered where a question names no choices is what its doc says; the error says it too.
func TestChoicesOfAnyQuestion(t *testing.T) {
	t.Parallel()
	for _, choice := range []string{"approve", "edit x", "reject", "suggest", "yes"} {
		var did tally
		g := compile(t, chain(mark(&did, "a"), questioning(&did, "b", state.Question{Text: "pay?"})), flow.Config[trip]{Log: newLog(ram.New())})
		_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
		_, err = g.Answer(t.Context(), thread("x"), answers(waiting(t, err).Asked[0].ID, choice))
		if choice != "yes" {
			wantErr(t, choice, err, nil)
		} else if state.CodeOf(err) != state.Invalid || !strings.HasSuffix(err.Error(), "choose one of approve, edit, reject, suggest") {
			t.Errorf("%s: %v", choice, err)
		}
	}
}

// Two nodes side by side ask: both questions are told, and answered one by one or at once.
func TestAskSideBySide(t *testing.T) {
	t.Parallel()
	for _, once := range []bool{false, true} {
		var did tally
		both := make(chan struct{})
		b := flow.NewBuilder[trip]("beside")
		for _, n := range []string{"a", "b"} {
			node := questioning(&did, n, state.Question{Text: n + "?"})
			run := node.Run
			node.Run = func(ctx context.Context, s trip) (trip, error) {
				if did.add("entered") == 1 { // neither asks before both are at work
					both <- struct{}{}
				} else if did.all()["entered"] == 2 {
					<-both
				}
				return run(ctx, s)
			}
			b.AddNode(node)
		}
		b.AddNode(mark(&did, "z"))
		edges(b, [2]string{flow.Start, "a"}, [2]string{flow.Start, "b"}, [2]string{"a", "z"}, [2]string{"b", "z"}, [2]string{"z", flow.End})
		g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
		_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
		same(t, "questions", 2, len(waiting(t, err).Asked))
		open, err := g.Waits(t.Context(), thread("x"))
		if err != nil || len(open) != 2 {
			t.Fatalf("Waits = %+v, %v", open, err)
		}
		snap, err := g.State(t.Context(), thread("x"), 0)
		if err != nil || len(snap.Waits) != 2 {
			t.Errorf("State waits for %+v, %v", snap.Waits, err)
		}
		all := answers(open[0].ID, "approve", open[1].ID, "reject")
		if !once {
			_, err := g.Answer(t.Context(), thread("x"), answers(open[0].ID, "approve"))
			if left := waiting(t, err).Asked; len(left) != 1 || left[0].ID != open[1].ID {
				t.Errorf("left = %+v", left)
			}
		}
		end, err := g.Answer(t.Context(), thread("x"), all)
		wantErr(t, "Answer", err, nil)
		if trail := strings.Join(end.Trail.Items(), " "); !strings.HasSuffix(trail, " z") || end.Trail.Len() != 3 {
			t.Errorf("trail = %s", trail)
		}
	}
}

// An answer goes to the question it was given to: also when the node is entered again behind a Commit and leaves the
// first question out, and when it asks the same twice.
func TestAskInTurn(t *testing.T) {
	t.Parallel()
	var did tally
	ask := func(ctx context.Context, s *trip, text string) error {
		a, err := state.AskPerson(ctx, state.Question{Text: text})
		if err == nil {
			s.Trail.Add(text + string(a.Choice))
		}
		return err
	}
	g := compile(t, chain(mark(&did, "a"), flow.Node[trip]{Name: "b", Run: func(ctx context.Context, s trip) (trip, error) {
		var err error
		if s.Trail.Len() == 1 {
			if err = ask(ctx, &s, "first?"); err == nil {
				s, err = flow.Commit(ctx, s)
			}
			if err != nil {
				return s, err
			}
		}
		for _, text := range []string{"second?", "second?"} {
			if err := ask(ctx, &s, text); err != nil {
				return s, err
			}
		}
		return s, nil
	}}), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	for _, choice := range []string{"approve", "reject", "approve"} {
		w := waiting(t, err)
		if len(w.Asked) != 1 {
			t.Fatalf("asked = %+v", w.Asked)
		}
		_, err = g.Answer(t.Context(), thread("x"), answers(w.Asked[0].ID, choice))
	}
	wantErr(t, "the last answer", err, nil)
	same(t, "trail", []string{"a", "first?approve", "second?reject", "second?approve"}, at(t, g, "x", 0).Trail)
}

// After a Rewind behind an answer the question is open again; a turn id used again asks again.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a"), questioning(&did, "b", state.Question{Text: "pay?"})), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t", trip{})
	id := waiting(t, err).Asked[0].ID
	_, err = g.Answer(t.Context(), thread("x"), answers(id, "approve"))
	wantErr(t, "Answer", err, nil)

	wantErr(t, "Rewind", g.Rewind(t.Context(), thread("x"), 2), nil)
	_, err = g.Resume(t.Context(), thread("x"), nil)
	id = waiting(t, err).Asked[0].ID
	end, err := g.Answer(t.Context(), thread("x"), answers(id, "reject"))
	wantErr(t, "Answer", err, nil)
	same(t, "trail", []string{"a", "b:reject"}, end.Trail.Items())

	_, err = g.Invoke(flow.ContextWithFreshTurn(t.Context()), thread("x"), "t", trip{})
	if open, werr := g.Waits(t.Context(), thread("x")); werr != nil || len(open) != 1 {
		t.Fatalf("Waits = %+v, %v", open, werr)
	}
	_, err = g.Answer(t.Context(), thread("x"), answers(waiting(t, err).Asked[0].ID, "approve"))
	wantErr(t, "Answer", err, nil)
	same(t, "trail", []string{"a", "b:reject", "a", "b:approve"}, at(t, g, "x", 0).Trail)
}

// A node that had not been started when the one beside it asked asks when that is answered.
func TestAskOneAfterTheOther(t *testing.T) {
	t.Parallel()
	var did tally
	b := flow.NewBuilder[trip]("beside")
	b.AddNode(questioning(&did, "a", state.Question{Text: "a?"}))
	b.AddNode(questioning(&did, "b", state.Question{Text: "b?"}))
	edges(b, [2]string{flow.Start, "a"}, [2]string{flow.Start, "b"}, [2]string{"a", flow.End}, [2]string{"b", flow.End})
	g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
	s, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	for range 2 {
		if err == nil {
			break
		}
		given := map[string]state.Answer{}
		for _, a := range waiting(t, err).Asked {
			given[a.ID] = state.Answer{Choice: state.Approve}
		}
		s, err = g.Answer(t.Context(), thread("x"), given)
	}
	wantErr(t, "the last answer", err, nil)
	same(t, "items", 2, s.Trail.Len())
}

// Of two nodes side by side one asks and the other fails: the caller hears of both.
func TestAskBesideFailure(t *testing.T) {
	t.Parallel()
	var did tally
	b := flow.NewBuilder[trip]("beside")
	both := make(chan struct{})
	a, z := questioning(&did, "a", state.Question{Text: "a?"}), failing(&did, "z", 1)
	askA, runZ := a.Run, z.Run
	a.Run = func(ctx context.Context, s trip) (trip, error) {
		if did.add("entered a") == 1 {
			both <- struct{}{}
		}
		return askA(ctx, s)
	}
	z.Run = func(ctx context.Context, s trip) (trip, error) {
		if did.add("entered z") == 1 {
			<-both
		}
		return runZ(ctx, s)
	}
	b.AddNode(a)
	b.AddNode(z)
	edges(b, [2]string{flow.Start, "a"}, [2]string{flow.Start, "z"}, [2]string{"a", flow.End}, [2]string{"z", flow.End})
	g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, errBoom)
	end, err := g.Answer(t.Context(), thread("x"), answers(waiting(t, err).Asked[0].ID, "approve"))
	wantErr(t, "Answer", err, nil)
	same(t, "items", 2, end.Trail.Len())
}

func TestAskWithoutALog(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(questioning(&did, "a", state.Question{Text: "pay?"})), flow.Config[trip]{})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrUnavailable)
	_, err = g.Answer(t.Context(), thread("x"), nil)
	wantErr(t, "Answer", err, state.ErrNotFound)
}

// Three nodes side by side ask, and one behind a fourth: all four questions are told at once, however fast the first one
// asks, in a graph with cycles too. A node may ask for several things at once.
func TestAskTogether(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		for range 20 {
			var did tally
			b := flow.NewBuilder[trip]("beside")
			b.AddNode(mark(&did, "head"))
			b.AddEdge(flow.Start, "head")
			for _, n := range []string{"a", "b", "c"} {
				b.AddNode(questioning(&did, n, state.Question{Text: n + "?"}))
				edges(b, [2]string{"head", n}, [2]string{n, "z"})
			}
			b.AddNode(mark(&did, "d"))
			b.AddNode(flow.Node[trip]{Name: "two", Run: func(ctx context.Context, s trip) (trip, error) {
				_, one := state.AskPerson(ctx, state.Question{Text: "one?"})
				_, two := state.AskPerson(ctx, state.Question{Text: "two?"})
				return s, errors.Join(one, fmt.Errorf("the second: %w", two))
			}})
			b.AddNode(mark(&did, "z"))
			edges(b, [2]string{"head", "d"}, [2]string{"d", "two"}, [2]string{"two", "z"})
			b.AddBranch("z", func(context.Context, trip) (string, error) { return flow.End, nil }, map[bool][]string{true: {"head", flow.End}, false: {flow.End}}[back]...)
			g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
			_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
			var texts []string
			for _, a := range waiting(t, err).Asked {
				texts = append(texts, a.Question.Text)
			}
			slices.Sort(texts)
			same(t, "questions", []string{"a?", "b?", "c?", "one?", "two?"}, texts)
			open, err := g.Waits(t.Context(), thread("x"))
			wantErr(t, "Waits", err, nil)
			same(t, "waits", 5, len(open))
			same(t, "runs of z", 0, did.all()["z"])
		}
	}
}
