package flow_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Items call graphs that ask: the questions wait together, each on a thread of its own, can be answered at either thread, and
// what is done by then is not done again.
func TestItemsCallGraphsThatAsk(t *testing.T) {
	t.Parallel()
	s := ram.New()
	var did tally
	graphs := func() (outer, inner *flow.Graph[trip, *trip]) {
		inner = compile(t, chain(mark(&did, "look"), flow.Node[trip]{Name: "ask", Run: func(ctx context.Context, s trip) (trip, error) {
			a, err := state.AskPerson(ctx, state.Question{Text: s.Note.Get() + "?"})
			s.Trail.Add(s.Note.Get() + " " + string(a.Choice))
			return s, err
		}}), flow.Config[trip]{Log: newLog(s)})
		return compile(t, listing(&did, 0, func(ctx context.Context, word string) (string, error) {
			if word == "free" {
				return word, nil
			}
			end, err := flow.Call(ctx, inner, "sub", trip{Note: field.Of(word)})
			if err != nil {
				return "", err
			}
			return end.Trail.Items()[1], nil
		}), flow.Config[trip]{Log: newLog(s)}), inner
	}
	outer, _ := graphs()
	_, err := outer.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("one free two")})
	asked := map[string]string{}
	for _, a := range waiting(t, err).Asked {
		asked[a.Thread+" "+a.Question.Text] = a.ID
	}
	one, two := asked["x/sub.1 one?"], asked["x/sub.3 two?"]
	if len(asked) != 2 || one == "" || two == "" {
		t.Fatalf("asked %v", asked)
	}
	_, inner := graphs()
	_, err = inner.Answer(t.Context(), thread("x/sub.3"), answers(two, "reject"))
	wantErr(t, "Answer below", err, nil)
	outer, _ = graphs()
	end, err := outer.Answer(t.Context(), thread("x"), answers(one, "approve"))
	wantErr(t, "Answer", err, nil)
	same(t, "trail", []string{"plan", "one approve", "free", "two reject", "join"}, end.Trail.Items())
	same(t, "runs", map[string]int{"plan": 1, "one": 2, "free": 1, "two": 2, "look": 2, "join": 1}, did.all())
}

// A turn that is given up while a node waits for its next try ends at once and can be gone on with.
func TestCancelledBetweenTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var did tally
		g := compile(t, chain(flow.Node[trip]{Name: "a", Retry: flow.Retry{Attempts: 3, First: time.Hour, Max: time.Hour}, Run: func(_ context.Context, s trip) (trip, error) {
			if did.add("a") == 1 {
				return s, state.Errorf(state.Unavailable, "server", "is down")
			}
			s.Trail.Add("a")
			return s, nil
		}}), flow.Config[trip]{Log: newLog(ram.New())})
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		go func() { _, err = g.Invoke(ctx, thread("x"), "t1", trip{Note: field.Of("n")}) }()
		synctest.Wait()
		began := time.Now()
		cancel()
		synctest.Wait()
		wantErr(t, "Invoke", err, state.ErrUnavailable)
		end, err := g.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("n")})
		wantErr(t, "again", err, nil)
		if took := time.Since(began); took > 0 || did.all()["a"] != 2 || end.Trail.Len() != 1 {
			t.Errorf("%d runs, after %s, trail %v", did.all()["a"], took, end.Trail.Items())
		}
	})
}

// One item panics: the error says which, those that had ended are kept, and only the others run again.
func TestItemPanics(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, listing(&did, 1, func(ctx context.Context, word string) (string, error) {
		if word == "c" && did.all()["c"] == 1 {
			panic("oh")
		}
		return upper(ctx, word)
	}), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("a b c d")})
	wantErr(t, "Invoke", err, state.ErrInternal)
	same(t, "error", "node each, item 3: node each: panicked: oh", err.Error())
	end, err := g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "trail", []string{"plan", "A", "B", "C", "D", "join"}, end.Trail.Items())
	same(t, "runs", map[string]int{"plan": 1, "a": 1, "b": 1, "c": 2, "d": 1, "join": 1}, did.all())
}

// A long list (with MNEME_LONG ten thousand) is worked through, each item durable, and gone on with in the middle.
func TestManyItems(t *testing.T) {
	t.Parallel()
	many := 1000
	if os.Getenv("MNEME_LONG") != "" {
		many = 10_000
	}
	var did tally
	s := ram.New()
	graph := func() *flow.Graph[trip, *trip] {
		return compile(t, chain(flow.Node[trip]{Name: "each", Items: func(trip) int { return many }, Run: func(ctx context.Context, s trip) (trip, error) {
			item := flow.At(ctx).Item
			if item == many/2 && did.add("half") == 1 {
				return s, errBoom
			}
			s.Trail.Add(strconv.Itoa(item))
			s.Sum.Add(1)
			return s, nil
		}}), flow.Config[trip]{Log: newLog(s)})
	}
	_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, errBoom)
	end, err := graph().Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	got := end.Trail.Items()
	for i := range many {
		if len(got) != many || got[i] != strconv.Itoa(i+1) {
			t.Fatalf("%d items, number %d is not in its place", len(got), i+1)
		}
	}
	if diff := cmp.Diff(view(end), at(t, graph(), "x", 0)); diff != "" {
		t.Errorf("the log's state (-live +log):\n%s", diff)
	}
}

// A node goes to two others of which one waits for the other: it runs once, behind it, in a graph with a cycle too, and the same
// when the turn is gone on with in between.
func TestGotoAFanInAndWhatLeadsToIt(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		var did tally
		s := ram.New()
		graph := func() *flow.Graph[trip, *trip] {
			b := flow.NewBuilder[trip]("going")
			n := mark(&did, "a")
			run := n.Run
			n.Goto = []string{"b", "c", "join"}
			n.Run = func(ctx context.Context, s trip) (trip, error) {
				s, err := run(ctx, s)
				if err != nil {
					return s, err
				}
				return flow.Goto(ctx, s, "join", "b")
			}
			b.AddNode(n)
			b.AddNode(failing(&did, "b", 1))
			b.AddNode(mark(&did, "c"))
			b.AddNode(mark(&did, "join"))
			edges(b, [2]string{flow.Start, "a"}, [2]string{"b", "join"}, [2]string{"c", "join"})
			to := []string{flow.End}
			if back {
				to = append(to, "a")
			}
			b.AddBranch("join", func(context.Context, trip) (string, error) { return flow.End, nil }, to...)
			return compile(t, b, flow.Config[trip]{Log: newLog(s)})
		}
		_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{})
		wantErr(t, "Invoke", err, errBoom)
		now, err := graph().State(t.Context(), thread("x"), 0)
		wantErr(t, "State", err, nil)
		same(t, "next", []string{"b"}, now.Next)
		end, err := graph().Resume(t.Context(), thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "trail", []string{"a", "b", "join"}, end.Trail.Items())
		same(t, "runs", map[string]int{"a": 1, "b": 2, "join": 1}, did.all())
	}
}

// All modes of a graph that calls one that calls another: every event says on which thread it is.
func TestStreamOfThreeLevels(t *testing.T) {
	t.Parallel()
	log := newLog(ram.New())
	var did tally
	g := compile(t, chain(speaking(&did, "in", 0)), flow.Config[trip]{Log: log})
	for _, level := range []string{"deep", "sub"} {
		below := g
		g = compile(t, chain(flow.Node[trip]{Name: "calls", Run: func(ctx context.Context, s trip) (trip, error) {
			end, err := flow.Call(ctx, below, level, trip{})
			s.Trail.Add(end.Trail.Items()...)
			return s, err
		}}), flow.Config[trip]{Log: log})
	}
	got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Values, flow.Updates, flow.Messages, flow.Tasks, flow.Checkpoints, flow.Custom))
	wantErr(t, "Stream", err, nil)
	want := []string{
		"values []", "tasks calls#1 try 1",
		"values [sub] []", "tasks [sub] calls#1 try 1",
		"values [sub/deep] []", "tasks [sub/deep] in#1 try 1", `messages [sub/deep] in#1 "hello "`, `messages [sub/deep] in#1 "world"`, `custom [sub/deep] in#1 "half"`,
		"updates [sub/deep] in#1 [trail sum]", "values [sub/deep] in#1 [in]", "tasks [sub/deep] in#1 try 1 ends", "checkpoints [sub/deep] 1 input next []",
		"updates [sub] calls#1 [trail]", "values [sub] calls#1 [in]", "tasks [sub] calls#1 try 1 ends", "checkpoints [sub] 1 input next []",
		"updates calls#1 [trail]", "values calls#1 [in]", "tasks calls#1 try 1 ends", "checkpoints 1 input next []", "end [in]",
	}
	same(t, "got", want, got)
}

// A person's node is answered for from outside (LangGraph's update_state): what it asked waits no more.
func TestUpdateAsANodeThatAsks(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a"), questioning(&did, "ask", state.Question{Text: "?"}), mark(&did, "b")), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	id := waiting(t, err).Asked[0].ID
	wantErr(t, "Update", g.Update(t.Context(), thread("x"), "", trip{Note: field.Of("by hand")}, "ask"), nil)
	open, err := g.Waits(t.Context(), thread("x"))
	if err != nil || len(open) > 0 {
		t.Errorf("waits for %v, %v", open, err)
	}
	_, err = g.Answer(t.Context(), thread("x"), answers(id, "approve"))
	wantErr(t, "Answer", err, state.ErrNotFound)
	end, err := g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "state", seen{[]string{"a", "b"}, 2, "by hand"}, view(end))
}

// The same for a node whose graphs ask: questions of other nodes stay, those of items and of graphs two levels below go with it.
func TestUpdateAsANodeWhoseGraphsAsk(t *testing.T) {
	t.Parallel()
	var did tally
	s := ram.New()
	_, middle, asking := shop(t, &did, s)
	call := func(name string, below *flow.Graph[trip, *trip], items int) flow.Node[trip] {
		n := flow.Node[trip]{Name: name, Run: func(ctx context.Context, s trip) (trip, error) {
			_, err := flow.Call(ctx, below, name, trip{})
			return s, err
		}}
		if items > 0 {
			n.Items = func(trip) int { return items }
		}
		return n
	}
	b := flow.NewBuilder[trip]("asking")
	for _, n := range []flow.Node[trip]{call("deep", middle, 0), call("each", asking, 2), call("confirm", asking, 0), mark(&did, "z")} {
		b.AddNode(n)
		if n.Name != "z" {
			edges(b, [2]string{flow.Start, n.Name}, [2]string{n.Name, "z"})
		}
	}
	b.AddEdge("z", flow.End)
	g := compile(t, b, flow.Config[trip]{Log: newLog(s)})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	same(t, "asked", 4, len(waiting(t, err).Asked))
	for _, tt := range []struct {
		as   string
		open int
	}{{"confirm", 3}, {"deep", 2}, {"each", 0}} {
		wantErr(t, "Update", g.Update(t.Context(), thread("x"), "", trip{}, tt.as), nil)
		open, err := g.Waits(t.Context(), thread("x"))
		wantErr(t, "Waits", err, nil)
		same(t, "open after "+tt.as, tt.open, len(open))
	}
	end, err := g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "trail", []string{"z"}, end.Trail.Items())
}
