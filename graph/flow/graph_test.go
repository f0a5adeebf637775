package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// shape is a graph, what it leaves behind, and how many commits that takes.
type shape struct {
	name    string
	build   func(*tally) *builder
	trail   []string // sorted where nodes run at the same time
	commits int64
}

func shapes() []shape {
	return []shape{
		{"six in a line", line, []string{"n1", "n2", "n3", "n4", "n5", "n6"}, 6},
		{"a branch", fork, []string{"a", "right", "z"}, 3},
		{"a branch that ends", early, []string{"a"}, 1},
		{"fan out and in", diamond, []string{"a", "b", "c", "d"}, 4},
		{"fan out to the end", split, []string{"a", "b"}, 3},
		{"a loop of three", loop, []string{"a", "b", "a", "b", "a", "b"}, 6},
	}
}

func line(t *tally) *builder {
	return chain(mark(t, "n1"), mark(t, "n2"), mark(t, "n3"), mark(t, "n4"), mark(t, "n5"), mark(t, "n6"))
}

func fork(t *tally) *builder {
	b := flow.NewBuilder[trip]("fork")
	for _, n := range []string{"a", "left", "right", "z"} {
		b.AddNode(mark(t, n))
	}
	edges(b, [2]string{flow.Start, "a"}, [2]string{"left", "z"}, [2]string{"right", "z"}, [2]string{"z", flow.End})
	b.AddBranch("a", func(_ context.Context, s trip) (string, error) {
		if s.Trail.Len() != 1 {
			return "", fmt.Errorf("the branch sees %d marks", s.Trail.Len())
		}
		return "right", nil
	}, "left", "right")
	return b
}

func early(t *tally) *builder {
	b := flow.NewBuilder[trip]("early")
	b.AddNode(mark(t, "a"))
	b.AddNode(mark(t, "b"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"b", flow.End})
	b.AddBranch("a", func(context.Context, trip) (string, error) { return flow.End, nil }, "b", flow.End)
	return b
}

func diamond(t *tally) *builder {
	b := flow.NewBuilder[trip]("diamond")
	for _, n := range []string{"a", "b", "c", "d"} {
		b.AddNode(mark(t, n))
	}
	edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "b"}, [2]string{"a", "c"},
		[2]string{"b", "d"}, [2]string{"c", "d"}, [2]string{"d", flow.End})
	return b
}

func split(t *tally) *builder {
	b := flow.NewBuilder[trip]("split")
	b.AddNode(mark(t, "a"))
	b.AddNode(mark(t, "b"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{flow.Start, "b"}, [2]string{"a", flow.End}, [2]string{"b", flow.End})
	return b
}

func loop(t *tally) *builder {
	b := flow.NewBuilder[trip]("loop")
	b.AddNode(mark(t, "a"))
	b.AddNode(mark(t, "b"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "b"})
	b.AddBranch("b", func(_ context.Context, s trip) (string, error) {
		if s.Trail.Len() < 6 {
			return "a", nil
		}
		return flow.End, nil
	}, "a", flow.End)
	return b
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, tt := range shapes() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			counted := &store.Counting{Store: ram.New()}
			g := compile(t, tt.build(&did), flow.Config[trip]{Log: newLog(counted)})
			got, err := g.Invoke(t.Context(), thread("x"), "t1", trip{Note: field.Of("hello")})
			if err != nil {
				t.Fatalf("Invoke: %v", err)
			}
			same(t, "trail", tt.trail, ordered(got.Trail.Items(), tt.name))
			if n := counted.Counts().Writes; n != tt.commits {
				t.Errorf("commits = %d, want %d", n, tt.commits)
			}
			again, err := g.State(t.Context(), thread("x"), 0)
			if err != nil || again.Turn != "t1" || !again.Done || again.Next != nil {
				t.Fatalf("State = turn %q, done %v, next %v, error %v", again.Turn, again.Done, again.Next, err)
			}
			if diff := cmp.Diff(view(got), view(again.State)); diff != "" {
				t.Errorf("the log's state (-live +log):\n%s", diff)
			}
			if got.Note.Get() != "hello" {
				t.Errorf("note = %q, want the input's", got.Note.Get())
			}
		})
	}
}

func TestWithoutLog(t *testing.T) {
	t.Parallel()
	for _, tt := range shapes() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			g := compile(t, tt.build(&did), flow.Config[trip]{})
			got, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
			if err != nil {
				t.Fatalf("Invoke: %v", err)
			}
			same(t, "trail", tt.trail, ordered(got.Trail.Items(), tt.name))
			if _, err := g.Resume(t.Context(), thread("x"), nil); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("Resume = %v, want not found", err)
			}
			if _, err := g.State(t.Context(), thread("x"), 0); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("State = %v, want not found", err)
			}
			if open, err := g.Unfinished(t.Context(), thread("x")); open || err != nil {
				t.Errorf("Unfinished = %v, %v", open, err)
			}
		})
	}
}

// A turn goes on with what Fresh keeps of the state before.
func TestFresh(t *testing.T) {
	t.Parallel()
	fresh := func(prev trip) (next trip) {
		next.Note.Set(prev.Note.Get() + "+")
		next.Sum.Add(prev.Sum.Get())
		return next
	}
	var did tally
	g := compile(t, chain(mark(&did, "a"), mark(&did, "b")), flow.Config[trip]{Log: newLog(ram.New()), Fresh: fresh})
	for n := range 4 {
		got, err := g.Invoke(t.Context(), thread("x"), turnID(n), trip{})
		wantErr(t, "Invoke", err, nil)
		want := seen{Trail: []string{"a", "b"}, Sum: num(2 * (n + 1)), Note: strings.Repeat("+", n)}
		same(t, turnID(n), want, view(got))
		same(t, turnID(n)+" from the log", want, at(t, g, "x", 0))
	}
}

func TestMaxSteps(t *testing.T) {
	t.Parallel()
	var did tally
	b := flow.NewBuilder[trip]("round and round")
	b.AddNode(mark(&did, "a"))
	b.AddEdge(flow.Start, "a")
	b.AddBranch("a", func(context.Context, trip) (string, error) { return "a", nil }, "a", flow.End)
	g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New()), MaxSteps: 7})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	if !errors.Is(err, state.ErrInternal) || !errors.Is(err, compose.ErrExceedMaxSteps) {
		t.Fatalf("error = %v, want internal, exceeded", err)
	}
	if got := did.all()["a"]; got != 7 {
		t.Errorf("a ran %d times, want 7", got)
	}
}

func TestInvokeErrors(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, chain(mark(&did, "a")), flow.Config[trip]{Log: newLog(ram.New())})
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name   string
		ctx    context.Context
		thread state.Thread
		turn   string
		want   error
	}{
		{"no thread", t.Context(), state.Thread{Client: "c"}, "t", state.ErrInvalid},
		{"no client", t.Context(), state.Thread{ID: "x"}, "t", state.ErrInvalid},
		{"thread with an operator", t.Context(), thread(`{"$ne":""}`), "t", state.ErrInvalid},
		{"no turn", t.Context(), thread("x"), "", state.ErrInvalid},
		{"cancelled", stopped, thread("x"), "t", state.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := g.Invoke(tt.ctx, tt.thread, tt.turn, trip{}); !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := compile(t, chain(mark(&did, "a")), flow.Config[trip]{}).Invoke(stopped, thread("x"), "t", trip{}); !errors.Is(err, context.Canceled) {
		t.Errorf("without log: %v, want cancelled", err)
	}
}

func TestCompileMistakes(t *testing.T) {
	t.Parallel()
	var did tally
	pick := func(context.Context, trip) (string, error) { return flow.End, nil }
	tests := []struct {
		name  string
		build func(*builder)
		want  string
	}{
		{"a name twice", func(b *builder) { b.AddNode(mark(&did, "a")) }, "node a: is there twice"},
		{"a reserved name", func(b *builder) { b.AddNode(mark(&did, flow.End)) }, "give it a name of its own"},
		{"no function", func(b *builder) { b.AddNode(flow.Node[trip]{Name: "b"}) }, "node b: has no Run"},
		{"an edge to nowhere", func(b *builder) { b.AddEdge("a", "q") }, "there is no node q"},
		{"an edge from nowhere", func(b *builder) { b.AddEdge("q", "a") }, "there is no node q"},
		{"an edge back to the start", func(b *builder) { b.AddEdge("a", flow.Start) }, "there is no node start"},
		{"an edge from the end", func(b *builder) { b.AddEdge(flow.End, "a") }, "there is no node end"},
		{"a branch from the start", func(b *builder) { b.AddBranch(flow.Start, pick, "a") }, "branch from a node"},
		{"a branch to nowhere", func(b *builder) { b.AddBranch("a", pick, "q") }, "there is no node q"},
		{"a branch without targets", func(b *builder) { b.AddBranch("a", pick) }, "give it a function and targets"},
		{"an island", func(b *builder) { b.AddNode(mark(&did, "b")); b.AddEdge("b", flow.End) }, "nothing leads to it"},
		{"a dead end", func(b *builder) { b.AddNode(mark(&did, "b")); b.AddEdge("a", "b") }, "nothing leads from it to the end"},
		{"an edge twice", func(b *builder) { b.AddEdge("a", flow.End) }, "a"},
		{"a volatile branch", func(b *builder) {
			n := mark(&did, "v")
			n.Volatile = true
			b.AddNode(n)
			b.AddEdge("a", "v")
			b.AddBranch("v", pick, flow.End)
		}, "node v: is volatile"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := chain(mark(&did, "a"))
			tt.build(b)
			_, err := b.Compile(t.Context(), flow.Config[trip]{})
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want invalid, %q", err, tt.want)
			}
		})
	}
}

// leftOut is a state of which the log would lose parts.
type leftOut struct {
	Listed  field.Last[string]
	Missing field.Append[string]
	Group   struct {
		Inner field.Reduce[num]
		Also  field.Last[int]
	}
	Plain int
}

func (s *leftOut) Fields() []field.Named {
	return []field.Named{{Name: "listed", Field: &s.Listed}, {Name: "inner", Field: &s.Group.Inner}}
}

func TestCompileRefusesFieldsLeftOut(t *testing.T) {
	t.Parallel()
	b := flow.NewBuilder[leftOut]("g")
	b.AddNode(flow.Node[leftOut]{Name: "a", Run: func(_ context.Context, s leftOut) (leftOut, error) { return s, nil }})
	b.AddEdge(flow.Start, "a")
	b.AddEdge("a", flow.End)
	_, err := b.Compile(t.Context(), flow.Config[leftOut]{})
	wantErr(t, "Compile", err, state.ErrInvalid)
	for _, want := range []string{"field leftOut.Missing: is left out of Fields()", "field leftOut.Group.Also: is left out", "field leftOut.Plain: is a plain int"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "Listed") || strings.Contains(err.Error(), "Inner") {
		t.Errorf("error names a field that is listed: %v", err)
	}
}

func TestBranchErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		choose flow.BranchFunc[trip]
		want   error
	}{
		{"fails", func(context.Context, trip) (string, error) { return "", errBoom }, errBoom},
		{"chooses something else", func(context.Context, trip) (string, error) { return "b", nil }, state.ErrInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			b := flow.NewBuilder[trip]("g")
			b.AddNode(mark(&did, "a"))
			b.AddEdge(flow.Start, "a")
			b.AddBranch("a", tt.choose, flow.End)
			log := newLog(ram.New())
			g := compile(t, b, flow.Config[trip]{Log: log})
			if _, err := g.Invoke(t.Context(), thread("x"), "t", trip{}); !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
			if head, err := log.Head(t.Context(), thread("x")); head.Seq != 0 || err != nil {
				t.Errorf("head = %d, %v: a decision that was not taken is logged", head.Seq, err)
			}
		})
	}
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	var did tally
	bad := flow.Node[trip]{Name: "bad", Run: func(context.Context, trip) (trip, error) { panic("oops") }}
	g := compile(t, chain(mark(&did, "a"), bad), flow.Config[trip]{Log: newLog(ram.New())})
	if _, err := g.Invoke(t.Context(), thread("x"), "t", trip{}); err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("error = %v, want the panic", err)
	}
	if _, err := g.Invoke(t.Context(), thread("x"), "t2", trip{}); !errors.Is(err, checkpoint.ErrUnfinished) {
		t.Errorf("then Invoke = %v, want unfinished", err)
	}
}

// Handlers travel in the context: nothing global is set, and a graph in a host's graph is heard by the
// host's handlers in the same way.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	var did, heard tally
	handler := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			heard.add("start " + info.Name)
			return ctx
		}).
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			heard.add("end " + info.Name)
			return ctx
		}).Build()
	g := compile(t, diamond(&did), flow.Config[trip]{Log: newLog(ram.New())})
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "caller"}, handler)
	if _, err := g.Invoke(ctx, thread("x"), "t", trip{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, n := range []string{"diamond", "a", "b", "c", "d"} {
		want["start "+n], want["end "+n] = 1, 1
	}
	same(t, "heard", want, heard.all())
}

func TestTrace(t *testing.T) {
	t.Parallel()
	var did tally
	var trace state.Trace
	ctx := state.ContextWithTrace(t.Context(), &trace)
	g := compile(t, chain(mark(&did, "a"), failing(&did, "b", 1)), flow.Config[trip]{Log: newLog(ram.New()), Now: clock})
	if _, err := g.Invoke(ctx, thread("x"), "t", trip{}); !errors.Is(err, errBoom) {
		t.Fatal(err)
	}
	if _, err := g.Resume(ctx, thread("x"), nil); err != nil {
		t.Fatal(err)
	}
	want := []account.NodeTime{{Node: "a"}, {Node: "b"}, {Node: "a", Again: true}, {Node: "b"}}
	same(t, "nodes", want, trace.Nodes())
	if bill := trace.Bill(); bill.Commits != 3 {
		t.Errorf("bill = %+v, want 3 commits: a, the takeover, b", bill)
	}
}
