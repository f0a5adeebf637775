package checkpointtest

import (
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func growingCases() []check {
	return []check{
		{"items come oldest first over any number of snapshots", growOrder},
		{"the state at each step ends with its own items", growEach},
		{"reading takes three calls at most however long the thread is", growReads},
		{"fields set before the last snapshot are kept beside those that grow", growOthers},
		{"a thread without items is rebuilt", growNothing},
		{"a thread without a snapshot is rebuilt from its first step", growNoSnapshot},
		{"a thread written without snapshots gets one", growLater},
		{"what stands before a snapshot is not played twice", growOnce},
		{"an item is stored once", growSize},
		{"a fork in front of a snapshot and behind one", growFork},
	}
}

// grown runs turns of two nodes, each of which adds its number in the thread to the words.
func (b *bench) grown(th state.Thread, s store.Store, every, turns int) *graph {
	b.Helper()
	n := b.state(b.graph(plan{}), th, 0).State.Words.Len()
	g := b.graph(plan{store: s, nodes: "a b", flow: flow.Config[story]{SnapshotEvery: every}, write: func(s *story, _ string) {
		s.Words.Add(fmt.Sprint(s.Words.Len() + 1))
		s.Sum.Add(1)
	}})
	for i := range turns {
		b.turns(g, th, fmt.Sprint("t", n+i))
	}
	return g
}

// numbers are the words of a thread after n nodes.
func numbers(n int) []string {
	out := []string{}
	for i := range n {
		out = append(out, fmt.Sprint(i+1))
	}
	return out
}

func growOrder(b *bench) {
	for _, every := range []int{1, 2, 3, 5, 1000} {
		th := b.thread(fmt.Sprint("x", every))
		g := b.grown(th, nil, every, 15)
		b.want(fmt.Sprint("every ", every), numbers(30), b.state(g, th, 0).State.Words.Items())
	}
}

func growEach(b *bench) {
	th := b.thread("x")
	g := b.grown(th, nil, 5, 15)
	for at := 1; at <= 30; at++ {
		s := b.state(g, th, int64(at)).State
		b.want(fmt.Sprint("words at ", at), numbers(at), s.Words.Items())
		b.want(fmt.Sprint("sum at ", at), count(at), s.Sum.Get())
	}
}

func growReads(b *bench) {
	counting := &store.Counting{Store: b.store}
	th := b.thread("x")
	g := b.grown(th, counting, 16, 100)
	for at := int64(0); at <= 200; at += 25 {
		before := counting.Counts()
		b.want(fmt.Sprint("words at ", at), int(at)+200*btoi(at == 0), b.state(g, th, at).State.Words.Len())
		if n := counting.Counts().Minus(before); n.Gets+n.Scans > 3 || n.Writes+n.Deletes > 0 {
			b.Errorf("reading at %d took %+v", at, n)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func growOthers(b *bench) {
	th := b.thread("x")
	g := b.graph(plan{nodes: "a", flow: flow.Config[story]{SnapshotEvery: 3}})
	in := noted("first")
	in.Extra.Set(extra{Text: "kept"})
	b.turn(g, th, "t0", in)
	for i := range 10 {
		b.turn(g, th, fmt.Sprint("t", i+1), story{})
	}
	s := b.state(g, th, 0).State
	b.want("state", told{strings.Repeat("a ", 10) + "a", 11, "first"}, tell(s))
	b.want("extra", "kept", s.Extra.Get().Text)
}

func growNothing(b *bench) {
	th := b.thread("x")
	g := b.graph(plan{nodes: "a", flow: flow.Config[story]{SnapshotEvery: 2}, write: func(s *story, _ string) { s.Sum.Add(1) }})
	for i := range 9 {
		b.turns(g, th, fmt.Sprint("t", i))
		b.want("state", told{"", count(i + 1), fmt.Sprint("t", i)}, tell(b.state(g, th, 0).State))
	}
}

func growNoSnapshot(b *bench) {
	th := b.thread("x")
	g := b.grown(th, nil, 1<<20, 40)
	s := b.state(g, th, 0)
	b.want("words", numbers(80), s.State.Words.Items())
	b.want("base", int64(1), s.Base)
}

func growLater(b *bench) {
	th := b.thread("x")
	b.grown(th, nil, 1<<20, 10)
	g := b.grown(th, nil, 4, 10)
	if s := b.state(g, th, 0); s.Base == 1 {
		b.Error("there is no snapshot")
	}
	for _, at := range []int{0, 1, 19, 20, 21, 30, 40} {
		want := at
		if at == 0 {
			want = 40
		}
		b.want(fmt.Sprint("words at ", at), numbers(want), b.state(g, th, int64(at)).State.Words.Items())
	}
}

func growOnce(b *bench) {
	th := b.thread("x")
	g := b.grown(th, nil, 3, 7)
	b.prune(g, th, 2)
	g = b.grown(th, nil, 3, 7)
	b.want("words", numbers(28), b.state(g, th, 0).State.Words.Items())
	b.want("sum", count(28), b.state(g, th, 0).State.Sum.Get())
}

// growSize: what the thread takes grows with its items and not with their square.
func growSize(b *bench) {
	th := b.thread("x")
	word := strings.Repeat("0123456789abcdef", 64)
	g := b.graph(plan{nodes: "a", flow: flow.Config[story]{SnapshotEvery: 4}, write: func(s *story, _ string) { s.Words.Add(word) }})
	for i := range 60 {
		b.turns(g, th, fmt.Sprint("t", i))
	}
	if size, once := len(b.dump()), 60*len(word); size > 3*once {
		b.Errorf("60 items of %d bytes take %d bytes", len(word), size)
	}
}

func growFork(b *bench) {
	th := b.thread("x")
	g := b.grown(th, nil, 4, 8)
	for at := 1; at <= 16; at++ {
		to := b.thread(fmt.Sprint("y", at))
		b.wantErr("Fork", g.Fork(b.Context(), th, int64(at), to), nil)
		b.want(fmt.Sprint("fork of ", at), numbers(at), b.state(g, to, 0).State.Words.Items())
	}
	b.want("source", numbers(16), b.state(g, th, 0).State.Words.Items())
	g = b.grown(b.thread("y10"), nil, 4, 8)
	b.want("fork gone on", numbers(26), b.state(g, b.thread("y10"), 0).State.Words.Items())
}
