package checkpointtest

import (
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

func putCases() []check {
	return []check{
		{"steps are numbered from one without gaps", putNumbers},
		{"what was put comes back", putRoundTrip},
		{"a field of each kind survives", putKinds},
		{"turn, attempt, source, graph and time survive", putMetadata},
		{"the visit counts of nodes survive", putVisits},
		{"decisions of branches survive", putDecisions},
		{"each of three turns can be read by its number", putThree},
		{"one field on two threads is two fields", putApart},
		{"a thread below another is a thread of its own", putBelow},
		{"the parent is the step before", putParent},
		{"the parent of a fork is the step it goes on from", putForkParent},
		{"a field that was not changed is rebuilt from an older step", putIncremental},
		{"an older step keeps its older values", putOlder},
		{"a field that is first set later stands beside the others", putNewField},
		{"a field that is volatile is not stored", putVolatile},
		{"a field that Fresh does not keep is gone in the next turn", putFresh},
		{"an input without changes is stored as a turn", putEmptyInput},
		{"a thread without an id is refused", putNoThread},
		{"a turn without an id is refused", putNoTurn},
	}
}

func putNumbers(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	var got []int64
	for _, c := range b.history(g, th, checkpoint.Which{}) {
		got = append(got, c.Seq)
	}
	b.want("numbers", []int64{6, 5, 4, 3, 2, 1}, got)
}

func putRoundTrip(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	end, err := g.Invoke(b.Context(), th, "t1", noted("hi"))
	if err != nil {
		b.Fatal(err)
	}
	b.want("returned", told{"a b c", 3, "hi"}, tell(end))
	b.want("stored", tell(end), tell(b.state(g, th, 0).State))
	b.want("stored, another process", tell(end), tell(b.state(b.graph(plan{}), th, 0).State))
}

func putKinds(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	in := noted("řeka 🚗")
	in.Words.Add("one", "", "three")
	in.Sum.Add(40)
	in.Extra.Set(extra{Ints: []int64{1, 2}, Names: map[string]string{"k": "v"}})
	b.turn(g, th, "t1", in)
	got := b.state(b.graph(plan{}), th, 0).State
	b.want("words", []string{"one", "", "three", "a", "b", "c"}, got.Words.Items())
	b.want("others", told{"one  three a b c", 43, "řeka 🚗"}, tell(got))
	b.want("extra", in.Extra.Get(), got.Extra.Get())
}

func putMetadata(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "turn one")
	h := b.history(b.graph(plan{}), th, checkpoint.Which{})
	for i, want := range []checkpoint.Source{checkpoint.SourceLoop, checkpoint.SourceLoop, checkpoint.SourceInput} {
		if h[i].Source != want || h[i].Turn != "turn one" || h[i].Attempt != h[0].Attempt || h[i].Attempt == "" || !h[i].At.Equal(b.clock.Now()) {
			b.Errorf("step %d = %+v", h[i].Seq, h[i].Step)
		}
	}
	if h[2].Graph == "" || !h[0].Done || h[1].Done {
		b.Errorf("graph %q, done %t %t", h[2].Graph, h[1].Done, h[0].Done)
	}
}

func putVisits(b *bench) {
	th := b.thread("x")
	b.turns(b.loop(), th, "t1")
	var got []string
	for _, c := range b.history(b.loop(), th, checkpoint.Which{}) {
		got = append(got, fmt.Sprint(c.Parts[len(c.Parts)-1].Node, c.Parts[len(c.Parts)-1].Visit))
	}
	b.want("visits", []string{"b3", "a3", "b2", "a2", "b1", "a1"}, got)
}

func putDecisions(b *bench) {
	th := b.thread("x")
	b.turns(b.loop(), th, "t1")
	var got [][]string
	for _, c := range b.history(b.loop(), th, checkpoint.Which{}) {
		got = append(got, c.Parts[len(c.Parts)-1].Next)
	}
	b.want("decisions", [][]string{{flow.End}, nil, {"a"}, nil, {"a"}, nil}, got)
}

// loop is a graph that goes round a and b until there are six words.
func (b *bench) loop() *graph {
	b.Helper()
	p := plan{}
	g := flow.NewBuilder[story]("loop")
	for _, n := range []string{"a", "b"} {
		g.AddNode(flow.Node[story]{Name: n, Run: p.work(n)})
	}
	g.AddEdge(flow.Start, "a")
	g.AddEdge("a", "b")
	g.AddBranch("b", sixWords, "a", flow.End)
	c, err := g.Compile(b.Context(), flow.Config[story]{Log: b.log(b.config(b.store))})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func putThree(b *bench) {
	g, th := b.graph(plan{nodes: "a"}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	for i, want := range []told{{"a", 1, "t1"}, {"a a", 2, "t2"}, {"a a a", 3, "t3"}} {
		b.want(fmt.Sprint("step ", i+1), want, tell(b.state(g, th, int64(i+1)).State))
	}
}

func putApart(b *bench) {
	g := b.graph(plan{nodes: "a"})
	b.turns(g, b.thread("x"), "t1", "t2")
	b.turns(g, b.thread("y"), "t3")
	b.want("x", told{"a a", 2, "t2"}, tell(b.state(g, b.thread("x"), 0).State))
	b.want("y", told{"a", 1, "t3"}, tell(b.state(g, b.thread("y"), 0).State))
	other := state.Thread{Client: b.client + "2", ID: "x"}
	b.Cleanup(func() { b.erase(other) })
	b.turns(g, other, "t4")
	b.want("x of another client", told{"a", 1, "t4"}, tell(b.state(g, other, 0).State))
	b.want("x", told{"a a", 2, "t2"}, tell(b.state(g, b.thread("x"), 0).State))
}

func putBelow(b *bench) {
	g := b.graph(plan{nodes: "a"})
	ids := []string{"x", "x/child:abc", "x/" + state.SeqKey(1), "xy"}
	for i, id := range ids {
		for n := range i + 1 {
			b.turns(g, b.thread(id), fmt.Sprint("t", i, ".", n))
		}
	}
	for i, id := range ids {
		s := b.state(g, b.thread(id), 0)
		if s.Seq != int64(i+1) || s.State.Sum.Get() != count(i+1) {
			b.Errorf("thread %s: step %d, sum %d, want %d", id, s.Seq, s.State.Sum.Get(), i+1)
		}
	}
}

func putParent(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	for _, c := range b.history(g, th, checkpoint.Which{}) {
		if c.Parent != 0 || c.From != "" {
			b.Errorf("step %d has a parent other than the step before: %d %q", c.Seq, c.Parent, c.From)
		}
	}
}

func putForkParent(b *bench) {
	g, th, to := b.graph(plan{}), b.thread("x"), b.thread("y")
	b.turns(g, th, "t1", "t2")
	b.wantErr("Fork", g.Fork(b.Context(), th, 2, to), nil)
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 3), nil)
	forked, back := b.history(g, to, checkpoint.Which{})[0], b.history(g, th, checkpoint.Which{})[0]
	if forked.Parent != 2 || forked.From != th.Key() || forked.Source != checkpoint.SourceFork {
		b.Errorf("fork = %+v", forked.Step)
	}
	if back.Parent != 3 || back.From != "" || back.Source != checkpoint.SourceFork || back.Seq != 7 {
		b.Errorf("rewind = %+v", back.Step)
	}
}

func putIncremental(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	b.turn(g, th, "t2", story{}) // does not touch the note
	b.want("latest", told{"a b c a b c", 6, "t1"}, tell(b.state(g, th, 0).State))
	b.want("by number", told{"a b c a", 4, "t1"}, tell(b.state(g, th, 4).State))
}

func putOlder(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.want("step 3", told{"a b c", 3, "t1"}, tell(b.state(g, th, 3).State))
	b.want("step 1", told{"a", 1, "t1"}, tell(b.state(g, th, 1).State))
}

func putNewField(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turn(g, th, "t1", story{})
	b.turns(g, th, "t2")
	b.want("before", told{"a b c", 3, ""}, tell(b.state(g, th, 3).State))
	b.want("after", told{"a b c a b c", 6, "t2"}, tell(b.state(g, th, 6).State))
	if first := b.state(g, th, 3).State; first.Note.IsSet() {
		b.Error("the note is set before it was")
	}
}

func putVolatile(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	in := noted("t1")
	in.View.Set("a connection")
	b.turn(g, th, "t1", in)
	if got := b.state(g, th, 0).State; got.View.IsSet() {
		b.Errorf("view = %q", got.View.Get())
	}
}

func putFresh(b *bench) {
	g, th := b.graph(plan{flow: flow.Config[story]{Fresh: func(s story) story {
		kept := story{}
		kept.Sum.Add(s.Sum.Get())
		return kept
	}}}), b.thread("x")
	b.turns(g, th, "t1")
	b.turn(g, th, "t2", story{})
	b.want("kept", told{"a b c", 6, ""}, tell(b.state(g, th, 0).State))
	b.want("before", told{"a b c", 3, "t1"}, tell(b.state(g, th, 3).State))
	b.want("needs nothing before step", int64(4), b.state(g, th, 0).Base)
}

func putEmptyInput(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	for _, id := range []string{"t1", "t2"} {
		b.turn(g, th, id, story{})
	}
	b.want("words", told{"a b c a b c", 6, ""}, tell(b.state(g, th, 0).State))
}

func putNoThread(b *bench) {
	g := b.graph(plan{})
	for _, th := range []state.Thread{{Client: b.client}, {ID: "x"}, {}} {
		_, err := g.Invoke(b.Context(), th, "t1", story{})
		b.wantErr(fmt.Sprintf("Invoke on %+v", th), err, state.ErrInvalid)
	}
}

func putNoTurn(b *bench) {
	_, err := b.graph(plan{}).Invoke(b.Context(), b.thread("x"), "", story{})
	b.wantErr("Invoke", err, state.ErrInvalid)
	b.want("documents", []string(nil), b.documents(state.Steps))
}
