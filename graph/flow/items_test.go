package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// listing is a graph that plans a list (the words of the note), works through it with do, and joins what came of it.
func listing(did *tally, parallel int, do func(ctx context.Context, word string) (string, error)) *builder {
	b := flow.NewBuilder[trip]("listing")
	b.AddNode(mark(did, "plan"))
	b.AddNode(flow.Node[trip]{
		Name: "each", Parallel: parallel,
		Items: func(s trip) int { return len(strings.Fields(s.Note.Get())) },
		Run: func(ctx context.Context, s trip) (trip, error) {
			word := strings.Fields(s.Note.Get())[flow.At(ctx).Item-1]
			did.add(word)
			made, err := do(ctx, word)
			if err != nil {
				return s, err
			}
			pay(ctx, word)
			s.Trail.Add(made)
			s.Sum.Add(1)
			return s, nil
		},
	})
	b.AddNode(mark(did, "join"))
	edges(b, [2]string{flow.Start, "plan"}, [2]string{"plan", "each"}, [2]string{"each", "join"}, [2]string{"join", flow.End})
	return b
}

func upper(_ context.Context, word string) (string, error) { return strings.ToUpper(word), nil }

// Items end in any order and some at a time; what they leave stands in the order of the list, and each took one commit.
func TestItems(t *testing.T) {
	t.Parallel()
	const words = "c a e b d"
	for parallel := 1; parallel <= 5; parallel++ {
		var did tally
		var now, most atomic.Int64
		full := make(chan struct{})
		var once sync.Once
		do := func(_ context.Context, word string) (string, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if n == int64(parallel) { // the first ones wait for each other
				once.Do(func() { close(full) })
			}
			<-full
			return strings.ToUpper(word), nil
		}
		counted := &store.Counting{Store: ram.New()}
		g := compile(t, listing(&did, parallel, do), flow.Config[trip]{Log: newLog(counted)})
		end, err := g.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of(words)})
		wantErr(t, "Invoke", err, nil)
		same(t, fmt.Sprintf("%d at a time: trail", parallel), []string{"plan", "C", "A", "E", "B", "D", "join"}, end.Trail.Items())
		if most.Load() != int64(parallel) {
			t.Errorf("%d ran at a time, want %d", most.Load(), parallel)
		}
		if n := counted.Counts().Writes; n != 1+5+1 {
			t.Errorf("%d commits, want one for each item and the two nodes", n)
		}
		stored, err := g.State(t.Context(), thread("x"), 0)
		wantErr(t, "State", err, nil)
		if diff := cmp.Diff(view(end), view(stored.State)); diff != "" {
			t.Errorf("the log's state (-live +log):\n%s", diff)
		}
		same(t, "effects", map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}, paid(t, counted.Store))
	}
}

// Of a list two items fail at first. The others are kept, and are not done again: in the thread, in a fork of the middle of
// the list, and after it was gone back to.
func TestItemsResumed(t *testing.T) {
	t.Parallel()
	s := ram.New()
	var did tally
	broken := true
	graph := func() *flow.Graph[trip, *trip] {
		return compile(t, listing(&did, 1, func(ctx context.Context, word string) (string, error) {
			if broken && word == "e" {
				return "", errBoom
			}
			return upper(ctx, word)
		}), flow.Config[trip]{Log: newLog(s)})
	}
	_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("c a e b d")})
	wantErr(t, "Invoke", err, errBoom)
	if !strings.Contains(err.Error(), "node each, item 3: boom") {
		t.Errorf("error %q does not say which item failed", err)
	}
	now, err := graph().State(t.Context(), thread("x"), 0)
	wantErr(t, "State", err, nil)
	if diff := cmp.Diff([]string{"plan", "C", "A"}, now.State.Trail.Items()); diff != "" || !slices.Equal(now.Next, []string{"each"}) {
		t.Errorf("after the failure next is %v, trail (-want +got):\n%s", now.Next, diff)
	}
	if err := graph().Fork(t.Context(), thread("x"), now.Seq-1, thread("y")); err != nil {
		t.Fatal(err)
	}

	broken = false
	for _, at := range []struct {
		thread string
		runs   map[string]int
	}{
		{"x", map[string]int{"plan": 1, "c": 1, "a": 1, "e": 2, "b": 1, "d": 1, "join": 1}},
		{"y", map[string]int{"plan": 1, "c": 1, "a": 2, "e": 3, "b": 2, "d": 2, "join": 2}}, // the fork has one item
		{"x", map[string]int{"plan": 1, "c": 1, "a": 2, "e": 4, "b": 3, "d": 3, "join": 3}}, // rewound, it has two
	} {
		if at.runs["join"] == 3 {
			if err := graph().Rewind(t.Context(), thread("x"), now.Seq); err != nil {
				t.Fatal(err)
			}
		}
		end, err := graph().Resume(t.Context(), thread(at.thread), nil)
		wantErr(t, "Resume", err, nil)
		same(t, at.thread+": trail", []string{"plan", "C", "A", "E", "B", "D", "join"}, end.Trail.Items())
		same(t, at.thread+": runs", at.runs, did.all())
	}
	h, err := graph().History(t.Context(), thread("x"), checkpoint.Which{})
	wantErr(t, "History", err, nil)
	part := h[len(h)-2].Parts[0]
	if part.Node != "each" || part.Item != 1 || part.Of != 5 || h[len(h)-2].Version != 3 || h[len(h)-1].Version != 2 {
		t.Errorf("the second step holds %+v in version %d", part, h[len(h)-2].Version)
	}
}

// Items that ask wait together; the others are done meanwhile, and each answer reaches the item that asked.
func TestItemsAsk(t *testing.T) {
	t.Parallel()
	s := ram.New()
	var did tally
	graph := func() *flow.Graph[trip, *trip] {
		return compile(t, listing(&did, 2, func(ctx context.Context, word string) (string, error) {
			if word == "b" || word == "c" {
				a, err := state.AskPerson(ctx, state.Question{Text: word + "?"})
				return word + string(a.Choice), err
			}
			return upper(ctx, word)
		}), flow.Config[trip]{Log: newLog(s)})
	}
	_, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("c a b d")})
	var waits *flow.WaitingError
	if !errors.As(err, &waits) || len(waits.Asked) != 2 {
		t.Fatalf("Invoke: %v, want two questions", err)
	}
	asked := map[string]string{}
	for _, a := range waits.Asked {
		asked[a.Question.Text] = a.ID
		if a.Node != "each" || a.Visit != 1 || a.Item == 0 || !strings.HasPrefix(a.ID, fmt.Sprintf("t1/each#1.%d/", a.Item)) {
			t.Errorf("asked %+v", a)
		}
	}
	_, err = graph().Answer(t.Context(), thread("x"), map[string]state.Answer{asked["b?"]: {Choice: state.Reject}})
	if !errors.As(err, &waits) || len(waits.Asked) != 1 || waits.Asked[0].ID != asked["c?"] {
		t.Fatalf("after one answer: %v", err)
	}
	end, err := graph().Answer(t.Context(), thread("x"), map[string]state.Answer{asked["c?"]: {Choice: state.Approve}})
	wantErr(t, "Answer", err, nil)
	same(t, "trail", []string{"plan", "capprove", "A", "breject", "D", "join"}, end.Trail.Items())
	if did := did.all(); did["a"] != 1 || did["d"] != 1 || did["b"] != 2 {
		t.Errorf("runs: %v", did)
	}
}

// An empty list is done at once; one that cannot be counted, and an item that panics, are errors; items have keys and inner
// threads of their own; where they send the turn is joined.
func TestItemsAtTheirEdges(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, listing(&did, 0, upper), flow.Config[trip]{Log: newLog(ram.New())})
	end, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "empty list", err, nil)
	same(t, "trail", []string{"plan", "join"}, end.Trail.Items())

	for name, n := range map[string]flow.Node[trip]{
		"negative":      {Items: func(trip) int { return -1 }, Run: mark(&did, "x").Run},
		"list panics":   {Items: func(trip) int { panic("oh") }, Run: mark(&did, "x").Run},
		"item panics":   {Items: func(trip) int { return 3 }, Run: func(context.Context, trip) (trip, error) { panic("oh") }},
		"no such place": {Items: func(trip) int { return 3 }, Run: func(ctx context.Context, s trip) (trip, error) { return flow.Goto(ctx, s, "z") }},
	} {
		n.Name = "each"
		_, err := compile(t, chain(n), flow.Config[trip]{Log: newLog(ram.New())}).Invoke(t.Context(), thread("x"), "t1", trip{})
		if name == "negative" {
			same(t, name, "node each: has a list of -1 items; let Items return how long the list in the state is, 0 for none", err.Error())
		}
		if code := state.CodeOf(err); code != state.Invalid && code != state.Internal || !strings.Contains(err.Error(), "node each") {
			t.Errorf("%s: %v", name, err)
		}
	}

	log := newLog(ram.New())
	inner := compile(t, chain(mark(&did, "in")), flow.Config[trip]{Log: log})
	b := flow.NewBuilder[trip]("going")
	b.AddNode(flow.Node[trip]{Name: "each", Items: func(trip) int { return 3 }, Goto: []string{"b", "c", "d"}, Run: func(ctx context.Context, s trip) (trip, error) {
		if _, err := flow.Call(ctx, inner, "in", trip{}); err != nil {
			return s, err
		}
		s.Trail.Add(state.IdempotencyKey(ctx))
		return flow.Goto(ctx, s, []string{"b", "d", "b"}[flow.At(ctx).Item-1])
	}})
	b.AddEdge(flow.Start, "each")
	for _, name := range []string{"b", "c", "d"} {
		b.AddNode(mark(&did, name))
		b.AddEdge(name, flow.End)
	}
	end, err = compile(t, b, flow.Config[trip]{Log: log}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "going", err, nil)
	same(t, "trail", []string{"c/x/t1/each#1.1", "c/x/t1/each#1.2", "c/x/t1/each#1.3", "b", "d"}, end.Trail.Items())
	for _, id := range []string{"x/in.1", "x/in.2", "x/in.3"} {
		if head, err := log.Head(t.Context(), thread(id)); err != nil || !head.Done {
			t.Errorf("thread %s: %+v, %v", id, head, err)
		}
	}
}
