package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// resumeInner is what a caller does after an error: go on with the turn, or send it again if none was begun.
func resumeInner(ctx context.Context, g *flow.Graph[trip, *trip], input trip) (trip, error) {
	s, err := g.Resume(ctx, thread("x"), nil)
	if !errors.Is(err, state.ErrNotFound) {
		return s, err
	}
	stands, err := g.State(ctx, thread("x"), 0)
	if err != nil || stands.Turn != "" {
		return stands.State, err // the turn had been finished, only its reply was lost
	}
	return g.Invoke(ctx, thread("x"), "t1", input)
}

// Of two nodes that run at the same time one fails: the other's result is kept, however late it comes.
func TestResumeBesideFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		late bool // a ends after b has failed
		join string
	}{
		{"a ends first", false, "z"}, {"a ends last", true, "z"},
		{"a ends first, no join", false, flow.End}, {"a ends last, no join", true, flow.End},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			aIn, aDone, bDone := make(chan struct{}), make(chan struct{}), make(chan struct{})
			a, b := mark(&did, "a"), failing(&did, "b", 1)
			runA, runB := a.Run, b.Run
			a.Run = func(ctx context.Context, s trip) (trip, error) {
				close(aIn)
				if tt.late {
					<-bDone
				}
				defer close(aDone)
				return runA(ctx, s)
			}
			b.Run = func(ctx context.Context, s trip) (trip, error) {
				<-aIn
				if !tt.late {
					<-aDone
				}
				s, err := runB(ctx, s)
				if err != nil {
					close(bDone)
				}
				return s, err
			}
			graph := flow.NewBuilder[trip]("beside")
			graph.AddNode(a)
			graph.AddNode(b)
			edges(graph, [2]string{flow.Start, "a"}, [2]string{flow.Start, "b"}, [2]string{"a", tt.join}, [2]string{"b", tt.join})
			if tt.join == "z" {
				graph.AddNode(mark(&did, "z"))
				graph.AddEdge("z", flow.End)
			}
			s := ram.New()
			if _, err := compile(t, graph, flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t1", trip{}); !errors.Is(err, errBoom) {
				t.Fatalf("Invoke = %v", err)
			}
			got, err := compile(t, graph, flow.Config[trip]{Log: newLog(s)}).Resume(t.Context(), thread("x"), nil)
			if err != nil {
				t.Fatalf("Resume: %v", err)
			}
			if did.all()["a"] != 1 || did.all()["b"] != 2 {
				t.Errorf("runs = %v, want a once and b twice", did.all())
			}
			if trail := strings.Join(got.Trail.Items(), ""); trail != "ab" && trail != "abz" {
				t.Errorf("trail = %s", trail)
			}
		})
	}
}

// Both of two nodes fail: the caller hears of both.
func TestTwoErrors(t *testing.T) {
	t.Parallel()
	errA, errB := errors.New("a"), errors.New("b")
	both := make(chan struct{})
	b := flow.NewBuilder[trip]("g")
	b.AddNode(flow.Node[trip]{Name: "a", Run: func(_ context.Context, s trip) (trip, error) { both <- struct{}{}; return s, errA }})
	b.AddNode(flow.Node[trip]{Name: "b", Run: func(_ context.Context, s trip) (trip, error) { <-both; return s, errB }})
	edges(b, [2]string{flow.Start, "a"}, [2]string{flow.Start, "b"}, [2]string{"a", flow.End}, [2]string{"b", flow.End})
	_, err := compile(t, b, flow.Config[trip]{}).Invoke(t.Context(), thread("x"), "t", trip{})
	if !errors.Is(err, errA) || !errors.Is(err, errB) {
		t.Errorf("error = %v, want both", err)
	}
}

// A turn like the pipeline's: intake (plain), load (volatile), compose (rides), act with three partial
// commits, flush (rides), finish (the last). Each node passes its gate before it does anything, and act
// one after each of its commits.
func pipeline(gate func(name string) error) *builder {
	plain := func(ctx context.Context, name string, s trip) (trip, error) {
		if err := gate(name); err != nil {
			return s, err
		}
		pay(ctx, name)
		s.Trail.Add(name)
		return s, nil
	}
	node := func(name string, n flow.Node[trip]) flow.Node[trip] {
		n.Name = name
		if n.Run == nil {
			n.Run = func(ctx context.Context, s trip) (trip, error) { return plain(ctx, name, s) }
		}
		return n
	}
	return chain(
		node("intake", flow.Node[trip]{}),
		node("load", flow.Node[trip]{Volatile: true, Run: func(_ context.Context, s trip) (trip, error) {
			s.View.Set(fmt.Sprintf("%d known", s.Trail.Len()))
			return s, gate("load")
		}}),
		node("compose", flow.Node[trip]{Rides: true}),
		node("act", flow.Node[trip]{Run: func(ctx context.Context, s trip) (trip, error) {
			if !s.View.IsSet() {
				return s, errors.New("act without a view")
			}
			for i := s.Trail.Len() - 2; i < 3; i++ { // the state says how far the last attempt got
				var err error
				if s, err = plain(ctx, fmt.Sprintf("call%d", i+1), s); err != nil {
					return s, err
				}
				if s, err = flow.Commit(ctx, s); err != nil {
					return s, err
				}
				if err := gate(fmt.Sprintf("after%d", i+1)); err != nil {
					return s, err
				}
			}
			return s, nil
		}, Rides: true}),
		node("flush", flow.Node[trip]{Rides: true}),
		node("finish", flow.Node[trip]{}),
	)
}

// breaking is a gate that counts who passes and stops the first at one place.
func breaking(did *tally, at string) func(string) error {
	return func(name string) error {
		if did.add(name) == 1 && name == at {
			return errBoom
		}
		return nil
	}
}

// The pipeline's turn fails once at each of its places, and goes on in this process or in another: what was finished is not run again.
func TestPipelineResume(t *testing.T) {
	t.Parallel()
	for _, tt := range interruptions() {
		for _, process := range []string{"same", "new"} {
			t.Run(tt.at+" in the "+process+" process", func(t *testing.T) {
				t.Parallel()
				var did tally
				s := ram.New()
				graph := pipeline(breaking(&did, tt.at))
				g := compile(t, graph, flow.Config[trip]{Log: newLog(s)})
				if _, err := g.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("hi")}); err != errBoom { //nolint:errorlint // as it is
					t.Fatalf("Invoke = %v, want the node's error as it is", err)
				}
				if process == "new" {
					g = compile(t, graph, flow.Config[trip]{Log: newLog(s)})
				}
				open, err := g.Unfinished(t.Context(), thread("x"))
				if begun := tt.at != "intake"; err != nil || open != begun {
					t.Fatalf("Unfinished = %v, %v", open, err)
				}
				got, err := resumeInner(t.Context(), g, trip{Note: field.Of("hi")})
				wantErr(t, "going on", err, nil)
				same(t, "state", seen{Trail: whole(), Note: "hi"}, view(got))
				same(t, "effects", once(), paid(t, s))
				same(t, "runs", tt.runs(), did.all())
			})
		}
	}
}

// interruption is where the first attempt at the pipeline's turn ends, and which parts then run twice
// besides the one at that place.
type interruption struct {
	at    string
	twice []string
}

func interruptions() []interruption {
	return []interruption{
		{"intake", nil}, // nothing begun: sent again
		{"load", nil},
		{"compose", []string{"load"}},
		{"call1", []string{"load", "compose"}}, // compose was pure and never committed
		{"after1", []string{"load"}},
		{"call2", []string{"load"}},
		{"after2", []string{"load"}},
		{"call3", []string{"load"}},
		{"after3", []string{"load"}},
		{"flush", []string{"load"}},
		{"finish", []string{"load", "flush"}},
	}
}

// runs is how often each gate is passed in both attempts together.
func (i interruption) runs() map[string]int {
	runs := map[string]int{"load": 1, "after1": 1, "after2": 1, "after3": 1}
	for _, n := range whole() {
		runs[n] = 1
	}
	for _, n := range i.twice {
		runs[n]++
	}
	if !strings.HasPrefix(i.at, "after") {
		runs[i.at]++
	}
	return runs
}

// whole is the trail of the pipeline's turn.
func whole() []string {
	return []string{"intake", "compose", "call1", "call2", "call3", "flush", "finish"}
}

// once is what the pipeline's turn leaves in the ledger.
func once() map[string]int {
	out := map[string]int{}
	for _, n := range whole() {
		out[n] = 1
	}
	return out
}

// The decision stands in the log; what a branch would decide now does not matter.
func TestBranchIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	var did tally
	b := flow.NewBuilder[trip]("fork")
	asked := 0
	b.AddNode(mark(&did, "a"))
	b.AddNode(failing(&did, "left", 1))
	b.AddNode(mark(&did, "right"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"left", flow.End}, [2]string{"right", flow.End})
	b.AddBranch("a", func(context.Context, trip) (string, error) {
		asked++
		return []string{"left", "right"}[asked-1], nil
	}, "left", "right")
	g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
	if _, err := g.Invoke(t.Context(), thread("x"), "t", trip{}); !errors.Is(err, errBoom) {
		t.Fatal(err)
	}
	got, err := g.Resume(t.Context(), thread("x"), nil)
	if err != nil || strings.Join(got.Trail.Items(), " ") != "a left" {
		t.Errorf("Resume = %v, %v, want the way first taken", got.Trail.Items(), err)
	}
	if asked != 1 {
		t.Errorf("the branch was asked %d times", asked)
	}
}

func TestResumeInALoop(t *testing.T) {
	t.Parallel()
	for fails := range 6 {
		var did tally
		b := flow.NewBuilder[trip]("loop")
		runs := 0
		for _, name := range []string{"a", "b"} {
			n := mark(&did, name)
			run := n.Run
			n.Run = func(ctx context.Context, s trip) (trip, error) {
				if runs++; runs == fails+1 {
					return s, errBoom
				}
				return run(ctx, s)
			}
			b.AddNode(n)
		}
		edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "b"})
		b.AddBranch("b", func(_ context.Context, s trip) (string, error) {
			if s.Trail.Len() < 6 {
				return "a", nil
			}
			return flow.End, nil
		}, "a", flow.End)
		g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
		if _, err := g.Invoke(t.Context(), thread("x"), "t1", trip{}); !errors.Is(err, errBoom) {
			t.Fatal(err)
		}
		got, err := resumeInner(t.Context(), g, trip{})
		if err != nil || strings.Join(got.Trail.Items(), "") != "ababab" {
			t.Errorf("failing at run %d: trail %v, %v", fails, got.Trail.Items(), err)
		}
		if did.all()["a"] != 3 || did.all()["b"] != 3 {
			t.Errorf("failing at run %d: runs %v", fails, did.all())
		}
	}
}

// A turn id used again does not make the new turn's nodes look finished.
func TestSameTurnIDAgain(t *testing.T) {
	t.Parallel()
	var did tally
	second := failing(&did, "b", 0)
	run := second.Run
	second.Run = func(ctx context.Context, s trip) (trip, error) {
		if did.all()["b"] == 1 && did.add("broken") == 1 {
			return s, errBoom
		}
		return run(ctx, s)
	}
	g := compile(t, chain(mark(&did, "a"), second), flow.Config[trip]{Log: newLog(ram.New())})
	ctx := flow.ContextWithFreshTurn(t.Context())
	if _, err := g.Invoke(ctx, thread("x"), "t", trip{}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Invoke(ctx, thread("x"), "t", trip{}); !errors.Is(err, errBoom) {
		t.Fatal(err)
	}
	got, err := g.Resume(ctx, thread("x"), nil)
	if err != nil || strings.Join(got.Trail.Items(), "") != "abab" {
		t.Errorf("trail %v, %v, want both turns whole", got.Trail.Items(), err)
	}
	same(t, "history", []string{"a > b", "b > ", "a > b", " > b", "b > "}, steps(t, g, "x"))
}

func TestFill(t *testing.T) {
	t.Parallel()
	var did tally
	look := flow.Node[trip]{Name: "look", Run: func(_ context.Context, s trip) (trip, error) {
		if did.add("look") == 1 {
			return s, errBoom
		}
		s.Trail.Add(s.View.Get())
		return s, nil
	}}
	g := compile(t, chain(mark(&did, "a"), look), flow.Config[trip]{Log: newLog(ram.New())})
	input := trip{}
	input.View.Set("first")
	if _, err := g.Invoke(t.Context(), thread("x"), "t", input); !errors.Is(err, errBoom) {
		t.Fatal(err)
	}
	got, err := g.Resume(t.Context(), thread("x"), func(s trip) trip {
		s.View.Set("second")
		s.Note.Set("resumed")
		return s
	})
	if err != nil || got.Trail.Items()[1] != "second" {
		t.Errorf("trail %v, %v, want what was filled in", got.Trail.Items(), err)
	}
	if stored, err := g.State(t.Context(), thread("x"), 0); err != nil || stored.State.Note.Get() != "resumed" {
		t.Errorf("stored note = %q, %v", stored.State.Note.Get(), err)
	}
	if _, err := g.Resume(t.Context(), thread("x"), nil); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Resume of a finished turn = %v, want not found", err)
	}
}

// poor is trip without its note.
type poor struct{ Trail field.Append[string] }

func (s *poor) Fields() []field.Named { return []field.Named{{Name: "trail", Field: &s.Trail}} }

func TestChangedGraph(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *ram.Store {
		s := ram.New()
		var did tally
		b := flow.NewBuilder[trip]("g")
		b.AddNode(mark(&did, "a"))
		b.AddNode(failing(&did, "b", 1))
		edges(b, [2]string{flow.Start, "a"}, [2]string{"b", flow.End})
		b.AddBranch("a", func(context.Context, trip) (string, error) { return "b", nil }, "b", flow.End)
		if _, err := compile(t, b, flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t", trip{}); !errors.Is(err, errBoom) {
			t.Fatal(err)
		}
		return s
	}
	t.Run("a field is gone", func(t *testing.T) {
		t.Parallel()
		b := flow.NewBuilder[poor]("g")
		b.AddNode(flow.Node[poor]{Name: "a", Run: func(_ context.Context, s poor) (poor, error) { return s, nil }})
		b.AddEdge(flow.Start, "a")
		b.AddEdge("a", flow.End)
		g, err := b.Compile(t.Context(), flow.Config[poor]{Log: newLog(begin(t))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Resume(t.Context(), thread("x"), nil); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "field sum") {
			t.Errorf("Resume = %v, want a conflict that names the field", err)
		}
	})
	t.Run("a target is gone", func(t *testing.T) {
		t.Parallel()
		var did tally
		g := compile(t, chain(mark(&did, "a")), flow.Config[trip]{Log: newLog(begin(t))})
		if _, err := g.Resume(t.Context(), thread("x"), nil); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "from a") {
			t.Errorf("Resume = %v, want a conflict that names the branch", err)
		}
	})
}

// What a node's work was paid for is kept even if the caller has given up meanwhile.
func TestCancelledWhileAtWork(t *testing.T) {
	t.Parallel()
	var did tally
	ctx, cancel := context.WithCancel(t.Context())
	a := mark(&did, "a")
	run := a.Run
	a.Run = func(ctx context.Context, s trip) (trip, error) { cancel(); return run(ctx, s) }
	g := compile(t, chain(a, mark(&did, "b")), flow.Config[trip]{Log: newLog(ram.New())})
	if _, err := g.Invoke(ctx, thread("x"), "t", trip{}); !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("Invoke = %v, want unavailable, cancelled", err)
	}
	if _, err := g.Resume(t.Context(), thread("x"), nil); err != nil {
		t.Fatal(err)
	}
	same(t, "runs", map[string]int{"a": 1, "b": 1}, did.all())
}

// A turn that is given up while its last node works has ended: that node does not run again.
func TestCancelledInTheLastNode(t *testing.T) {
	t.Parallel()
	for _, w := range []ways{
		{"a line", []string{"start > a", "a > last", "last > end"}, 0, "a last"},
		{"a fan-in", []string{"start > a b", "a > last", "b > last", "last > end"}, 0, "a b last"},
		{"a fan-in in a loop", []string{"start > h", "h > a b", "a > last", "b > last", "last ? h end"}, 1, "h a b last h a b last"},
	} {
		var did tally
		ctx, cancel := context.WithCancel(t.Context())
		want := strings.Fields(w.want)
		g := compile(t, w.build(func(name string) flow.Node[trip] {
			n := mark(&did, name)
			run := n.Run
			n.Run = func(ctx context.Context, s trip) (trip, error) {
				if s.Trail.Len() == len(want)-1 {
					cancel()
				}
				return run(ctx, s)
			}
			return n
		}), flow.Config[trip]{Log: newLog(ram.New())})
		end, err := g.Invoke(ctx, thread("x"), "t", trip{})
		wantErr(t, w.name, err, nil)
		same(t, w.name, want, end.Trail.Items())
		same(t, w.name+": from the log", want, at(t, g, "x", 0).Trail)
		open, err := g.Unfinished(t.Context(), thread("x"))
		if open || err != nil {
			t.Errorf("%s: unfinished %v, %v", w.name, open, err)
		}
	}
}

// A goroutine that a node leaves behind cannot write into a turn that is over.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	var node context.Context // what a careless node would do
	g := compile(t, chain(flow.Node[trip]{Name: "a", Run: func(ctx context.Context, s trip) (trip, error) {
		node = ctx
		return s, nil
	}}), flow.Config[trip]{Log: newLog(ram.New())})
	if _, err := g.Invoke(t.Context(), thread("x"), "t", trip{}); err != nil {
		t.Fatal(err)
	}
	if _, err := flow.Commit(node, trip{}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Commit = %v, want conflict", err)
	}
}

func TestCommitOutsideAGraph(t *testing.T) {
	t.Parallel()
	in := trip{Note: field.Of("kept")}
	if out, err := flow.Commit(t.Context(), in); err != nil || out.Note.Get() != "kept" {
		t.Errorf("Commit = %q, %v", out.Note.Get(), err)
	}
}
